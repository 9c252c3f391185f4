//! The table of servers: what each answers, and what each policy must make of it.
//!
//! One row a server. The last columns are checked on every run, so that the tour is a test as well.

use diglot::Revision;

use super::script::ErrorId::{Null, Ours, Text};
use super::script::Reply::{
    Challenge, Close, Discovery, Error, Initialization, Page, Silence, Text as Plain, WrongVersion,
};
use super::script::{Part, Reply, Script, Server, Wire};
use super::sound::Sound;
use super::verdict::Verdict::{
    self, AuthRequired, Connected, Exited, NoVersion, NotMcp, Refused, Status, Timeout,
};

/// Servers of one kind.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) title: &'static str,
    pub(super) servers: &'static [Server],
}

const M: Verdict = Connected(Revision::V2026_07_28);
const L: Verdict = Connected(Revision::V2025_11_25);
/// A legacy server that stayed at the first revision.
const OLD: Verdict = Connected(Revision::V2024_11_05);

const MODERN: &[&str] = &["2026-07-28"];
const LEGACY: &[&str] = &["2025-11-25", "2025-06-18"];
const FUTURE: &[&str] = &["2027-06-01"];

const ACCEPT: Reply = Initialization("2025-11-25");
const UNKNOWN: Reply = error(200, -32601, "Method not found");
const WHAT_VERSION: &str = "Bad Request: Unsupported protocol version: 2026-07-28 \
                            (supported versions: 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05, 2024-10-07)";
const UNAVAILABLE: Reply = Plain(503, "Service Unavailable");
const NOT_FOUND: Reply = Plain(404, "Not Found");
const BEARER: Reply =
    Challenge("Bearer resource_metadata=\"https://auth.example.com/meta\", scope=\"tools\"");
const SIGN_IN: Reply = Page("Sign in to Example");

#[rustfmt::skip]
pub(super) const GROUPS: &[Group] = &[
    //          name                        server/discover                initialize   conservative  standard      lenient
    Group { title: "Modern servers", servers: &[
        MODERN_HTTP,
        MODERN_PIPE,
        DUAL_HTTP,
        http("asks to try again",           RETRY,                         UNKNOWN,     [M,           M,            M]),
        http("lists legacy versions only",  &[Discovery(LEGACY)],          ACCEPT,      [L,           L,            L]),
        http("from the future",             &[WrongVersion(FUTURE)],       WRONG,       [NoVersion,   NoVersion,    NoVersion]),
    ] },
    Group { title: "Legacy servers", servers: &[
        LEGACY_HTTP,
        LEGACY_PIPE,
        HTTP_SSE,
        http("answers 404",                 &[NOT_FOUND],                  ACCEPT,      [L,           L,            L]),
        http("answers 405",                 &[Plain(405, "")],             ACCEPT,      [L,           L,            L]),
        pipe("ignores the probe",           &[Silence],                    ACCEPT,      [Timeout,     L,            L]),
        pipe("closes on the probe",         &[Close],                      ACCEPT,      [Exited,      L,            L]),
        pipe("trips over the probe",        &[TRIPS],                      ACCEPT,      [Refused,     L,            L]),
    ] },
    Group { title: "Released SDKs of the legacy era, in their own words", servers: &[
        http("TypeScript, no session",      &[void(-32000, NO_SESSION)],   ACCEPT,      [L,           L,            L]),
        http("TypeScript, wrong version",   &[void(-32000, WHAT_VERSION)], ACCEPT,      [L,           L,            L]),
        http("TypeScript, not initialized", &[void(-32000, NOT_READY)],    ACCEPT,      [L,           L,            L]),
        http("Python, no session",          &[PYTHON],                     ACCEPT,      [L,           L,            L]),
        http("Rust, wants initialize",         &[Plain(422, EXPECTS)],        ACCEPT,      [Refused,     L,            L]),
    ] },
    Group { title: "Answers that say little about the era, or nothing", servers: &[
        http("needs a token",               &[BEARER],                     BEARER,      [AuthRequired, AuthRequired, AuthRequired]),
        http("is down",                     &[UNAVAILABLE],                UNAVAILABLE, [Status(503), Status(503),  Status(503)]),
        http("fails on the unknown",        &[Plain(500, "Oops")],         ACCEPT,      [Status(500), Status(500),  L]),
        http("is silent",                   &[Silence],                    ACCEPT,      [Timeout,     Timeout,      L]),
        http("a web page",                  &[SIGN_IN],                    SIGN_IN,     [NotMcp,      NotMcp,       NotMcp]),
        http("a wrong path",                &[NOT_FOUND],                  NOT_FOUND,   [Status(404), Status(404),  Status(404)]),
    ] },
];

/// The servers on which a tool is called after the table.
pub(super) const CALLED: &[Server] = &[MODERN_HTTP, LEGACY_HTTP, LEGACY_PIPE, HTTP_SSE];

const MODERN_HTTP: Server = sound("modern", Wire::Http, Sound::Modern, M);
const MODERN_PIPE: Server = sound("modern, in a pipe", Wire::Pipe, Sound::Modern, M);
const DUAL_HTTP: Server = sound("dual-era", Wire::Http, Sound::Both, M);
const LEGACY_HTTP: Server = sound("legacy", Wire::Http, Sound::Legacy, L);
const LEGACY_PIPE: Server = sound("legacy, in a pipe", Wire::Pipe, Sound::Legacy, L);
const HTTP_SSE: Server = sound("revision of 2024", Wire::HttpSse, Sound::Oldest, OLD);

const RETRY: &[Reply] = &[WrongVersion(MODERN), Discovery(MODERN)];
const WRONG: Reply = WrongVersion(FUTURE);
const TRIPS: Reply = error(200, -32603, "Internal error: no handler for the message");
const PYTHON: Reply =
    Error { status: 400, id: Text("server-error"), code: -32600, message: "Bad Request: Missing session ID" };
const NO_SESSION: &str = "Bad Request: No valid session ID provided";
const NOT_READY: &str = "Bad Request: Server not initialized";
const EXPECTS: &str = "Unexpected message, expect initialize request";

/// A server of the SDK, of which every policy makes the same.
const fn sound(name: &'static str, wire: Wire, sound: Sound, verdict: Verdict) -> Server {
    Server { name, wire, part: Part::Sound(sound), expected: [verdict, verdict, verdict] }
}

const fn http(
    name: &'static str,
    discover: &'static [Reply],
    initialize: Reply,
    expected: [Verdict; 3],
) -> Server {
    Server { name, wire: Wire::Http, part: Part::Scripted(Script { discover, initialize }), expected }
}

const fn pipe(
    name: &'static str,
    discover: &'static [Reply],
    initialize: Reply,
    expected: [Verdict; 3],
) -> Server {
    Server { wire: Wire::Pipe, ..http(name, discover, initialize, expected) }
}

/// An error that carries the request's id.
const fn error(status: u16, code: i64, message: &'static str) -> Reply {
    Error { status, id: Ours, code, message }
}

/// An error at 400 whose id is null.
const fn void(code: i64, message: &'static str) -> Reply {
    Error { status: 400, id: Null, code, message }
}
