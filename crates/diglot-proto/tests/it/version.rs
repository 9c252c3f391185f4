//! Revisions: order, eras, and what foreign words mean.

use diglot_proto::version::{Era, Revision, VersionWord};

#[test]
fn every_revision_reads_back_from_its_own_name() {
    for revision in Revision::ALL {
        assert_eq!(revision.as_str().parse(), Ok(*revision));
    }
}

#[test]
fn only_the_newest_revision_is_modern() {
    let modern: Vec<_> = Revision::ALL.iter().filter(|r| r.era() == Era::Modern).collect();
    assert_eq!(modern, [&Revision::V2026_07_28]);
    assert_eq!(Revision::LATEST_LEGACY.era(), Era::Legacy);
}

#[test]
fn an_unknown_revision_names_what_was_given_and_what_is_known() {
    let error = "2025-01-01".parse::<Revision>().unwrap_err().to_string();
    assert_eq!(
        error,
        "\"2025-01-01\" is not a revision of the protocol; known are 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28"
    );
}

#[test]
fn words_are_known_historical_or_foreign() {
    for (word, expected) in [
        ("2025-06-18", VersionWord::Known(Revision::V2025_06_18)),
        ("2026-07-28", VersionWord::Known(Revision::V2026_07_28)),
        ("2024-10-07", VersionWord::Historical),
        ("2026-07-27", VersionWord::Historical),
        ("2026-07-29", VersionWord::Foreign),
        ("2027-03-01", VersionWord::Foreign),
        ("draft", VersionWord::Foreign),
        ("2025-6-18", VersionWord::Foreign),
        ("２０２４-10-07", VersionWord::Foreign),
        ("", VersionWord::Foreign),
    ] {
        assert_eq!(VersionWord::read(word), expected, "{word}");
    }
}
