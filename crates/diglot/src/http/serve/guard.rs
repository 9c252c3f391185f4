//! Whose requests are taken, by `Host` and `Origin`: a web page must not reach a server on the user's own machine.
//!
//! A page can make its own name resolve to the loopback address (DNS rebinding), but it cannot hide its name: `Host` and
//! `Origin` still carry it.

use std::net::IpAddr;

use http::header::{HOST, ORIGIN};
use http::request::Parts;

/// How many characters of a name are quoted in a refusal.
const MAX_QUOTED: usize = 128;

/// The hosts and origins that are allowed.
#[derive(Clone, Debug, Default)]
pub(super) struct Guard {
    pub(super) hosts: Allowed,
    pub(super) origins: Allowed,
}

/// What is allowed besides the names of this machine.
#[derive(Clone, Debug)]
pub(super) enum Allowed {
    Any,
    These(Vec<String>),
}

impl Default for Allowed {
    fn default() -> Self {
        Self::These(Vec::new())
    }
}

impl Allowed {
    /// Adds names; where any is allowed, only these are from now on.
    pub(super) fn add(&mut self, names: impl IntoIterator<Item = impl Into<String>>) {
        let mut known = match std::mem::take(self) {
            Self::Any => Vec::new(),
            Self::These(known) => known,
        };
        known.extend(names.into_iter().map(|name| name.into().trim_end_matches('/').to_ascii_lowercase()));
        *self = Self::These(known);
    }
}

impl Guard {
    /// Checks a request; the error is what to tell whoever runs the client, or the server.
    pub(super) fn check(&self, parts: &Parts) -> Result<(), String> {
        // HTTP/2 has the authority of the address in place of `Host`.
        let authority = parts.uri.authority().map(|authority| authority.as_str().as_bytes());
        let hosts = parts.headers.get_all(HOST).iter().map(http::HeaderValue::as_bytes);
        for host in hosts.chain(authority) {
            if !self.is_host_allowed(host) {
                return Err(refusal("host", host, "allowed_hosts"));
            }
        }
        for origin in parts.headers.get_all(ORIGIN) {
            if !self.is_origin_allowed(origin.as_bytes()) {
                return Err(refusal("origin", origin.as_bytes(), "allowed_origins"));
            }
        }
        Ok(())
    }

    fn is_host_allowed(&self, host: &[u8]) -> bool {
        let Allowed::These(allowed) = &self.hosts else { return true };
        let Ok(host) = std::str::from_utf8(host) else { return false };
        let host = host.to_ascii_lowercase();
        let name = without_port(&host);
        is_loopback(name) || allowed.iter().any(|allowed| *allowed == host || allowed == name)
    }

    fn is_origin_allowed(&self, origin: &[u8]) -> bool {
        let Allowed::These(allowed) = &self.origins else { return true };
        let Ok(origin) = std::str::from_utf8(origin) else { return false };
        let origin = origin.to_ascii_lowercase();
        let is_local = || {
            let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            host.is_some_and(|host| is_loopback(without_port(host)))
        };
        allowed.contains(&origin) || is_local()
    }
}

/// Cuts the port off a host.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !is_bare_ipv6(host) => name,
        _ => host,
    }
}

fn is_bare_ipv6(host: &str) -> bool {
    !host.ends_with(']') && host.parse::<std::net::Ipv6Addr>().is_ok()
}

/// Tells whether a host is this machine whoever asks for it.
fn is_loopback(name: &str) -> bool {
    let address = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
    let is_address = || address.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback());
    name == "localhost" || is_address()
}

fn refusal(what: &str, seen: &[u8], option: &str) -> String {
    let seen = String::from_utf8_lossy(seen);
    let mut quoted: String = seen.chars().take(MAX_QUOTED).flat_map(char::escape_debug).collect();
    if seen.chars().nth(MAX_QUOTED).is_some() {
        quoted.push('…');
    }
    format!("Forbidden: the {what} '{quoted}' is not allowed here; the server can allow it with `{option}`")
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn check(guard: &Guard, host: &str, origin: Option<&str>) -> bool {
        let mut request = Request::builder().uri("/mcp").header(HOST, host);
        if let Some(origin) = origin {
            request = request.header(ORIGIN, origin);
        }
        guard.check(&request.body(()).unwrap().into_parts().0).is_ok()
    }

    #[test]
    fn names_of_this_machine_pass() {
        let guard = Guard::default();
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1:8000", "127.1.2.3", "[::1]", "[::1]:80", "::1"] {
            assert!(check(&guard, host, None), "{host}");
        }
        for origin in ["http://localhost", "https://localhost:5173", "http://127.0.0.1:1", "http://[::1]:1"] {
            assert!(check(&guard, "localhost", Some(origin)), "{origin}");
        }
    }

    #[test]
    fn other_names_do_not_pass() {
        let guard = Guard::default();
        for host in
            ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "0.0.0.0", "10.0.0.1", ""]
        {
            assert!(!check(&guard, host, None), "{host}");
        }
        for origin in ["null", "http://evil.example", "file://", "ftp://localhost", "localhost"] {
            assert!(!check(&guard, "localhost", Some(origin)), "{origin}");
        }
    }

    #[test]
    fn what_is_listed_passes_with_any_port_or_with_its_own() {
        let mut guard = Guard::default();
        guard.hosts.add(["mcp.example", "other.example:8443"]);
        guard.origins.add(["https://App.example/"]);
        assert!(check(&guard, "MCP.example:443", Some("https://app.example")));
        assert!(check(&guard, "other.example:8443", None));
        assert!(!check(&guard, "other.example", None));
        assert!(!check(&guard, "mcp.example", Some("http://app.example")));
    }

    #[test]
    fn the_authority_of_the_address_counts_as_host() {
        let request = Request::builder().uri("http://evil.example/mcp").body(()).unwrap();
        let refusal = Guard::default().check(&request.into_parts().0).unwrap_err();
        assert!(refusal.contains("'evil.example'") && refusal.contains("allowed_hosts"), "{refusal}");
    }
}
