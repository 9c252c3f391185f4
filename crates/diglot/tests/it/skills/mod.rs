//! Skills between a client and a server of ours, over every wire and in every era, and what is refused.

mod directory;
mod tampered;

use diglot::server::{Eras, Server, Skill};
use diglot::types::DIRECTORY_TYPE;
use diglot::{Client, Error, Revision};

use crate::wires::WIRES;

const GREET: &str =
    "---\nname: greet\ndescription: Says hello\nmetadata:\n  version: \"2\"\n---\nSay hello.\n";
const REFUNDS: &str = "---\nname: refunds\ndescription: Pays back\n---\nPay back.\n";
const ADDRESS: &str = "skill://greet/SKILL.md";

fn server() -> Server {
    let greet = Skill::new(GREET)
        .file("references/STYLE.md", "Be kind.\n")
        .file("references/deep/MORE.md", "Be very kind.\n")
        .file("data.bin", [0xff, 0x00]);
    let refunds = Skill::new(REFUNDS).prefix("acme/billing");
    Server::new("skills", "1.0.0").skill(greet).skill(refunds)
}

fn builder() -> diglot::ClientBuilder {
    Client::builder("skills", "1.0.0")
}

#[tokio::test]
async fn skills_are_listed_got_and_read_over_every_wire_in_every_revision() {
    for wire in WIRES {
        for revision in Revision::ALL {
            // One entry a page, so that every list has several pages.
            let (client, _kept) = (wire.connect)(builder().revision(*revision), server().page_size(1)).await;
            let client = client.unwrap_or_else(|error| panic!("{} at {revision}: {error}", wire.name));
            let skills = client.skills();
            assert!(skills.is_offered() && skills.lists_directories(), "{} at {revision}", wire.name);
            let list = skills.list().await.unwrap();
            let uris: Vec<&str> = list.iter().map(|skill| skill.uri.as_str()).collect();
            assert_eq!(uris, [ADDRESS, "skill://acme/billing/refunds/SKILL.md"]);
            assert_eq!((list.pages, list.left_out.len()), (2, 0));
            let greet = list.find(ADDRESS).unwrap();
            assert_eq!((greet.name().as_str(), greet.description().as_str()), ("greet", "Says hello"));
            let got = skills.get(ADDRESS).await.unwrap();
            assert_eq!(got.raw.unwrap().get(), greet.raw.as_ref().unwrap().get());
            assert_eq!(skills.load(greet).await.unwrap().text(), Some(GREET));
            let bytes = skills.read(greet, "data.bin").await.unwrap();
            assert_eq!(bytes.bytes, [0xff, 0x00]);
            assert_eq!(bytes.mime_type.as_deref(), Some("application/octet-stream"));
            let children = skills.directory("skill://greet").await.unwrap();
            let children: Vec<(&str, Option<&str>)> =
                children.iter().map(|child| (child.uri.as_str(), child.mime_type.as_deref())).collect();
            assert_eq!(
                children,
                [
                    (ADDRESS, Some("text/markdown")),
                    ("skill://greet/data.bin", Some("application/octet-stream")),
                    ("skill://greet/references", Some(DIRECTORY_TYPE)),
                ]
            );
            client.close().await;
        }
    }
}

async fn connected(server: Server) -> Client {
    let transport = diglot::transport::MemoryTransport::new(move || {
        let (client, end) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(end);
        tokio::spawn(server.clone().serve_pipe(reader, writer));
        client
    });
    builder().connect(transport).await.unwrap()
}

fn code(error: &Error) -> Option<i64> {
    match error {
        Error::Rpc(error) => Some(error.code),
        _ => None,
    }
}

#[tokio::test]
async fn what_is_not_served_is_an_error_of_the_parameters() {
    let client = connected(server()).await;
    let skills = client.skills();
    for uri in ["skill://none/SKILL.md", "skill://greet/references/STYLE.md", "skill://greet"] {
        assert_eq!(code(&skills.get(uri).await.unwrap_err()), Some(-32602), "{uri}");
    }
    for uri in [ADDRESS, "skill://greet/none", "skill://", "skill:/", "skill:", "", "skill://greet/"] {
        assert_eq!(code(&skills.directory(uri).await.unwrap_err()), Some(-32602), "{uri}");
    }
    for uri in ["skill://greet/../greet/SKILL.md", "skill://greet/none.md", "skill://greet/references"] {
        assert_eq!(code(&client.read_resource(uri).await.unwrap_err()), Some(-32602), "{uri}");
    }
    let request = client.request("resources/directory/read", None).await;
    assert_eq!(code(&request.unwrap_err()), Some(-32602));
}

#[tokio::test]
async fn the_file_of_a_skill_is_a_resource_too_and_its_other_files_are_not_listed() {
    let client = connected(server()).await;
    let resources = client.list_resources().await.unwrap();
    let resource = resources.find(ADDRESS).unwrap();
    assert_eq!((resource.name.as_str(), resource.description.as_deref()), ("greet", Some("Says hello")));
    assert_eq!(resource.mime_type.as_deref(), Some("text/markdown"));
    assert_eq!(resources.len(), 2);
    let read = client.read_resource("skill://greet/references/STYLE.md").await.unwrap();
    assert_eq!(read.contents[0].as_text(), Some("Be kind.\n"));
}

#[tokio::test]
async fn skills_come_and_go_while_the_server_runs() {
    let server = server();
    let client = connected(server.clone()).await;
    let skills = client.skills();
    assert!(server.remove_skill(ADDRESS) && !server.remove_skill(ADDRESS));
    assert_eq!(skills.list().await.unwrap().len(), 1);
    assert_eq!(code(&client.read_resource(ADDRESS).await.unwrap_err()), Some(-32602));
    server.add_skill(Skill::new(GREET)).unwrap();
    assert_eq!(skills.list().await.unwrap().len(), 2);
    assert_eq!(skills.load(&skills.get(ADDRESS).await.unwrap()).await.unwrap().text(), Some(GREET));
}

#[tokio::test]
async fn a_server_without_skills_declares_none_and_is_not_asked() {
    let client = connected(Server::new("plain", "1.0.0").eras(Eras::Modern)).await;
    let skills = client.skills();
    assert!(!skills.is_offered() && !skills.lists_directories());
    let error = skills.list().await.unwrap_err();
    assert!(matches!(&error, Error::Skill(_)), "{error}");
    // Who asks all the same hears that there is no such method.
    assert_eq!(code(&client.request("skills/list", None).await.unwrap_err()), Some(-32601));
}
