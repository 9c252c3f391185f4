//! Content that is not what the server said of it.

use diglot::error::SkillFault;
use diglot::server::{Resource, Server};
use diglot::{Client, Error};

use super::{ADDRESS, GREET, connected, server};

/// Loads the skill from a server that sends another text for one of its files.
async fn read(file: &'static str, text: &'static str) -> (Client, Result<(), Error>) {
    let server: Server = server();
    // What is offered as a plain resource comes before what a skill has at the same address.
    server.add_resource(Resource::text(format!("skill://greet/{file}"), "other", text));
    let client = connected(server).await;
    let skills = client.skills();
    let skill = skills.get(ADDRESS).await.unwrap();
    let outcome = skills.read(&skill, file).await.map(drop);
    (client, outcome)
}

async fn fault(file: &'static str, text: &'static str) -> (SkillFault, String) {
    match read(file, text).await.1.unwrap_err() {
        Error::Skill(refused) => (refused.fault.clone(), refused.to_string()),
        error => panic!("{error}"),
    }
}

#[tokio::test]
async fn another_size_is_refused_and_named() {
    let (fault, text) = fault("SKILL.md", "longer than it was").await;
    assert!(matches!(fault, SkillFault::Size { found: 18, .. }), "{fault:?}");
    assert_eq!(text, format!("{ADDRESS} has 18 bytes, and the skill says {}", GREET.len()));
}

#[tokio::test]
async fn another_content_of_the_same_size_is_refused_and_named() {
    let (fault, text) = fault("references/STYLE.md", "Be rude.\n").await;
    assert!(matches!(fault, SkillFault::Digest { .. }), "{fault:?}");
    assert!(text.starts_with("skill://greet/references/STYLE.md has the digest sha256:"), "{text}");
}

#[tokio::test]
async fn a_file_that_the_skill_does_not_list_is_not_even_asked_for() {
    for file in ["NEW.md", "../greet/SKILL.md"] {
        let (unlisted, _) = fault(file, "New.").await;
        assert!(matches!(unlisted, SkillFault::Unlisted), "{unlisted:?}");
    }
}

#[tokio::test]
async fn a_skill_that_changed_is_read_once_it_is_got_again() {
    let server = server();
    let client = connected(server.clone()).await;
    let skills = client.skills();
    let held = skills.get(ADDRESS).await.unwrap();
    let text = GREET.replace("Say hello.", "Say hi.");
    server.add_skill(diglot::server::Skill::new(text.as_str())).unwrap();
    assert!(matches!(skills.load(&held).await, Err(Error::Skill(_))));
    let fresh = skills.get(ADDRESS).await.unwrap();
    assert_eq!(skills.load(&fresh).await.unwrap().text(), Some(text.as_str()));
}
