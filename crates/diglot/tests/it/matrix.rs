//! The compatibility matrix of the specification (`basic/versioning`), every cell over every transport, with both ends
//! our own.
//!
//! A transport is one row of [`WIRES`]; what is expected of a cell depends on the eras alone.

use diglot::server::{Eras, Server};
use diglot::{Client, Context, Era, Error, Mode, Revision, Tool};
use serde_json::json;

use crate::wires::{Connecting, WIRES, Wire};

/// The client's side of the matrix.
#[derive(Clone, Copy, Debug)]
enum Asker {
    Modern,
    /// A legacy client, at its only revision.
    Legacy(Revision),
    Dual,
}

const ASKERS: [Asker; 6] = [
    Asker::Modern,
    Asker::Legacy(Revision::V2024_11_05),
    Asker::Legacy(Revision::V2025_03_26),
    Asker::Legacy(Revision::V2025_06_18),
    Asker::Legacy(Revision::V2025_11_25),
    Asker::Dual,
];

const SERVERS: [Eras; 3] = [Eras::Modern, Eras::Legacy, Eras::Both];

/// What a cell says: the revision at which it works, or nothing where it fails.
#[rustfmt::skip]
fn expected(asker: Asker, server: Eras) -> Option<Revision> {
    match (asker, server) {
        (Asker::Modern,           Eras::Legacy) => None,
        (Asker::Modern,           _           ) => Some(Revision::V2026_07_28),
        (Asker::Legacy(_),        Eras::Modern) => None,
        (Asker::Legacy(revision), _           ) => Some(revision),
        (Asker::Dual,             Eras::Legacy) => Some(Revision::V2025_11_25),
        (Asker::Dual,             _           ) => Some(Revision::V2026_07_28),
    }
}

async fn revision(cx: Context) -> String {
    cx.revision().to_string()
}

fn server(eras: Eras) -> Server {
    Server::new("matrix", "1").eras(eras).tool(Tool::new("revision", revision))
}

fn connect(asker: Asker, wire: &Wire, server: Server) -> Connecting {
    let builder = Client::builder("matrix", "1");
    let builder = match asker {
        Asker::Modern => builder.mode(Mode::Modern),
        Asker::Legacy(revision) => builder.mode(Mode::Legacy).revision(revision),
        Asker::Dual => builder.mode(Mode::Auto),
    };
    (wire.connect)(builder, server)
}

#[tokio::test]
async fn every_cell_has_the_outcome_of_the_specification() {
    for wire in WIRES {
        for asker in ASKERS {
            for eras in SERVERS {
                let cell = format!("{asker:?} client, {eras:?} server, {}", wire.name);
                let (client, _kept) = connect(asker, wire, server(eras)).await;
                match (client, expected(asker, eras)) {
                    (Ok(client), Some(revision)) => works(&client, revision, &cell).await,
                    (Err(error), None) => {
                        assert!(matches!(error, Error::Incompatible(_)), "{cell}: {error:?}")
                    }
                    (client, revision) => panic!("{cell}: {revision:?} expected, and got {client:?}"),
                }
            }
        }
    }
}

async fn works(client: &Client, revision: Revision, cell: &str) {
    assert_eq!(client.revision(), revision, "{cell}");
    assert_eq!(client.list_tools().await.unwrap().len(), 1, "{cell}");
    let seen = client.call_tool("revision", json!({})).await.unwrap();
    assert_eq!(seen.text(), revision.as_str(), "{cell}");
}

#[tokio::test]
async fn a_dual_client_takes_the_only_revision_of_an_old_server() {
    for wire in WIRES {
        for asker in ASKERS {
            let Asker::Legacy(revision) = asker else { continue };
            let old = server(Eras::Legacy).legacy_revisions(&[revision]);
            let (client, _kept) = connect(Asker::Dual, wire, old).await;
            works(&client.unwrap(), revision, wire.name).await;
        }
    }
}

#[tokio::test]
async fn a_failure_names_what_the_other_side_speaks() {
    for wire in WIRES {
        for (asker, eras, word) in [
            (Asker::Modern, Eras::Legacy, "legacy"),
            (Asker::Legacy(Revision::V2025_11_25), Eras::Modern, "2026-07-28"),
        ] {
            let (client, _kept) = connect(asker, wire, server(eras)).await;
            let error = client.unwrap_err().to_string();
            assert!(error.contains(word), "{}: {error}", wire.name);
        }
    }
}

#[tokio::test]
async fn every_client_meets_every_server_of_one_old_revision() {
    for wire in WIRES {
        for asker in ASKERS {
            for &only in Revision::ALL.iter().filter(|revision| revision.era() == Era::Legacy) {
                let cell = format!("{asker:?} client, {only} server, {}", wire.name);
                let old = server(Eras::Legacy).legacy_revisions(&[only]);
                let (client, _kept) = connect(asker, wire, old).await;
                let works_at = match asker {
                    Asker::Modern => None,
                    Asker::Legacy(revision) => Some(revision).filter(|revision| *revision == only),
                    Asker::Dual => Some(only),
                };
                match (client, works_at) {
                    (Ok(client), Some(revision)) => works(&client, revision, &cell).await,
                    (Err(Error::Incompatible(_)), None) => {}
                    (client, revision) => panic!("{cell}: {revision:?} expected, and got {client:?}"),
                }
            }
        }
    }
}
