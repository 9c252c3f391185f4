//! The machine: retries, pins, memory, late answers, and the way to the deprecated transport.

use diglot_proto::lifecycle::{
    Asked, Binding, Contradiction, Downgrade, Evidence, FailureKind as Kind, Judgement, Mode, Negotiator,
    Opening, Remembered, Row, Seen, Step,
};
use diglot_proto::types::Discovery;
use diglot_proto::version::{Era, Revision};
use serde_json::value::RawValue;

use super::Next::{Fails, HttpSse, Legacy, Modern, Probe};
use super::{
    MOMENT, Next, discovered, error, http, initialized, json, line, negotiator, opening, refused, with_mode,
};

const L: Next = Legacy(Revision::LATEST_LEGACY);

/// Plays answers one after the other and returns what each led to.
fn play(negotiator: &mut Negotiator, answers: impl IntoIterator<Item = Evidence>) -> Vec<Next> {
    let first = Next::of(&negotiator.start());
    let rest = answers.into_iter().map(|evidence| Next::of(&negotiator.observe(evidence, MOMENT)));
    std::iter::once(first).chain(rest).collect()
}

fn probe(text: &str) -> Evidence {
    line(text, Asked::Discover)
}

fn handshake(text: &str) -> Evidence {
    line(text, Asked::Initialize)
}

fn pipe() -> Negotiator {
    negotiator(opening(Binding::Pipe, Downgrade::Standard))
}

fn web() -> Negotiator {
    negotiator(opening(Binding::Http, Downgrade::Standard))
}

#[test]
fn a_legacy_server_is_met_in_two_requests() {
    let mut pipe = pipe();
    let steps = play(&mut pipe, [probe(&error(-32601, "no")), handshake(&initialized("2025-06-18"))]);
    assert_eq!(steps, [Probe, L, Modern]);
    let rules: Vec<_> =
        pipe.negotiation().trail.iter().map(|step| (step.sent, step.rule, step.verdict)).collect();
    let expected =
        [("server/discover", "rpc-legacy-code", "legacy"), ("initialize", "initialize-accepted", "legacy")];
    assert_eq!(rules, expected);
}

#[test]
fn the_agreement_reads_the_same_in_both_eras() {
    let mut modern = pipe();
    modern.start();
    let text = r#"{"id":$ID,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"instructions":"hi","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}}"#;
    let Step::Agreed(modern) = modern.observe(probe(text), MOMENT) else { panic!("no agreement") };
    let mut legacy = negotiator(with_mode(Binding::Pipe, Mode::Legacy));
    legacy.start();
    let text = r#"{"id":$ID,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"instructions":"hi","serverInfo":{"name":"s","version":"1"}}}"#;
    let Step::Agreed(legacy) = legacy.observe(handshake(text), MOMENT) else { panic!("no agreement") };
    assert_eq!((modern.era(), legacy.era()), (Era::Modern, Era::Legacy));
    assert_eq!(modern.server, legacy.server);
    assert_eq!(modern.instructions, legacy.instructions);
    assert_eq!(modern.capabilities.get(), legacy.capabilities.get());
    assert_eq!(legacy.supported_versions, ["2025-11-25"]);
}

#[test]
fn a_version_is_retried_once_and_no_more() {
    let mutual = refused(r#""2026-07-28""#);
    assert_eq!(
        play(&mut pipe(), [probe(&mutual), probe(&discovered(r#""2026-07-28""#))]),
        [Probe, Probe, Modern]
    );
    for policy in [Downgrade::Conservative, Downgrade::Standard, Downgrade::Lenient] {
        let mut machine = negotiator(opening(Binding::Pipe, policy));
        let steps = play(&mut machine, [probe(&mutual), probe(&mutual)]);
        assert_eq!(steps, [Probe, Probe, Fails(Kind::NoMutualVersion)]);
        assert_eq!(machine.negotiation().trail[1].rule, "version-refused-again");
    }
    let steps = play(&mut pipe(), [probe(&mutual), probe(&refused(r#""2025-11-25""#))]);
    assert_eq!(steps, [Probe, Probe, Fails(Kind::NoMutualVersion)]);
    let steps = play(&mut pipe(), [probe(&mutual), probe(&error(-32601, "no"))]);
    assert_eq!(steps, [Probe, Probe, L]);
}

#[test]
fn pins_and_modes_send_only_what_they_allow() {
    let start = |opening: Opening| Next::of(&negotiator(opening).start());
    let pinned = |revision| {
        let mut opening = opening(Binding::Pipe, Downgrade::Standard);
        opening.pin = Some(revision);
        opening
    };
    assert_eq!(start(with_mode(Binding::Pipe, Mode::Legacy)), L);
    assert_eq!(start(pinned(Revision::V2025_03_26)), Legacy(Revision::V2025_03_26));
    assert_eq!(start(pinned(Revision::V2026_07_28)), Probe);
    for opening in [with_mode(Binding::Pipe, Mode::Modern), pinned(Revision::V2026_07_28)] {
        let mut machine = negotiator(opening);
        let steps = play(&mut machine, [probe(&error(-32601, "no"))]);
        assert_eq!(steps, [Probe, Fails(Kind::LegacyServer)]);
        assert_eq!(machine.negotiation().trail[0].verdict, "legacy-server");
    }
    let mut machine = negotiator(pinned(Revision::V2025_03_26));
    let steps = play(&mut machine, [handshake(&initialized("2025-11-25"))]);
    assert_eq!(steps[1], Fails(Kind::NoMutualVersion));
}

#[test]
fn modern_mode_tells_an_outage_from_a_legacy_server() {
    let outcome =
        |evidence: Evidence| play(&mut negotiator(with_mode(evidence.binding, Mode::Modern)), [evidence])[1];
    assert_eq!(outcome(Evidence::pipe(Seen::Silence)), Fails(Kind::Timeout));
    assert_eq!(outcome(Evidence::pipe(Seen::Exited)), Fails(Kind::Exited));
    assert_eq!(outcome(json(503, "")), Fails(Kind::HttpStatus));
    assert_eq!(outcome(json(422, "")), Fails(Kind::LegacyServer));
    assert_eq!(outcome(json(200, r#"{"a":1}"#)), Fails(Kind::LegacyServer));
    assert_eq!(outcome(json(401, "")), Fails(Kind::Unauthorized));
}

#[test]
fn contradicting_settings_are_refused_before_anything_is_sent() {
    let contradiction = |mode, pin, legacy_transport| {
        let mut opening = with_mode(Binding::Http, mode);
        opening.pin = pin;
        opening.legacy_transport = legacy_transport;
        Negotiator::new(opening).err()
    };
    let (old, new) = (Revision::V2025_06_18, Revision::V2026_07_28);
    assert_eq!(contradiction(Mode::Modern, Some(old), false), Some(Contradiction::LegacyPin(old)));
    assert_eq!(contradiction(Mode::Legacy, Some(new), false), Some(Contradiction::ModernPin(new)));
    assert_eq!(contradiction(Mode::Modern, None, true), Some(Contradiction::LegacyTransport));
    assert_eq!(contradiction(Mode::Auto, Some(new), true), Some(Contradiction::LegacyTransport));
    assert_eq!(contradiction(Mode::Auto, None, true), None);
    assert_eq!(contradiction(Mode::Auto, Some(old), true), None);
}

#[test]
fn a_legacy_transport_is_not_probed() {
    let mut opening = opening(Binding::Http, Downgrade::Standard);
    opening.legacy_transport = true;
    assert_eq!(Next::of(&negotiator(opening).start()), L);
}

#[test]
fn a_child_that_exits_on_the_probe_is_started_once_more() {
    let mut machine = pipe();
    machine.start();
    let step = machine.observe(Evidence::pipe(Seen::Exited), MOMENT);
    assert!(matches!(step, Step::Initialize { fresh: true, .. }), "{step:?}");
    let step = machine.observe(Evidence::pipe(Seen::Exited), MOMENT);
    assert_eq!(Next::of(&step), Fails(Kind::Exited));
    let Step::Failed(failure) = step else { panic!("no failure") };
    assert!(matches!(failure.before.map(|before| before.seen), Some(Seen::Exited)));
}

#[test]
fn a_pipe_that_cannot_be_reopened_reports_the_exit() {
    let mut opening = opening(Binding::Pipe, Downgrade::Lenient);
    opening.reopens = false;
    let steps = play(&mut negotiator(opening), [Evidence::pipe(Seen::Exited)]);
    assert_eq!(steps, [Probe, Fails(Kind::Exited)]);
}

#[test]
fn a_child_that_dies_after_its_answer_is_started_once_more() {
    let mut machine = pipe();
    play(&mut machine, [probe(&error(-32600, "expected initialize"))]);
    let step = machine.observe(Evidence::pipe(Seen::Exited), MOMENT);
    assert!(matches!(step, Step::Initialize { fresh: true, .. }), "{step:?}");
    assert_eq!(Next::of(&machine.observe(handshake(&initialized("2025-11-25")), MOMENT)), Modern);
    assert_eq!(machine.negotiation().trail[1].rule, "exited-after-probe");
}

#[test]
fn a_late_discovery_counts_only_if_initialize_fails() {
    let late = probe(&discovered(r#""2026-07-28""#));
    let failures = [error(-32601, "no"), refused(r#""2026-07-28""#)].map(|failure| (failure, Era::Modern));
    for (answer, era) in failures.into_iter().chain([(initialized("2025-11-25"), Era::Legacy)]) {
        let mut machine = pipe();
        play(&mut machine, [Evidence::pipe(Seen::Silence)]);
        machine.observe_late(&late, MOMENT);
        let Step::Agreed(agreement) = machine.observe(handshake(&answer), MOMENT) else {
            panic!("no agreement")
        };
        assert_eq!(agreement.era(), era);
        assert!(machine.negotiation().trail.iter().any(|step| step.rule == "late-discovery"));
    }
    let mut machine = pipe();
    play(&mut machine, [Evidence::pipe(Seen::Silence)]);
    machine.observe_late(&probe(&error(-32601, "no")), MOMENT);
    let step = machine.observe(handshake(&error(-32603, "boom")), MOMENT);
    assert_eq!(Next::of(&step), Fails(Kind::Protocol));
}

#[test]
fn initialize_on_a_modern_server_probes_again_once() {
    let modern = refused(r#""2026-07-28""#);
    let steps = play(
        &mut pipe(),
        [Evidence::pipe(Seen::Silence), handshake(&modern), probe(&discovered(r#""2026-07-28""#))],
    );
    assert_eq!(steps, [Probe, L, Probe, Modern]);
    let steps =
        play(&mut pipe(), [Evidence::pipe(Seen::Silence), handshake(&modern), Evidence::pipe(Seen::Silence)]);
    assert_eq!(steps, [Probe, L, Probe, Fails(Kind::NoMutualVersion)]);
    let steps = play(&mut negotiator(with_mode(Binding::Pipe, Mode::Legacy)), [handshake(&modern)]);
    assert_eq!(steps, [L, Fails(Kind::NoMutualVersion)]);
}

#[test]
fn an_initialize_result_must_name_a_legacy_revision_of_ours() {
    for version in ["2026-07-28", "2027-01-01", "2024-10-07", "latest"] {
        let steps = play(&mut pipe(), [probe(&error(-32601, "no")), handshake(&initialized(version))]);
        assert_eq!(steps[2], Fails(Kind::NoMutualVersion), "{version}");
    }
    let shapeless = r#"{"id":$ID,"result":{}}"#;
    let steps = play(&mut pipe(), [probe(&error(-32601, "no")), handshake(shapeless)]);
    assert_eq!(steps[2], Fails(Kind::Protocol));
}

#[test]
fn initialize_is_repeated_at_a_revision_that_the_server_lists() {
    let lists = r#"{"id":$ID,"error":{"code":-32602,"message":"Unsupported protocol version","data":{"supported":["2024-11-05"],"requested":"2025-11-25"}}}"#;
    let steps = play(
        &mut pipe(),
        [probe(&error(-32601, "no")), handshake(lists), handshake(&initialized("2024-11-05"))],
    );
    assert_eq!(steps, [Probe, L, Legacy(Revision::V2024_11_05), Modern]);
    let steps = play(&mut pipe(), [probe(&error(-32601, "no")), handshake(lists), handshake(lists)]);
    assert_eq!(steps[3], Fails(Kind::NoMutualVersion));
}

#[test]
fn only_a_refused_post_without_json_rpc_leads_to_http_sse() {
    let post = |status, body: &str| http(status, None, body, Asked::Initialize);
    for status in [400, 404, 405] {
        assert_eq!(play(&mut web(), [json(405, ""), post(status, "not here")])[2], HttpSse, "{status}");
        let with_rpc = play(&mut web(), [json(405, ""), post(status, &error(-32600, "no"))])[2];
        assert_eq!(with_rpc, Fails(Kind::HttpStatus), "{status}");
    }
    for status in [401, 403, 406, 422, 500] {
        assert_ne!(play(&mut web(), [json(405, ""), post(status, "")])[2], HttpSse, "{status}");
    }
    let by_post_only = play(&mut web(), [json(404, &error(-32601, "no")), post(404, "")])[2];
    assert_eq!(by_post_only, Fails(Kind::HttpStatus));
    let mut streamable_only = opening(Binding::Http, Downgrade::Standard);
    streamable_only.http_sse = false;
    let steps = play(&mut negotiator(streamable_only), [json(405, ""), post(405, "")]);
    assert_eq!(steps[2], Fails(Kind::HttpStatus));
}

#[test]
fn the_deprecated_transport_gets_its_own_initialize() {
    let opened = Evidence::http(200, Seen::EndpointEvent);
    let answer = http(200, Some("application/json"), &initialized("2024-11-05"), Asked::Initialize);
    let steps = play(&mut web(), [json(405, ""), json(405, ""), opened.clone(), answer]);
    assert_eq!(steps, [Probe, L, HttpSse, L, Modern]);
    let steps = play(&mut web(), [json(405, ""), json(405, ""), opened, json(404, "")]);
    assert_eq!(steps[4], Fails(Kind::HttpStatus));
    let foreign = Evidence::http(200, Seen::ForeignEndpoint("https://other.example".into()));
    let steps = play(&mut web(), [json(405, ""), json(405, ""), foreign]);
    assert_eq!(steps[3], Fails(Kind::EndpointRefused));
    let page = Evidence::http(200, Seen::WebPage(Some("Hello".into())));
    assert_eq!(play(&mut web(), [json(405, ""), json(405, ""), page])[3], Fails(Kind::NotMcp));
}

#[test]
fn a_failed_get_leaves_the_refusal_of_the_post_as_the_error() {
    for get in [json(405, ""), Evidence::http(405, Seen::WebPage(None))] {
        let mut machine = web();
        play(&mut machine, [json(405, ""), json(404, "")]);
        let Step::Failed(failure) = machine.observe(get, MOMENT) else { panic!("no failure") };
        let told = (failure.kind, failure.evidence.status, failure.sent);
        assert_eq!(told, (Kind::HttpStatus, Some(404), "initialize"));
    }
}

fn discovery() -> Box<Discovery> {
    let raw = RawValue::from_string(r#"{"supportedVersions":["2026-07-28"]}"#.into()).unwrap();
    Box::new(Discovery::read(&raw).unwrap())
}

fn remembering(remembered: Remembered) -> Opening {
    let mut opening = opening(Binding::Pipe, Downgrade::Standard);
    opening.remembered = Some(remembered);
    opening
}

#[test]
fn a_remembered_modern_server_is_not_probed() {
    let remembered = Remembered::Modern { revision: Revision::V2026_07_28, discovery: discovery() };
    let mut machine = negotiator(remembering(remembered.clone()));
    let Step::Agreed(agreement) = machine.start() else { panic!("no agreement") };
    assert!(agreement.assumed && !agreement.memorable);
    let trail = &machine.negotiation().trail;
    assert_eq!((trail.len(), trail[0].sent, trail[0].rule), (1, "nothing", "remembered-modern"));
    let mut legacy = remembering(remembered);
    legacy.mode = Mode::Legacy;
    assert_eq!(Next::of(&negotiator(legacy).start()), L);
}

#[test]
fn a_remembered_legacy_server_that_is_none_is_negotiated_afresh_once() {
    let mut machine = negotiator(remembering(Remembered::Legacy));
    let steps = play(&mut machine, [handshake(&error(-32601, "no")), probe(&discovered(r#""2026-07-28""#))]);
    assert_eq!(steps, [L, Probe, Modern]);
    assert!(machine.forgot());
    let mut machine = negotiator(remembering(Remembered::Legacy));
    let steps = play(
        &mut machine,
        [handshake(&error(-32601, "no")), probe(&error(-32601, "no")), handshake(&error(-32601, "no"))],
    );
    assert_eq!(steps, [L, Probe, L, Fails(Kind::Protocol)]);
    let mut machine = negotiator(remembering(Remembered::Legacy));
    let unreachable = Evidence::new(Binding::Pipe, None, Seen::Unreachable);
    assert_eq!(play(&mut machine, [unreachable]), [L, Fails(Kind::Unreachable)]);
    assert!(!machine.forgot());
}

#[test]
fn a_verdict_that_rests_on_silence_is_not_worth_remembering() {
    let memorable = |first: Evidence| {
        let mut machine = pipe();
        play(&mut machine, [first]);
        let Step::Agreed(agreement) = machine.observe(handshake(&initialized("2025-11-25")), MOMENT) else {
            panic!("no agreement")
        };
        agreement.memorable
    };
    assert!(!memorable(Evidence::pipe(Seen::Silence)));
    assert!(memorable(probe(&error(-32601, "no"))));
    assert!(memorable(Evidence::pipe(Seen::Exited)));
}

#[test]
fn a_custom_policy_sees_the_evidence_and_may_defer() {
    let policy = Downgrade::custom(|evidence, row| match (evidence.status, row) {
        (Some(503), _) => Judgement::FallBack,
        (_, Row::RpcLegacyCode) => Judgement::Refuse,
        _ => Judgement::Defer(Downgrade::Conservative),
    });
    let outcome =
        |evidence: Evidence| play(&mut negotiator(opening(evidence.binding, policy.clone())), [evidence])[1];
    assert_eq!(outcome(json(503, "")), L);
    assert_eq!(outcome(probe(&error(-32601, "no"))), Fails(Kind::DowngradeRefused));
    assert_eq!(outcome(json(422, "")), Fails(Kind::DowngradeRefused));
    assert_eq!(outcome(json(404, "")), L);
}

#[test]
fn a_custom_policy_cannot_touch_what_is_settled() {
    let policy = Downgrade::custom(|_, _| Judgement::FallBack);
    let outcome =
        |evidence: Evidence| play(&mut negotiator(opening(evidence.binding, policy.clone())), [evidence])[1];
    assert_eq!(outcome(json(401, "")), Fails(Kind::Unauthorized));
    assert_eq!(outcome(json(403, "")), Fails(Kind::Forbidden));
    assert_eq!(outcome(probe(&discovered(r#""2026-07-28""#))), Modern);
    assert_eq!(outcome(Evidence::new(Binding::Http, None, Seen::Unreachable)), Fails(Kind::Unreachable));
}

#[test]
fn no_sequence_of_answers_goes_on_for_ever() {
    let answers = [
        refused(r#""2026-07-28""#),
        refused(r#""2025-06-18""#),
        refused(r#""2024-11-05""#),
        error(-32601, "no"),
        error(-32602, "Unsupported protocol version: use 2025-03-26"),
    ];
    for pattern in 0..answers.len().pow(4) {
        let mut machine = negotiator(remembering(Remembered::Legacy));
        let mut step = machine.start();
        let mut steps = 0;
        while let Step::Probe { .. } | Step::Initialize { .. } = step {
            let answer = &answers[(pattern / answers.len().pow(steps % 4)) % answers.len()];
            let asked = if matches!(step, Step::Probe { .. }) { Asked::Discover } else { Asked::Initialize };
            step = machine.observe(line(answer, asked), MOMENT);
            steps += 1;
            assert!(steps <= 12, "pattern {pattern} goes on");
        }
    }
}

#[test]
fn the_trail_reads_as_text_and_as_json() {
    let mut machine = pipe();
    play(&mut machine, [probe(&error(-32601, "no")), handshake(&initialized("2025-11-25"))]);
    let text = machine.negotiation().to_string();
    assert_eq!(
        text,
        "mode auto, policy standard\n\
         1. server/discover at 2026-07-28 -> json-rpc-error -32601; rpc-legacy-code: legacy (a server that does not know server/discover is a legacy one; 3 ms)\n\
         2. initialize at 2025-11-25 -> initialize-result [2025-11-25]; initialize-accepted: legacy (the server chose a legacy revision that we speak; 3 ms)"
    );
    let value = serde_json::to_value(machine.negotiation()).unwrap();
    assert_eq!(value["trail"][0]["saw"]["code"], -32601);
    assert_eq!(value["trail"][0]["protocolVersion"], "2026-07-28");
    assert_eq!(value["trail"][1]["step"], 2);
}
