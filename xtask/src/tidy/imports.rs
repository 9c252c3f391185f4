//! Imports go down the layers, and never in a circle.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::layers::Layers;
use super::modules::{Module, Modules};
use super::source::{Problem, Source};
use super::tokens::Place;

/// Who imports whom, and where.
type Edges<'a> = BTreeMap<&'a str, BTreeMap<&'a str, usize>>;

/// Checks every crate among the files; tests may import what they like.
pub fn check(sources: &[Source]) -> Vec<Problem> {
    let crates = Modules::of_each_crate(sources);
    let checked = crates.values().flat_map(|modules| [layers(modules), cycles(modules)].concat());
    checked.collect()
}

/// Checks the imports between rooms against the table.
fn layers(modules: &Modules<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (name, module) in modules.0.iter().filter(|(name, _)| !name.is_empty()) {
        let Some(layers) = Layers::of(&module.source.path) else {
            continue;
        };
        let Some(row) = layers.row(name) else {
            let what =
                format!("`{name}` is a room without layers; give it a row in xtask/src/tidy/layers.rs");
            problems.push(module.source.problem(0, "layer", what));
            continue;
        };
        for (from, path) in &module.paths {
            let written = path.segments.join("::");
            let what = match modules.resolve(from, &path.segments) {
                Some("") if path.place == Place::Macro => continue,
                Some("") => format!(
                    "`{written}` is of the crate's root, above every room; import the room that has it"
                ),
                Some(target) if !Layers::allows(row, target) => {
                    let may = if row.1.is_empty() { "nothing".to_owned() } else { row.1.join(", ") };
                    format!(
                        "`{written}` is of `{target}`, and `{}` may import {may}; move what they share down",
                        row.0
                    )
                }
                _ => continue,
            };
            problems.push(module.source.problem(path.at, "layer", what));
        }
    }
    problems
}

/// Finds modules that import each other, one problem a circle.
fn cycles(modules: &Modules<'_>) -> Vec<Problem> {
    let edges: Edges<'_> =
        modules.0.iter().map(|(name, module)| (name.as_str(), imported(modules, name, module))).collect();
    let mut seen = BTreeSet::new();
    let mut problems = Vec::new();
    for &start in edges.keys() {
        if seen.contains(start) {
            continue;
        }
        let Some(circle) = shortest_circle(&edges, start) else {
            continue;
        };
        let shown: Vec<&str> = circle
            .iter()
            .chain([&start])
            .map(|name| if name.is_empty() { "the root" } else { name })
            .collect();
        let second = circle.get(1).copied().unwrap_or(start);
        let what = format!("a circle of imports: {}; move what they share down", shown.join(" → "));
        problems.push(modules.0[start].source.problem(edges[start][second], "cycle", what));
        seen.extend(circle);
    }
    problems
}

/// The other modules that a module imports; a parent that re-exports what is below it does not import it.
fn imported<'a>(modules: &'a Modules<'_>, name: &str, module: &Module<'_>) -> BTreeMap<&'a str, usize> {
    let mut targets = BTreeMap::new();
    for (from, path) in &module.paths {
        let Some(target) = modules.resolve(from, &path.segments).filter(|target| *target != name) else {
            continue;
        };
        let below = name.is_empty() || target.starts_with(&format!("{name}::"));
        let facade = path.place == Place::Reexport && below;
        let is_macro = path.place == Place::Macro && target.is_empty();
        if !facade && !is_macro {
            targets.entry(target).or_insert(path.at);
        }
    }
    targets
}

/// The shortest way from `start` back to it, without the return.
fn shortest_circle<'a>(edges: &Edges<'a>, start: &'a str) -> Option<Vec<&'a str>> {
    let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut waiting = VecDeque::from([start]);
    while let Some(module) = waiting.pop_front() {
        for &target in edges.get(module)?.keys() {
            if target == start {
                let mut circle = vec![module];
                while let Some(&previous) = circle.last().and_then(|last| came_from.get(last)) {
                    circle.push(previous);
                }
                circle.reverse();
                return Some(circle);
            }
            if !came_from.contains_key(target) {
                came_from.insert(target, module);
                waiting.push_back(target);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<Source> =
            files.iter().map(|(path, text)| Source::new(&format!("crates/{path}"), text)).collect();
        check(&sources).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_import_up_the_layers_is_found() {
        let files = [
            ("diglot-proto/src/version.rs", "\nuse crate::{jsonrpc::Id};"),
            ("diglot-proto/src/jsonrpc.rs", ""),
            ("diglot/src/client/mod.rs", "fn a() { super::http::client::b() }"),
            ("diglot/src/http/mod.rs", ""),
            ("diglot/src/http/client.rs", ""),
        ];
        let expected = [
            "crates/diglot/src/client/mod.rs:1: layer: `super::http::client::b` is of `http::client`, \
             and `client` may import future, error, limits, schema, skill, transport; move what they share down",
            "crates/diglot-proto/src/version.rs:2: layer: `crate::jsonrpc::Id` is of `jsonrpc`, \
             and `version` may import nothing; move what they share down",
        ];
        let mut found = found(&files);
        found.sort_by(|a, b| b.cmp(a));
        assert_eq!(found, expected);
    }

    #[test]
    fn an_import_down_the_layers_is_not() {
        let files = [
            ("diglot-proto/src/lib.rs", "pub mod jsonrpc; pub mod version; pub use version::Revision;"),
            (
                "diglot-proto/src/version.rs",
                "#[cfg(test)]\nmod tests { use crate::jsonrpc::Id; }\n// crate::jsonrpc",
            ),
            ("diglot-proto/src/jsonrpc.rs", "use crate::version::Revision; use std::fmt; crate::row!();"),
            ("diglot-proto/src/http/mod.rs", "pub mod response; pub mod sse; pub use response::Meaning;"),
            ("diglot-proto/src/http/sse.rs", ""),
            (
                "diglot-proto/src/http/response.rs",
                "use super::sse::Event; use crate::Revision; use crate::jsonrpc;",
            ),
        ];
        assert_eq!(found(&files), Vec::<String>::new());
    }

    #[test]
    fn an_import_of_the_root_is_found() {
        let files = [("diglot/src/lib.rs", "pub struct A;"), ("diglot/src/error.rs", "use crate::A;")];
        assert!(found(&files)[0].contains("is of the crate's root"));
    }

    #[test]
    fn a_room_without_a_row_is_found() {
        assert!(found(&[("diglot/src/cellar.rs", "")])[0].contains("`cellar` is a room without layers"));
    }

    #[test]
    fn a_circle_is_found_once() {
        let files = [
            ("x/src/lib.rs", "mod a; mod b; mod c; pub use a::A;"),
            ("x/src/a.rs", "use crate::b::B;"),
            ("x/src/b.rs", "use crate::c::C;"),
            ("x/src/c.rs", "use crate::a::A;"),
        ];
        let expected =
            "crates/x/src/a.rs:1: cycle: a circle of imports: a → b → c → a; move what they share down";
        assert_eq!(found(&files), [expected]);
    }

    #[test]
    fn a_facade_is_no_circle_and_a_parent_at_work_is() {
        let child = ("x/src/a/child.rs", "use super::A;");
        assert_eq!(
            found(&[("x/src/a/mod.rs", "mod child; pub use child::C; pub struct A;"), child]),
            Vec::<String>::new()
        );
        let found = found(&[("x/src/a/mod.rs", "mod child; pub struct A; fn a() { child::run() }"), child]);
        assert!(found[0].contains("a → a::child → a"), "{found:?}");
    }
}
