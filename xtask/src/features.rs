//! `cargo xtask features`: every feature of `diglot` builds alone and beside every other, without a warning.
//!
//! Sets that turn on the same features in the end are built once. What a client without HTTP depends on is checked too.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::time::Instant;

use serde_json::Value;

/// The crate whose features are checked.
const PACKAGE: &str = "diglot";

/// What `client` alone does not depend on.
const NOT_FOR_PIPES: &[&str] =
    &["http", "http-body", "hyper", "hyper-util", "reqwest", "h2", "rustls", "tower"];

/// What lists all that `client` alone depends on.
const TREE: &str =
    "tree --package diglot --no-default-features --features client --edges normal --prefix none";

/// Each feature, with the features that it turns on.
type Features = BTreeMap<String, BTreeSet<String>>;

/// A set of features.
type Set = BTreeSet<String>;

/// Builds every set and looks at the dependencies; the error lists all that failed.
pub fn run() -> Result<(), String> {
    let metadata = cargo(&["metadata", "--no-deps", "--format-version", "1"])?;
    let metadata: Value =
        serde_json::from_str(&metadata).map_err(|error| format!("cargo metadata: {error}"))?;
    let features = features(&metadata).ok_or_else(|| format!("cargo metadata lists no package {PACKAGE}"))?;
    let target = metadata["target_directory"].as_str().unwrap_or("target");
    let sets = sets(&features);
    let mut failed = Vec::new();
    for set in &sets {
        let start = Instant::now();
        let verdict = if builds(set, target)? { "ok" } else { "FAILED" };
        println!("features: {} … {verdict} ({:.1}s)", shown(set), start.elapsed().as_secs_f32());
        if verdict != "ok" {
            failed.push(format!("features: {} does not build without a warning", shown(set)));
        }
    }
    let tree = cargo(&TREE.split(' ').collect::<Vec<_>>())?;
    for name in unwanted(&tree) {
        failed.push(format!(
            "features: `client` alone depends on {name}; `cargo tree -i {name}` says by which way"
        ));
    }
    failed.push(format!("features: {} sets, {} problems", sets.len(), failed.len()));
    match failed.as_slice() {
        [summary] => {
            println!("{summary}");
            Ok(())
        }
        _ => Err(failed.join("\n")),
    }
}

/// Reads the features of the package, without `default` and without optional dependencies.
fn features(metadata: &Value) -> Option<Features> {
    let packages = metadata["packages"].as_array()?;
    let package = packages.iter().find(|package| package["name"] == PACKAGE)?;
    let declared = package["features"].as_object()?;
    let turned_on = |list: &Value| -> Set {
        let names = list.as_array().into_iter().flatten().filter_map(Value::as_str);
        names.filter(|name| declared.contains_key(*name)).map(str::to_owned).collect()
    };
    let named = declared.iter().filter(|(name, _)| *name != "default");
    Some(named.map(|(name, list)| (name.clone(), turned_on(list))).collect())
}

/// Lists no feature, each feature and each pair, leaving out a set that turns on the same as one before it.
fn sets(features: &Features) -> Vec<Set> {
    let names: Vec<&String> = features.keys().collect();
    let mut sets = vec![Set::new()];
    sets.extend(names.iter().map(|name| Set::from([(*name).clone()])));
    for (index, first) in names.iter().enumerate() {
        sets.extend(names[index + 1..].iter().map(|second| Set::from([(*first).clone(), (*second).clone()])));
    }
    let mut seen = BTreeSet::new();
    sets.retain(|set| seen.insert(closure(features, set)));
    sets
}

/// All that a set turns on in the end.
fn closure(features: &Features, set: &Set) -> Set {
    let mut closed = set.clone();
    let mut waiting: Vec<&String> = set.iter().collect();
    while let Some(name) = waiting.pop() {
        let next = features.get(name).into_iter().flatten();
        waiting.extend(next.filter(|name| closed.insert((*name).clone())));
    }
    closed
}

fn shown(set: &Set) -> String {
    if set.is_empty() {
        "none".to_owned()
    } else {
        set.iter().map(String::as_str).collect::<Vec<_>>().join(",")
    }
}

/// Whether the set builds; what the compiler says goes to the terminal.
fn builds(set: &Set, target: &str) -> Result<bool, String> {
    let list = set.iter().map(String::as_str).collect::<Vec<_>>().join(",");
    let status = command()
        .args(["check", "--quiet", "--package", PACKAGE, "--no-default-features", "--features", &list])
        .args(["--target-dir", &format!("{target}/features")])
        .env("RUSTFLAGS", "-Dwarnings")
        .status();
    status.map(|status| status.success()).map_err(|error| format!("cargo check does not start: {error}"))
}

/// The crates in the tree that pipes have no use for.
fn unwanted(tree: &str) -> BTreeSet<&str> {
    let names = tree.lines().filter_map(|line| line.split_whitespace().next());
    names.filter(|name| NOT_FOR_PIPES.contains(name)).collect()
}

fn command() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs cargo and returns what it prints.
fn cargo(arguments: &[&str]) -> Result<String, String> {
    let called = format!("cargo {}", arguments.join(" "));
    let output = command().args(arguments).output().map_err(|error| format!("{called}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{called}\n{}", String::from_utf8_lossy(&output.stderr).trim_end()));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("{called}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Features {
        let features = serde_json::json!({ "packages": [{ "name": PACKAGE, "features": {
            "default": ["client"], "client": [], "http": ["dep:http"], "reqwest": ["http", "dep:reqwest", "tokio/net"],
        } }] });
        super::features(&features).unwrap()
    }

    #[test]
    fn every_feature_and_pair_is_a_set_once() {
        let sets: Vec<String> = sets(&example()).iter().map(shown).collect();
        assert_eq!(sets, ["none", "client", "http", "reqwest", "client,http", "client,reqwest"]);
    }

    #[test]
    fn dependencies_are_no_features() {
        assert_eq!(example()["reqwest"], Set::from(["http".to_owned()]));
    }

    #[test]
    fn a_chain_of_features_is_followed_to_its_end() {
        let chain =
            |from: &str, to: &[&str]| (from.to_owned(), to.iter().map(|&name| name.to_owned()).collect());
        let features = Features::from([chain("a", &["b"]), chain("b", &["c", "a"]), chain("c", &[])]);
        assert_eq!(shown(&closure(&features, &Set::from(["a".to_owned()]))), "a,b,c");
    }

    #[test]
    fn an_unwanted_dependency_is_named_whole() {
        assert_eq!(
            unwanted("diglot v0.1.0\nhttparse v1.0.0\nhyper v1.12.0 (*)\n\nhyper v1.12.0\n"),
            BTreeSet::from(["hyper"])
        );
    }
}
