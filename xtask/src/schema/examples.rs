//! The official examples survive being read and written.

use std::path::Path;

use diglot_proto::object::Object;
use serde_json::value::{RawValue, to_raw_value};

use super::equal::{Absences, difference};
use super::failure::Failure;
use super::row::{self, Claimed, Known, Row};

/// The revision that has examples.
const REVISION: &str = "2026-07-28";

/// Checks every example whose definition a type claims; the others only have to be in the registry.
pub fn check(folder: &Path, rows: &[Row]) -> Result<(usize, Vec<Failure>), String> {
    let folder = folder.join(format!("examples-{REVISION}"));
    let absences = absences(rows);
    let mut failures = Vec::new();
    let mut count = 0;
    for definition in list(&folder)? {
        for example in list(&folder.join(&definition))? {
            count += 1;
            let path = folder.join(&definition).join(&example);
            let text =
                std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let verdict = match row::find(rows, &definition, REVISION) {
                None => Err("no type claims it, and no reason excuses it".to_owned()),
                Some(Row { claimed: None, .. }) => Ok(()),
                Some(Row { claimed: Some(claimed), .. }) => survives(&text, claimed, &absences),
            };
            if let Err(what) = verdict {
                failures.push(Failure::new(REVISION, &definition, &example, what));
            }
        }
    }
    Ok((count, failures))
}

fn list(folder: &Path) -> Result<Vec<String>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let names = entries.map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()));
    let mut names: Vec<String> = names.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    names.sort();
    Ok(names)
}

/// Reads and writes the part of an example that the type is, where the example has that part.
fn survives(text: &str, claimed: &Claimed, absences: &Absences) -> Result<(), String> {
    let whole: Box<RawValue> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let Some(part) = descend(&whole, &claimed.at) else {
        return Ok(());
    };
    let written = (claimed.roundtrip)(&part)?;
    let written: Box<RawValue> = serde_json::from_str(&written).map_err(|error| error.to_string())?;
    match difference(&without_passed(&part, &claimed.members), &written, absences) {
        None => Ok(()),
        Some(difference) => Err(format!("as `{}`, {difference}", claimed.type_name)),
    }
}

fn descend(whole: &RawValue, path: &[String]) -> Option<Box<RawValue>> {
    path.iter().try_fold(whole.to_owned(), |raw, name| {
        Object::read(&raw).and_then(|object| object.member(name).map(ToOwned::to_owned))
    })
}

/// Takes away the members that another layer writes.
fn without_passed(raw: &RawValue, members: &[Known]) -> Box<RawValue> {
    let is_passed = |name: &str| members.iter().any(|member| member.is_passed && member.name == name);
    let Some(object) = Object::read(raw).filter(|object| object.iter().any(|(name, _)| is_passed(name)))
    else {
        return raw.to_owned();
    };
    let kept: diglot_proto::types::Members = object
        .iter()
        .filter(|(name, _)| !is_passed(name))
        .map(|(name, value)| (name, value.to_owned()))
        .collect();
    to_raw_value(&kept).expect("raw members serialise")
}

/// Collects the members whose value may mean the same as their absence, of all types.
fn absences(rows: &[Row]) -> Absences {
    let mut absences = Absences::new();
    let claimed = rows.iter().filter_map(|row| row.claimed.as_ref());
    let mut open: Vec<&Known> = claimed.flat_map(|claimed| &claimed.members).collect();
    while let Some(member) = open.pop() {
        if !member.same_as_absent.is_empty() {
            absences.insert((member.name.clone(), member.same_as_absent.clone()));
        }
        open.extend(&member.members);
    }
    absences
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claimed(at: &[&str], roundtrip: fn(&RawValue) -> Result<String, String>) -> Claimed {
        let passed = Known { name: "resultType".into(), is_passed: true, ..Known::default() };
        let at = at.iter().map(|&name| name.to_owned()).collect();
        Claimed { type_name: "T".into(), at, members: vec![passed], roundtrip }
    }

    fn verdict(text: &str, claimed: &Claimed) -> Result<(), String> {
        survives(text, claimed, &Absences::new())
    }

    #[test]
    fn an_example_that_comes_back_survives() {
        let same = claimed(&[], |raw| Ok(raw.get().to_owned()));
        assert_eq!(verdict(r#"{"a":1}"#, &same), Ok(()));
    }

    #[test]
    fn a_passed_member_need_not_come_back() {
        let less = claimed(&["result"], |_| Ok(r#"{"a":1}"#.to_owned()));
        assert_eq!(verdict(r#"{"result":{"resultType":"complete","a":1}}"#, &less), Ok(()));
    }

    #[test]
    fn an_example_without_the_part_says_nothing() {
        let never = claimed(&["params"], |_| Err("read".to_owned()));
        assert_eq!(verdict("{}", &never), Ok(()));
    }

    #[test]
    fn a_lost_member_and_a_fault_are_found() {
        let loses = claimed(&[], |_| Ok("{}".to_owned()));
        assert_eq!(verdict(r#"{"a":1}"#, &loses), Err("as `T`, `/a` is lost".to_owned()));
        let faults = claimed(&[], |_| Err("it has no a".to_owned()));
        assert_eq!(verdict("{}", &faults), Err("it has no a".to_owned()));
    }
}
