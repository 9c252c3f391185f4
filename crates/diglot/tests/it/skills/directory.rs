//! Skills that lie in the file system.

use std::fs;
use std::path::Path;

use diglot::server::{Server, Skill, SkillError};
use tempfile::TempDir;

use super::{GREET, REFUNDS, connected};

/// Writes files below a new directory.
fn tree(files: &[(&str, &[u8])]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    root
}

fn fault(path: &Path) -> SkillError {
    Skill::directory(path).and_then(|skill| Server::new("s", "1").add_skill(skill)).unwrap_err()
}

#[tokio::test]
async fn every_directory_with_a_skill_file_is_a_skill_and_the_way_to_it_its_address() {
    let inner = GREET.replace("name: greet", "name: inner");
    let root = tree(&[
        ("greet/SKILL.md", GREET.as_bytes()),
        ("greet/references/A.md", b"a"),
        ("greet/nested/inner/SKILL.md", inner.as_bytes()),
        ("acme/billing/refunds/SKILL.md", REFUNDS.as_bytes()),
        ("acme/README.md", b"no skill"),
        ("greet/.env", b"SECRET=1"),
        ("greet/.git/config", b"secret"),
    ]);
    let client = connected(Server::new("s", "1").skills_directory(root.path()).unwrap()).await;
    let list = client.skills().list().await.unwrap();
    let uris: Vec<&str> = list.iter().map(|skill| skill.uri.as_str()).collect();
    assert_eq!(
        uris,
        [
            "skill://acme/billing/refunds/SKILL.md",
            "skill://greet/SKILL.md",
            "skill://greet/nested/inner/SKILL.md",
        ]
    );
    // The files of a nested skill are files of the one around it, and what begins with a dot is of none.
    let files: Vec<String> = match &list[1].resources {
        diglot::types::SkillResources::Listed(files) => files.iter().map(|file| file.uri.clone()).collect(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        files,
        ["skill://greet/SKILL.md", "skill://greet/nested/inner/SKILL.md", "skill://greet/references/A.md",]
    );
    for skill in list.iter() {
        client.skills().load(skill).await.unwrap();
    }
    assert!(client.read_resource("skill://greet/.env").await.is_err());
}

#[test]
fn the_name_is_that_of_the_directory() {
    let root = tree(&[("hello/SKILL.md", GREET.as_bytes())]);
    let error = fault(&root.path().join("hello"));
    assert!(matches!(error, SkillError::Name { .. }), "{error}");
    assert!(error.to_string().contains("\"hello\""), "{error}");
}

#[test]
fn a_directory_without_a_skill_is_an_error() {
    let root = tree(&[("a/README.md", b"")]);
    assert!(matches!(fault(&root.path().join("a")), SkillError::NoSkillFile));
    assert!(matches!(fault(&root.path().join("none")), SkillError::Io { .. }));
    let error = Server::new("s", "1").skills_directory(root.path()).unwrap_err();
    assert!(matches!(error, SkillError::NoSkill { .. }), "{error}");
}

#[test]
fn too_much_is_refused_before_it_is_read() {
    let root = tree(&[("greet/SKILL.md", GREET.as_bytes())]);
    let path = root.path().join("greet");
    // A file with a hole has a size and no content.
    fs::File::create(path.join("huge.bin")).unwrap().set_len(1 << 40).unwrap();
    assert!(matches!(fault(&path), SkillError::TooLarge { .. }));
    fs::remove_file(path.join("huge.bin")).unwrap();
    for at in 0..512 {
        fs::write(path.join(format!("{at}.md")), "").unwrap();
    }
    assert!(matches!(fault(&path), SkillError::TooManyFiles { .. }));
}

#[cfg(unix)]
#[test]
fn a_link_leads_to_a_file_of_the_skill_or_nowhere() {
    use std::os::unix::fs::symlink;

    let root = tree(&[("greet/SKILL.md", GREET.as_bytes()), ("greet/docs/a.md", b"a"), ("secret.md", b"no")]);
    let path = root.path().join("greet");
    symlink("docs/a.md", path.join("b.md")).unwrap();
    Skill::directory(&path).unwrap();
    for (target, name) in
        [("../secret.md", "out.md"), ("/etc/passwd", "far.md"), ("docs", "folder"), ("..", "up")]
    {
        symlink(target, path.join(name)).unwrap();
        assert!(matches!(fault(&path), SkillError::Outside { .. }), "{target}");
        fs::remove_file(path.join(name)).unwrap();
    }
    symlink("nowhere", path.join("broken.md")).unwrap();
    assert!(matches!(fault(&path), SkillError::Io { .. }));
}
