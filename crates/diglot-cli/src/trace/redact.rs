//! What neither a trace nor a report may hold: credentials, wherever they turn up.

use std::borrow::Cow;

use crate::target::Target;

/// What stands in the place of a secret.
pub(super) const CUT: &str = "[redacted]";

/// The shortest value that is looked for in texts; shorter ones would cut innocent words.
const SHORTEST: usize = 6;

/// The values that are cut out of every text, the longest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Secrets {
    values: Vec<String>,
}

impl Secrets {
    /// Gathers what is secret about a target: the values of its headers and of its environment, and its token.
    pub(crate) fn of(target: &Target) -> Self {
        let mut secrets = Self::default();
        match target {
            Target::Http(http) => {
                http.headers.iter().for_each(|(name, value)| secrets.add_header(name, value));
                http.bearer.iter().for_each(|token| secrets.add(token));
            }
            Target::Child(child) => child.env.iter().for_each(|(_, value)| secrets.add(value)),
        }
        secrets.values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        secrets
    }

    /// Adds the value of a header, and of `Cookie` each cookie's.
    fn add_header(&mut self, name: &str, value: &str) {
        self.add(value);
        if name.eq_ignore_ascii_case("cookie") {
            let cookies = value.split(';').filter_map(|cookie| cookie.split_once('='));
            cookies.for_each(|(_, cookie)| self.add(cookie.trim()));
        }
    }

    /// Adds a value, and what follows the scheme in one such as `Bearer x`, as they are and as JSON has them.
    fn add(&mut self, value: &str) {
        let parts = [value, value.rsplit(' ').next().unwrap_or_default()];
        for part in parts.into_iter().filter(|part| part.len() >= SHORTEST) {
            let quoted = serde_json::Value::from(part).to_string();
            let quoted = quoted.trim_matches('"').to_owned();
            self.values.extend([part.to_owned(), quoted]);
        }
    }

    /// Returns a text without secrets and with session ids shortened.
    pub(crate) fn cut<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for value in &self.values {
            if text.contains(value.as_str()) {
                text = Cow::Owned(text.replace(value.as_str(), CUT));
            }
        }
        match without_session_ids(&text) {
            Some(cut) => Cow::Owned(cut),
            None => text,
        }
    }
}

/// Tells whether the value of a header is shown: only what the protocol itself puts there.
pub(super) fn is_shown_request_header(name: &str) -> bool {
    matches!(
        name,
        "accept"
            | "accept-encoding"
            | "content-type"
            | "content-length"
            | "host"
            | "last-event-id"
            | "user-agent"
    ) || (name.starts_with("mcp-") && name != "mcp-session-id")
}

/// Tells whether the value of a response's header is shown.
pub(super) fn is_shown_response_header(name: &str) -> bool {
    let is_secret = ["cookie", "token", "secret", "key", "authorization", "session"];
    !is_secret.iter().any(|word| name.contains(word))
}

/// Shortens a session id so that two can still be told apart.
pub(super) fn shortened(id: &str) -> String {
    let kept = (id.chars().count() / 3).min(8);
    id.chars().take(kept).chain(['…']).collect()
}

/// Returns an address without its query, which may hold a key.
pub(super) fn without_query(address: &str) -> String {
    match address.split_once('?') {
        Some((address, _)) => format!("{address}?…"),
        None => address.to_owned(),
    }
}

/// Shortens the ids in `sessionId=…`, which an HTTP+SSE server puts in the address of its endpoint.
fn without_session_ids(text: &str) -> Option<String> {
    const MARKS: [&str; 2] = ["sessionid=", "session_id="];
    // ASCII letters keep their place when they become small.
    let small = text.to_ascii_lowercase();
    let mut out = String::new();
    let mut done = 0;
    while let Some(from) =
        MARKS.iter().filter_map(|mark| Some(small.get(done..)?.find(mark)? + done + mark.len())).min()
    {
        let rest = text.get(from..)?;
        let end =
            rest.find(|c: char| !c.is_ascii_alphanumeric() && !"-_.~%".contains(c)).unwrap_or(rest.len());
        out.push_str(text.get(done..from)?);
        out.push_str(&shortened(rest.get(..end)?));
        done = from + end;
    }
    (done > 0).then(|| out + text.get(done..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::HttpWire;
    use crate::target::{Http, Place};

    fn secrets() -> Secrets {
        Secrets::of(&Target::Http(Http {
            place: Place::Address("http://a".into()),
            headers: vec![
                ("X-Key".into(), "k3y\"with\"quotes".into()),
                ("X-Short".into(), "1".into()),
                ("Cookie".into(), "lang=en; sid=c00kie".into()),
            ],
            bearer: Some("tok-123456".into()),
            wire: HttpWire::Auto,
        }))
    }

    #[test]
    fn secrets_are_cut_as_they_are_and_as_json_has_them() {
        let secrets = secrets();
        assert_eq!(secrets.cut("a tok-123456 b 1 c c00kie en"), "a [redacted] b 1 c [redacted] en");
        assert_eq!(secrets.cut(r#"{"a":"k3y\"with\"quotes"}"#), r#"{"a":"[redacted]"}"#);
    }

    #[test]
    fn session_ids_are_shortened() {
        let cut =
            secrets().cut("data: /messages/?sessionId=0123456789abcdef0123456789abcdef&x=1").into_owned();
        assert_eq!(cut, "data: /messages/?sessionId=01234567…&x=1");
        assert_eq!(secrets().cut("é session_id=abcdef"), "é session_id=ab…");
    }

    #[test]
    fn only_headers_of_the_protocol_are_shown() {
        assert!(is_shown_request_header("mcp-protocol-version"));
        for name in ["authorization", "cookie", "mcp-session-id", "x-api-key", "x-anything"] {
            assert!(!is_shown_request_header(name), "{name}");
        }
        assert!(is_shown_response_header("www-authenticate"));
        for name in ["set-cookie", "mcp-session-id", "x-auth-token"] {
            assert!(!is_shown_response_header(name), "{name}");
        }
    }
}
