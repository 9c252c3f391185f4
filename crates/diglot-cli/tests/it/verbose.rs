//! `-v` and `-vv`: what happens, in lines for people, without secrets.

use crate::run::{LEGACY, run};
use crate::site::{Site, legacy};

#[test]
fn each_step_and_each_request_has_its_line() {
    let ran = run(&["call", "-v", "fail", "--", "sh", "-c", LEGACY]);
    assert_eq!(ran.exit, 5, "{}", ran.told());
    let step = |sent| {
        ran.stderr.lines().any(|line| line.contains(&format!("(sent {sent}, ")) && line.contains("rule "))
    };
    assert!(step("server/discover") && step("initialize"), "{}", ran.told());
    let is_told = ran.stderr.lines().any(|line| line.contains("a request is over (method tools/call, "));
    assert!(is_told, "{}", ran.told());
    assert!(!ran.stderr.contains("→ message"), "{}", ran.told());
    assert_eq!(run(&["call", "fail", "--", "sh", "-c", LEGACY]).stderr.lines().count(), 1);
}

#[test]
fn every_message_is_said_without_its_secrets() {
    let site = Site::new(legacy);
    let ran = run(&["call", "-vv", &site.url, "t", "--header", "X-Key: tok-0123456789"]);
    assert_eq!(ran.exit, 0, "{}", ran.told());
    assert!(ran.stderr.contains("→ message {\"message\":{"), "{}", ran.told());
    assert!(ran.stderr.contains("← http-response {"), "{}", ran.told());
    assert!(ran.stderr.contains("you sent [redacted]"), "{}", ran.told());
    assert!(!ran.stderr.contains("tok-0123456789"), "{}", ran.told());
}
