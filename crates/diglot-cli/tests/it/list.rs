//! `diglot list`: the tools as they came, and what had to be left out.

use serde_json::json;

use crate::run::{LEGACY, run};

#[test]
fn scripts_get_every_tool_as_it_came() {
    let ran = run(&["list", "--json", "--", "sh", "-c", LEGACY]);
    let object = ran.json();
    assert_eq!(ran.exit, 0, "{}", ran.told());
    let names: Vec<_> = object["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["echo", "fail", "picture"]);
    assert_eq!(object["leftOut"], json!([{"index": 1, "name": null, "reason": "it has no name"}]));
}

#[test]
fn people_get_a_table_and_a_warning() {
    let ran = run(&["list", "tools", "--", "sh", "-c", LEGACY]);
    assert_eq!(ran.stdout, "echo     Echo: Gives back.\nfail\npicture\n", "{}", ran.told());
    assert_eq!(ran.stderr, "warning: item 1 is left out: it has no name\n");
}

#[test]
fn every_kind_of_item_can_be_listed() {
    let ran = run(&["list", "--json", "prompts", "--", "sh", "-c", LEGACY]);
    // The scripted server knows no prompts, and says so as servers do.
    assert_eq!(ran.exit, 1, "{}", ran.told());
    assert_eq!(ran.json()["error"]["kind"], "protocol-error");
    let ran = run(&["list", "pets", "--", "sh", "-c", LEGACY]);
    assert_eq!(ran.exit, 2, "{}", ran.told());
    assert!(ran.stderr.contains("tools, resources, prompts, templates"), "{}", ran.told());
}
