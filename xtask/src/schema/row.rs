//! The rows of the registry, in a form that tests can make too.

use diglot_proto::types::Member;
use diglot_proto::types::registry::{ALL, Claim};
use diglot_proto::version::Revision;
use serde_json::value::RawValue;

/// Says what claims a definition in some revisions.
pub struct Row {
    pub name: String,
    pub revisions: Vec<String>,
    /// The type that claims it; nothing where a reason excuses it.
    pub claimed: Option<Claimed>,
}

/// A type, and what it knows.
pub struct Claimed {
    pub type_name: String,
    /// The members that lead to the part of the definition that the type is.
    pub at: Vec<String>,
    pub members: Vec<Known>,
    pub roundtrip: fn(&RawValue) -> Result<String, String>,
}

/// A member that a type knows.
#[derive(Clone, Default)]
pub struct Known {
    pub name: String,
    pub members: Vec<Known>,
    /// The value that means the same as none, or nothing where there is none.
    pub same_as_absent: String,
    pub is_passed: bool,
}

impl Row {
    pub fn has(&self, revision: &str) -> bool {
        self.revisions.iter().any(|own| own == revision)
    }
}

/// Returns the rows of the project's own registry.
pub fn registry() -> Vec<Row> {
    let revisions = |row: &diglot_proto::types::registry::Definition| {
        let all = Revision::ALL.iter().filter(|revision| row.revisions.contains(revision));
        all.map(|revision| revision.as_str().to_owned()).collect()
    };
    let claimed = |claim: &Claim| match claim {
        Claim::Type(claimed) => Some(Claimed {
            type_name: claimed.type_name.to_owned(),
            at: claimed.at.iter().map(|&name| name.to_owned()).collect(),
            members: claimed.members.iter().map(known).collect(),
            roundtrip: claimed.roundtrip,
        }),
        _ => None,
    };
    let rows = ALL.iter().map(|row| Row {
        name: row.name.to_owned(),
        revisions: revisions(row),
        claimed: claimed(&row.claim),
    });
    rows.collect()
}

/// Finds the row that claims a definition in a revision.
pub fn find<'a>(rows: &'a [Row], name: &str, revision: &str) -> Option<&'a Row> {
    rows.iter().find(|row| row.name == name && row.has(revision))
}

fn known(member: &Member) -> Known {
    Known {
        name: member.name.to_owned(),
        members: member.members.iter().map(known).collect(),
        same_as_absent: member.same_as_absent.to_owned(),
        is_passed: member.is_passed,
    }
}
