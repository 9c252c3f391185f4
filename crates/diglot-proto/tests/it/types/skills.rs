//! What a server says of a skill, and the rules that it keeps.

use diglot_proto::types::{ListSkillsResult, Skill, SkillResources, is_skill_name};
use serde_json::value::RawValue;
use serde_json::{Value, json, value::to_raw_value};

const URI: &str = "skill://acme/refunds/SKILL.md";

fn entry() -> Value {
    let digest = format!("sha256:{}", "0a".repeat(32));
    json!({
        "uri": URI,
        "frontmatter": { "name": "refunds", "description": "Pays back", "license": "MIT" },
        "resources": [
            { "uri": URI, "digest": digest, "size": 7 },
            { "uri": "skill://acme/refunds/examples/email.md", "digest": digest, "size": 9 },
        ],
    })
}

fn raw(value: &Value) -> Box<RawValue> {
    to_raw_value(value).unwrap()
}

fn read(value: &Value) -> Skill {
    Skill::read(&raw(value)).unwrap()
}

#[test]
fn an_entry_comes_out_as_it_went_in() {
    let skill = read(&entry());
    assert_eq!((skill.name().as_str(), skill.description().as_str()), ("refunds", "Pays back"));
    assert_eq!(skill.root(), "skill://acme/refunds");
    assert_eq!(skill.find(URI).unwrap().size, 7);
    assert_eq!(serde_json::to_value(&skill).unwrap(), entry());
    skill.check().unwrap();
}

#[test]
fn files_that_change_by_themselves_are_a_word() {
    let mut value = entry();
    value["resources"] = json!("dynamic");
    let skill = read(&value);
    assert!(matches!(skill.resources, SkillResources::Dynamic));
    assert_eq!(serde_json::to_value(&skill).unwrap(), value);
    skill.check().unwrap();
}

#[test]
fn an_entry_without_files_is_left_out_and_does_not_lose_the_others() {
    let mut odd = entry();
    odd.as_object_mut().unwrap().remove("resources");
    let mut worse = entry();
    worse["resources"][1]["size"] = json!("9");
    let list = ListSkillsResult::read(&raw(&json!({ "skills": [odd, worse, entry()] }))).unwrap();
    assert_eq!((list.skills.len(), list.left_out.len()), (1, 2));
}

#[test]
fn an_entry_that_breaks_a_rule_is_known_by_its_member() {
    let changes: [(&str, Value, &str); 9] = [
        ("/uri", json!("skill://acme/refunds/README.md"), "uri"),
        ("/uri", json!("skill://acme/Refunds/SKILL.md"), "uri"),
        ("/uri", json!("refunds/SKILL.md"), "uri"),
        ("/frontmatter/name", json!("payments"), "frontmatter"),
        ("/frontmatter/description", json!(""), "frontmatter"),
        ("/resources/0/uri", json!("skill://acme/refunds/OTHER.md"), "resources"),
        ("/resources/1/uri", json!("skill://acme/refunds/../secret.md"), "resources"),
        ("/resources/1/uri", json!(URI), "resources"),
        ("/resources/1/digest", json!("sha256:ABC"), "resources"),
    ];
    for (place, value, member) in changes {
        let mut changed = entry();
        *changed.pointer_mut(place).unwrap() = value;
        assert_eq!(read(&changed).check().unwrap_err().member, member, "{place}");
    }
}

#[test]
fn a_name_is_of_lower_case_letters_digits_and_single_hyphens() {
    for name in ["a", "pdf-processing", "x2", "7", &"a".repeat(64)] {
        assert!(is_skill_name(name), "{name}");
    }
    for name in ["", "-a", "a-", "a--b", "A", "a_b", "a b", "ä", &"a".repeat(65)] {
        assert!(!is_skill_name(name), "{name}");
    }
}
