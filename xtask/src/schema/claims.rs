//! Every definition is claimed by a type that knows its members, or excused by a reason.

use std::collections::{BTreeMap, BTreeSet};

use super::document::Document;
use super::failure::Failure;
use super::row::{self, Known, Row};

/// Checks all definitions, and that the rows claim none that is not there.
pub fn check(documents: &[Document], rows: &[Row]) -> (usize, Vec<Failure>) {
    let mut failures = Vec::new();
    let mut count = 0;
    for document in documents {
        for name in document.names() {
            count += 1;
            check_definition(document, name, rows, &mut failures);
        }
        for row in rows.iter().filter(|row| row.has(&document.revision) && !document.has(&row.name)) {
            let what = "the registry has it, and the schema has not";
            failures.push(Failure::new(&document.revision, &row.name, "", what));
        }
    }
    failures.extend(unheard_of(documents, rows));
    (count, failures)
}

fn check_definition(document: &Document, name: &str, rows: &[Row], failures: &mut Vec<Failure>) {
    let mut fail = |place: &str, what: &str| {
        failures.push(Failure::new(&document.revision, name, place, what));
    };
    let Some(row) = row::find(rows, name, &document.revision) else {
        return fail("", "no type claims it, and no reason excuses it");
    };
    let Some(claimed) = &row.claimed else {
        return;
    };
    let Some(node) = document.descend(document.definition(name), &claimed.at) else {
        return fail(&claimed.at.join("."), "the registry leads to a member that is not there");
    };
    for place in unknown(document, node, &claimed.members) {
        fail(&place, &format!("`{}` does not know it", claimed.type_name));
    }
}

/// Returns the members of a schema that a type does not know, by their paths.
fn unknown(document: &Document, node: &serde_json::Value, members: &[Known]) -> Vec<String> {
    let mut places = Vec::new();
    for (name, value) in document.members(node) {
        match members.iter().find(|member| member.name == name) {
            None => places.push(name.to_owned()),
            Some(member) if Document::is_inline(value) && !member.members.is_empty() => {
                let inner = unknown(document, value, &member.members);
                places.extend(inner.into_iter().map(|inner| format!("{name}.{inner}")));
            }
            Some(_) => {}
        }
    }
    places
}

/// Finds the members that a type knows and that no definition of any revision has.
fn unheard_of(documents: &[Document], rows: &[Row]) -> Vec<Failure> {
    let mut known: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut heard: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for row in rows {
        let Some(claimed) = &row.claimed else { continue };
        let names = claimed.members.iter().map(|member| member.name.as_str());
        known.entry(&claimed.type_name).or_default().extend(names);
        for document in documents.iter().filter(|document| row.has(&document.revision)) {
            let node = document.descend(document.definition(&row.name), &claimed.at);
            let names = node.into_iter().flat_map(|node| document.members(node)).map(|(name, _)| name);
            heard.entry(&claimed.type_name).or_default().extend(names);
        }
    }
    let unheard = known.into_iter().flat_map(|(name, members)| {
        let heard = heard.remove(name).unwrap_or_default();
        members.into_iter().filter(move |member| !heard.contains(member)).map(move |member| (name, member))
    });
    unheard.map(|(name, member)| Failure::new("any revision", name, member, "no definition has it")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::row::Claimed;
    use super::*;

    fn document(definitions: Value) -> Vec<Document> {
        vec![Document::new("2026-07-28", json!({ "$defs": definitions }))]
    }

    fn known(name: &str, members: Vec<Known>) -> Known {
        Known { name: name.to_owned(), members, ..Known::default() }
    }

    fn claimed(name: &str, at: &[&str], members: Vec<Known>) -> Row {
        let at = at.iter().map(|&name| name.to_owned()).collect();
        let claimed = Claimed { type_name: "T".into(), at, members, roundtrip: |_| Err("unused".into()) };
        Row { name: name.to_owned(), revisions: vec!["2026-07-28".into()], claimed: Some(claimed) }
    }

    fn failures(definitions: Value, rows: &[Row]) -> Vec<String> {
        check(&document(definitions), rows).1.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_definition_that_nobody_claims_is_found() {
        let found = failures(json!({ "A": {} }), &[]);
        assert_eq!(found, ["2026-07-28 A: no type claims it, and no reason excuses it"]);
    }

    #[test]
    fn a_reason_excuses_a_definition() {
        let row = Row { name: "A".into(), revisions: vec!["2026-07-28".into()], claimed: None };
        assert!(failures(json!({ "A": { "properties": { "a": {} } } }), &[row]).is_empty());
    }

    #[test]
    fn a_row_of_no_definition_is_found() {
        let row = Row { name: "B".into(), revisions: vec!["2026-07-28".into()], claimed: None };
        let found = failures(json!({}), &[row]);
        assert_eq!(found, ["2026-07-28 B: the registry has it, and the schema has not"]);
    }

    #[test]
    fn a_member_that_the_type_lacks_is_found_wherever_it_stands() {
        let definitions = json!({
            "A": { "properties": { "a": {}, "b": { "properties": { "c": {}, "d": {} } } } },
            "B": { "allOf": [{ "$ref": "#/$defs/A" }, { "properties": { "e": {} } }] },
        });
        let members = vec![known("b", vec![known("c", Vec::new())])];
        let rows = [claimed("A", &[], members.clone()), claimed("B", &[], members)];
        let found = failures(definitions, &rows);
        assert_eq!(
            found,
            [
                "2026-07-28 A a: `T` does not know it",
                "2026-07-28 A b.d: `T` does not know it",
                "2026-07-28 B a: `T` does not know it",
                "2026-07-28 B b.d: `T` does not know it",
                "2026-07-28 B e: `T` does not know it",
            ]
        );
    }

    #[test]
    fn a_part_is_looked_at_where_it_stands() {
        let definitions = json!({
            "A": { "properties": { "params": { "$ref": "#/$defs/P" }, "other": {} } },
            "P": { "properties": { "a": {} } },
        });
        let excuse = Row { name: "P".into(), revisions: vec!["2026-07-28".into()], claimed: None };
        let rows = [claimed("A", &["params"], vec![known("a", Vec::new())]), excuse];
        assert!(failures(definitions, &rows).is_empty());
    }

    #[test]
    fn a_member_that_no_revision_has_is_found() {
        let rows = [claimed("A", &[], vec![known("a", Vec::new()), known("b", Vec::new())])];
        let found = failures(json!({ "A": { "properties": { "a": {} } } }), &rows);
        assert_eq!(found, ["any revision T b: no definition has it"]);
    }
}
