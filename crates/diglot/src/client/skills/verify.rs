//! The content of a skill's file against what the skill says of it.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use diglot_proto::types::{ReadResourceResult, ResourceContents, Skill, SkillResources};
use serde_json::{Map, Value};

use super::contents::SkillContents;
use crate::error::SkillFault;
use crate::limits::Limits;
use crate::skill;

/// Whether a file may be asked for: one that the skill lists, of a skill that is within the limits.
pub(super) fn may_be_read(skill: &Skill, uri: &str, limits: &Limits) -> Result<(), SkillFault> {
    skill.check().map_err(SkillFault::Entry)?;
    let SkillResources::Listed(files) = &skill.resources else {
        // Nothing is known of the files of a skill that makes them as they are read, but where they are.
        return if skill.contains(uri) { Ok(()) } else { Err(SkillFault::Unlisted) };
    };
    if files.len() > limits.skill_files {
        let limit = u64::try_from(limits.skill_files).unwrap_or(u64::MAX);
        return Err(SkillFault::OverLimit("files", limit));
    }
    let total = files.iter().fold(0_u64, |total, file| total.saturating_add(file.size));
    if total > limits.skill_bytes {
        return Err(SkillFault::OverLimit("bytes", limits.skill_bytes));
    }
    skill.find(uri).map(drop).ok_or(SkillFault::Unlisted)
}

/// Takes the file out of what came, and verifies it.
pub(super) fn contents(
    skill: &Skill,
    uri: &str,
    result: ReadResourceResult,
    limits: &Limits,
) -> Result<SkillContents, SkillFault> {
    let found = result.contents.into_iter().find(|contents| contents.uri() == uri);
    let (mime_type, bytes) = match found.ok_or(SkillFault::OtherContents)? {
        ResourceContents::Text(contents) => (contents.mime_type, contents.text.into_bytes()),
        ResourceContents::Blob(contents) => {
            (contents.mime_type, decode(&contents.blob).ok_or(SkillFault::NotBase64)?)
        }
        _ => return Err(SkillFault::OtherContents),
    };
    let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    match skill.find(uri) {
        Some(said) if said.size != size => {
            return Err(SkillFault::Size { said: said.size, found: size });
        }
        Some(said) => {
            let found = skill::digest(&bytes);
            if said.digest != found {
                return Err(SkillFault::Digest { said: said.digest.clone(), found });
            }
        }
        None if size > limits.skill_bytes => {
            return Err(SkillFault::OverLimit("bytes", limits.skill_bytes));
        }
        None => {}
    }
    if uri == skill.uri {
        frontmatter(skill, &bytes)?;
    }
    Ok(SkillContents { uri: uri.to_owned(), mime_type, bytes })
}

/// Compares the frontmatter of `SKILL.md` with that of the entry, member by member.
fn frontmatter(skill: &Skill, file: &[u8]) -> Result<(), SkillFault> {
    let found = skill::read(file).map_err(SkillFault::Unreadable)?;
    let said: Map<String, Value> = serde_json::from_str(skill.frontmatter.get()).unwrap_or_default();
    let members = said.keys().chain(found.keys());
    let differs = |member: &&String| match (said.get(*member), found.get(*member)) {
        (Some(said), Some(found)) => !is_same(said, found),
        _ => true,
    };
    match members.into_iter().find(differs) {
        Some(member) => Err(SkillFault::Frontmatter { member: member.clone() }),
        None => Ok(()),
    }
}

/// Whether two values are the same; a number is, however it is written: YAML's `1.0` is JSON's `1` in some languages.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, one)| other.get(name).is_some_and(|other| is_same(one, other)))
        }
        _ => one == other,
    }
}

/// Decodes Base64, with padding or without.
fn decode(text: &str) -> Option<Vec<u8>> {
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    GeneralPurpose::new(&STANDARD, config).decode(text).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::to_raw_value;

    use super::*;

    const URI: &str = "skill://greet/SKILL.md";
    const TEXT: &str = "---\nname: greet\ndescription: Says hello\nmetadata:\n  version: 1.0\n---\nHello.\n";

    fn skill(frontmatter: Value, text: &str) -> Skill {
        let resources = json!([{ "uri": URI, "digest": skill::digest(text.as_bytes()), "size": text.len() }]);
        let entry = json!({ "uri": URI, "frontmatter": frontmatter, "resources": resources });
        Skill::read(&to_raw_value(&entry).unwrap()).unwrap()
    }

    fn plain() -> Value {
        json!({ "name": "greet", "description": "Says hello", "metadata": { "version": 1 } })
    }

    fn verified(skill: &Skill, text: &str) -> Result<SkillContents, SkillFault> {
        let result = ReadResourceResult::new([ResourceContents::text(URI, text)]);
        contents(skill, URI, result, &Limits::default())
    }

    #[test]
    fn what_is_as_it_was_said_is_accepted() {
        let contents = verified(&skill(plain(), TEXT), TEXT).unwrap();
        assert_eq!((contents.uri.as_str(), contents.text()), (URI, Some(TEXT)));
    }

    #[test]
    fn another_size_digest_or_frontmatter_is_named() {
        let longer = format!("{TEXT}!");
        let other = TEXT.replace("Hello.", "Howdy.");
        let skill_of = |frontmatter| skill(frontmatter, TEXT);
        assert!(matches!(
            verified(&skill_of(plain()), &longer),
            Err(SkillFault::Size { said, found }) if found == said + 1
        ));
        assert!(matches!(verified(&skill_of(plain()), &other), Err(SkillFault::Digest { .. })));
        for (pointer, value, member) in [
            ("/description", json!("Says bye"), "description"),
            ("/metadata/version", json!("1"), "metadata"),
        ] {
            let mut changed = plain();
            *changed.pointer_mut(pointer).unwrap() = value;
            let fault = verified(&skill_of(changed), TEXT).unwrap_err();
            assert!(
                matches!(&fault, SkillFault::Frontmatter { member: named } if named == member),
                "{fault:?}"
            );
        }
        let mut more = plain();
        more["license"] = json!("MIT");
        let fault = verified(&skill_of(more), TEXT).unwrap_err();
        assert!(matches!(&fault, SkillFault::Frontmatter { member } if member == "license"), "{fault:?}");
    }

    #[test]
    fn a_skill_file_without_frontmatter_is_none() {
        let text = "Hello.";
        let fault = verified(&skill(plain(), text), text).unwrap_err();
        assert!(matches!(fault, SkillFault::Unreadable(_)), "{fault:?}");
    }

    #[test]
    fn only_what_the_skill_lists_may_be_read_and_only_within_the_limits() {
        let skill = skill(plain(), TEXT);
        let limits = Limits::default();
        may_be_read(&skill, URI, &limits).unwrap();
        for uri in ["skill://greet/OTHER.md", "skill://greet/../SKILL.md", "file:///etc/passwd"] {
            assert!(matches!(may_be_read(&skill, uri, &limits), Err(SkillFault::Unlisted)), "{uri}");
        }
        for limits in [Limits::default().skill(0, 1_000), Limits::default().skill(1, 10)] {
            assert!(matches!(may_be_read(&skill, URI, &limits), Err(SkillFault::OverLimit(..))));
        }
    }

    #[test]
    fn bytes_come_as_base_64() {
        assert_eq!(decode("aGk=").as_deref(), Some(&b"hi"[..]));
        assert_eq!(decode("aGk").as_deref(), Some(&b"hi"[..]));
        assert_eq!(decode("a?"), None);
    }
}
