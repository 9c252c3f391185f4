//! What can be done about a failure, in words for people who are new to it.

use std::error::Error as _;

use diglot::Error;
use diglot::error::{Phase, TransportError, TransportFault};

use super::kind::Kind;

/// The hint where an address is likely not the one that was meant.
const ENDPOINTS: &str = "the path may be wrong: MCP endpoints are often at /mcp or /sse";

/// Says what can be done about a failure, where that is known.
pub(super) fn hint(error: &Error, kind: Kind) -> Option<String> {
    let had_credentials = matches!(error, Error::Unauthorized(detail) if detail.had_credentials);
    let mode = error.negotiation().map_or("", |negotiation| negotiation.mode);
    if let Error::Timeout(detail) = error {
        return patience(detail.phase, mode).map(str::to_owned);
    }
    if let Error::Transport(detail) = error
        && let Some(hint) = of_the_wire(detail)
    {
        return Some(hint);
    }
    let hint = match kind {
        Kind::AuthRequired if had_credentials => {
            "the token or key may have expired, or belong to another server"
        }
        Kind::AuthRequired => "give a token with --bearer-env VAR, or a key with --header 'Name: value'",
        Kind::Forbidden if !had_credentials => {
            "it may want credentials (--bearer-env VAR, --header 'Name: value'), or take requests for another host only"
        }
        Kind::Forbidden => "the credentials are known but may not do this; use others, or ask for the right",
        Kind::LegacyServer if mode == "auto" => "leave out --transport streamable-http",
        Kind::LegacyServer => "leave out --mode modern, or the modern --protocol-version",
        Kind::DowngradeRefused => match error.negotiation().map_or("", |negotiation| negotiation.policy) {
            "conservative" => "--downgrade standard or lenient may take it for a legacy server",
            _ => "--downgrade lenient takes it for a legacy server; --mode legacy does not even ask",
        },
        // After the agreement the address has proved right.
        Kind::HttpStatus if error.to_string().contains("HTTPS") => {
            "the port speaks TLS: try https:// in place of http://"
        }
        Kind::HttpStatus if !mode.is_empty() && matches!(error.http_status(), Some(404 | 405 | 501)) => {
            ENDPOINTS
        }
        Kind::NotMcp => ENDPOINTS,
        Kind::ProcessExited => "run the command by itself to see why it ends",
        Kind::NoMutualVersion => "--protocol-version picks the one revision to offer",
        _ => return None,
    };
    Some(hint.to_owned())
}

/// Says which option has a client wait longer, or wait no more.
fn patience(phase: Phase, mode: &str) -> Option<&'static str> {
    match phase {
        Phase::Probe if mode == "modern" => Some("--probe-timeout sets the wait"),
        Phase::Probe => {
            Some("--downgrade lenient takes silence for a legacy server; --probe-timeout sets the wait")
        }
        Phase::Initialize => Some("--initialize-timeout sets the wait"),
        Phase::Request => Some("--timeout sets the wait"),
        _ => None,
    }
}

/// Says what may be wrong where a server was not reached.
fn of_the_wire(error: &TransportError) -> Option<String> {
    match error.fault {
        TransportFault::CommandNotFound => {
            let program = error.target.split(' ').next().unwrap_or_default();
            comes_with(program)
                .map(|origin| format!("{program} comes with {origin}, which has to be installed"))
        }
        TransportFault::Tls => {
            let causes = std::iter::successors(error.source(), |cause| (*cause).source());
            let causes: Vec<String> = causes.map(ToString::to_string).collect();
            of_tls(&causes.join(" ")).map(str::to_owned)
        }
        _ => None,
    }
}

/// Names what brings a program that starts servers.
fn comes_with(program: &str) -> Option<&'static str> {
    match program.rsplit(['/', '\\']).next()? {
        "npx" | "npm" | "node" => Some("Node.js"),
        "uvx" | "uv" => Some("uv"),
        "python" | "python3" | "pipx" => Some("Python"),
        "docker" => Some("Docker"),
        "deno" => Some("Deno"),
        "bun" | "bunx" => Some("Bun"),
        _ => None,
    }
}

#[rustfmt::skip]
fn of_tls(causes: &str) -> Option<&'static str> {
    let has = |word| causes.contains(word);
    match () {
        () if has("InvalidContentType")     => Some("the port answers without TLS: try http:// in place of https://"),
        () if has("Expired")                => Some("the certificate of the server has expired; its operator has to renew it"),
        () if has("NotValidYet")            => Some("the certificate is not valid yet; is the clock of this machine right?"),
        () if has("NotValidForName")        => Some("the certificate is for another host; is the address right?"),
        () if has("UnknownIssuer")          => Some("this system does not trust who signed the certificate; a private authority has to be added to its trust store"),
        () if has("HandshakeFailure") || has("ProtocolVersion") => Some("the server speaks no version of TLS that is still safe"),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(fault: TransportFault, target: &str, cause: &str) -> Option<String> {
        let error = TransportError::new(fault, target).because(std::io::Error::other(cause.to_owned()));
        of_the_wire(&error)
    }

    #[test]
    fn a_port_without_tls_is_told_by_its_answer() {
        let hint =
            of(TransportFault::Tls, "https://x", "received corrupt message of type InvalidContentType");
        assert!(hint.unwrap().contains("try http://"));
        let hint = of(TransportFault::Tls, "https://x", "invalid peer certificate: Expired");
        assert!(hint.unwrap().contains("has expired"));
        assert_eq!(of(TransportFault::Tls, "https://x", "something else"), None);
    }

    #[test]
    fn a_missing_launcher_is_told_with_what_brings_it() {
        let hint = |command| of(TransportFault::CommandNotFound, command, "No such file");
        assert_eq!(hint("npx -y server").unwrap(), "npx comes with Node.js, which has to be installed");
        assert_eq!(hint("/opt/bin/uvx x").unwrap(), "/opt/bin/uvx comes with uv, which has to be installed");
        assert_eq!(hint("./my-server"), None);
    }
}
