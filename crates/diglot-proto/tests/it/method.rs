//! The table of methods against the unions of the schemas (`ClientRequest`, `ServerNotification`, …).

use diglot_proto::method::{Direction, Kind, Method, SKILLS_EXTENSION, TASKS_EXTENSION};
use diglot_proto::version::Revision;

/// Lists what may be sent in one direction at a revision, sorted, without the methods of extensions.
fn sent(revision: Revision, kind: Kind, fits: fn(Direction) -> bool) -> Vec<&'static str> {
    let modern = revision >= Revision::V2026_07_28;
    let mut names: Vec<_> = Method::ALL
        .iter()
        .filter(|method| method.kind() == kind && method.direction(revision).is_some_and(fits))
        .filter(|method| !modern || method.extension().is_none())
        .filter(|method| method.extension() != Some(SKILLS_EXTENSION))
        .map(|method| method.as_str())
        .collect();
    names.sort_unstable();
    names
}

fn sorted<const N: usize>(mut names: [&'static str; N]) -> Vec<&'static str> {
    names.sort_unstable();
    names.to_vec()
}

#[test]
fn every_name_leads_back_to_its_method() {
    for method in Method::ALL {
        assert_eq!(Method::parse(method.as_str()), Some(*method));
        assert_eq!(method.as_str().starts_with("notifications/"), method.kind() == Kind::Notification);
    }
    for name in ["", "tools/Call", "tools", "notifications/", "rpc.discover"] {
        assert_eq!(Method::parse(name), None, "{name}");
    }
}

#[test]
fn a_modern_client_sends_what_the_schema_says() {
    let revision = Revision::V2026_07_28;
    assert_eq!(
        sent(revision, Kind::Request, Direction::is_to_server),
        sorted([
            "server/discover",
            "completion/complete",
            "prompts/get",
            "prompts/list",
            "resources/list",
            "resources/templates/list",
            "resources/read",
            "subscriptions/listen",
            "tools/call",
            "tools/list",
        ])
    );
    assert_eq!(sent(revision, Kind::Notification, Direction::is_to_server), ["notifications/cancelled"]);
}

#[test]
fn a_modern_server_sends_notifications_and_no_requests() {
    let revision = Revision::V2026_07_28;
    assert!(sent(revision, Kind::Request, Direction::is_to_client).is_empty());
    assert_eq!(
        sent(revision, Kind::Notification, Direction::is_to_client),
        sorted([
            "notifications/cancelled",
            "notifications/progress",
            "notifications/message",
            "notifications/resources/updated",
            "notifications/resources/list_changed",
            "notifications/tools/list_changed",
            "notifications/prompts/list_changed",
            "notifications/subscriptions/acknowledged",
        ])
    );
}

#[test]
fn the_first_revision_has_what_its_schema_says() {
    let revision = Revision::V2024_11_05;
    assert_eq!(
        sent(revision, Kind::Request, Direction::is_to_server),
        sorted([
            "ping",
            "initialize",
            "completion/complete",
            "logging/setLevel",
            "prompts/get",
            "prompts/list",
            "resources/list",
            "resources/templates/list",
            "resources/read",
            "resources/subscribe",
            "resources/unsubscribe",
            "tools/call",
            "tools/list",
        ])
    );
    assert_eq!(
        sent(revision, Kind::Notification, Direction::is_to_server),
        sorted([
            "notifications/cancelled",
            "notifications/progress",
            "notifications/initialized",
            "notifications/roots/list_changed",
        ])
    );
    assert_eq!(
        sent(revision, Kind::Request, Direction::is_to_client),
        sorted(["ping", "sampling/createMessage", "roots/list"])
    );
    assert_eq!(
        sent(revision, Kind::Notification, Direction::is_to_client),
        sorted([
            "notifications/cancelled",
            "notifications/progress",
            "notifications/message",
            "notifications/resources/updated",
            "notifications/resources/list_changed",
            "notifications/tools/list_changed",
            "notifications/prompts/list_changed",
        ])
    );
}

#[test]
fn each_legacy_revision_adds_what_its_schema_adds() {
    let all = |revision: Revision| -> Vec<&str> {
        Method::ALL
            .iter()
            .filter(|method| method.direction(revision).is_some())
            .map(|method| method.as_str())
            .collect()
    };
    let added = |older: Revision, newer: Revision| -> Vec<&str> {
        let before = all(older);
        assert!(before.iter().all(|name| all(newer).contains(name)), "no legacy revision lost a method");
        all(newer).into_iter().filter(|name| !before.contains(name)).collect()
    };
    assert!(added(Revision::V2024_11_05, Revision::V2025_03_26).is_empty());
    assert_eq!(added(Revision::V2025_03_26, Revision::V2025_06_18), ["elicitation/create"]);
    assert_eq!(
        added(Revision::V2025_06_18, Revision::V2025_11_25),
        [
            "notifications/elicitation/complete",
            "tasks/get",
            "tasks/cancel",
            "tasks/result",
            "tasks/list",
            "notifications/tasks/status",
        ]
    );
}

#[test]
fn tasks_went_both_ways_and_belong_to_an_extension_now() {
    let both = ["tasks/get", "tasks/cancel", "tasks/result", "tasks/list", "notifications/tasks/status"];
    for name in both {
        let method = Method::parse(name).expect("a method");
        assert_eq!(method.direction(Revision::V2025_11_25), Some(Direction::Both), "{name}");
    }
    let extension: Vec<_> =
        Method::ALL.iter().filter(|method| method.extension() == Some(TASKS_EXTENSION)).collect();
    assert_eq!(extension, [&Method::GetTask, &Method::UpdateTask, &Method::CancelTask, &Method::TaskUpdated]);
    for method in extension {
        assert!(method.direction(Revision::V2026_07_28).is_some());
    }
}

#[test]
fn input_requests_are_messages_in_the_legacy_era_only() {
    let input: Vec<_> = Method::ALL.iter().filter(|method| method.is_input_request()).collect();
    assert_eq!(input, [&Method::CreateMessage, &Method::ListRoots, &Method::Elicit]);
    for method in input {
        assert_eq!(method.direction(Revision::V2025_11_25), Some(Direction::ToClient));
        assert_eq!(method.direction(Revision::V2026_07_28), None);
    }
}

#[test]
fn only_requests_that_read_are_safe_to_repeat() {
    let safe: Vec<_> =
        Method::ALL.iter().filter(|method| method.safe()).map(|method| method.as_str()).collect();
    assert_eq!(
        safe,
        [
            "server/discover",
            "ping",
            "tools/list",
            "resources/list",
            "resources/templates/list",
            "resources/read",
            "prompts/list",
            "prompts/get",
            "completion/complete",
            "roots/list",
            "tasks/get",
            "tasks/result",
            "tasks/list",
            "skills/list",
            "skills/get",
            "resources/directory/read",
        ]
    );
}

#[test]
fn skills_are_an_extension_in_every_revision() {
    let skills: Vec<_> =
        Method::ALL.iter().filter(|method| method.extension() == Some(SKILLS_EXTENSION)).collect();
    assert_eq!(skills, [&Method::ListSkills, &Method::GetSkill, &Method::ReadDirectory]);
    for method in skills {
        for revision in Revision::ALL {
            assert_eq!(method.direction(*revision), Some(Direction::ToServer));
        }
    }
}
