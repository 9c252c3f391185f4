//! The values that must not show up in errors and trails, and how they are cut out of what a server echoes.

use diglot_proto::http::response;
use diglot_proto::jsonrpc::{Message, Response, RpcError};
use serde_json::value::RawValue;

use crate::transport::Inbound;

/// The shortest header value that is taken for a secret, in bytes: shorter ones occur in any text.
const SHORTEST: usize = 8;

/// The shortest token after a scheme of `Authorization` that is taken for one, in bytes.
const SHORTEST_TOKEN: usize = 4;

const CUT: &str = "***";

/// The header values that a user configured, longest first.
#[derive(Clone, Default)]
pub(super) struct Secrets {
    values: Vec<String>,
}

impl Secrets {
    /// Adds the value of a header, of `Authorization` also the token behind its scheme, and of `Cookie` each cookie's.
    pub(super) fn add(&mut self, name: &str, value: &str) {
        let value = value.trim();
        let is_authorization = name.eq_ignore_ascii_case("authorization");
        let shortest = if is_authorization { SHORTEST_TOKEN } else { SHORTEST };
        self.keep(value, shortest);
        if is_authorization && let Some((_, token)) = value.split_once(' ') {
            self.keep(token.trim(), SHORTEST_TOKEN);
        }
        if name.eq_ignore_ascii_case("cookie") {
            let cookies = value.split(';').filter_map(|cookie| cookie.split_once('='));
            cookies.for_each(|(_, cookie)| self.keep(cookie.trim(), SHORTEST));
        }
        self.values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        self.values.dedup();
    }

    fn keep(&mut self, text: &str, shortest: usize) {
        if text.len() >= shortest {
            self.values.push(text.to_owned());
        }
    }

    /// Cuts every secret out of what a server says of a failure. A result is the caller's and stays as it came.
    pub(super) fn clean(&self, mut inbound: Inbound) -> Inbound {
        if let Inbound::Message(Message::Response(Response { outcome: Err(error), .. })) = &mut inbound {
            self.clean_error(error);
        }
        inbound
    }

    pub(super) fn clean_error(&self, error: &mut RpcError) {
        error.message = self.cut(&error.message);
        let data = error.data.take().map(|data| RawValue::from_string(self.cut(data.get())));
        error.data = data.and_then(Result::ok);
    }

    /// Cuts every secret out of a text.
    pub(super) fn cut(&self, text: &str) -> String {
        self.values.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), CUT))
    }

    /// Makes the excerpt of a body: at most `limit` bytes of it, without secrets.
    pub(super) fn excerpt(&self, body: &[u8], limit: usize) -> String {
        // A secret that the limit would cut in two is to be recognised still.
        let longest = self.values.first().map_or(0, String::len);
        let wide = response::excerpt(body, limit.saturating_add(longest));
        let mut text = self.cut(&wide);
        if text.len() > limit {
            text.truncate(text.floor_char_boundary(limit));
            text.truncate(text.trim_end_matches('…').len());
            text.push('…');
        }
        text
    }
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} secrets", self.values.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(headers: &[(&str, &str)]) -> Secrets {
        let mut secrets = Secrets::default();
        headers.iter().for_each(|(name, value)| secrets.add(name, value));
        secrets
    }

    #[test]
    fn a_secret_is_cut_out_with_and_without_its_scheme() {
        let secrets =
            secrets(&[("Authorization", "Bearer abc.def"), ("x-key", "0123456789"), ("x-mode", "fast")]);
        let text = "no Bearer abc.def, no abc.def, no 0123456789; fast stays";
        assert_eq!(secrets.excerpt(text.as_bytes(), 100), "no ***, no ***, no ***; fast stays");
    }

    #[test]
    fn a_longer_secret_is_cut_before_a_shorter_one_that_it_contains() {
        let secrets = secrets(&[("x-short", "01234567"), ("x-long", "0123456789")]);
        assert_eq!(secrets.cut("0123456789"), "***");
    }

    #[test]
    fn the_limit_leaves_no_half_of_a_secret() {
        let secrets = secrets(&[("x-key", "0123456789")]);
        for limit in 0..20 {
            let excerpt = secrets.excerpt(b"key: 0123456789 and more", limit);
            assert!(!excerpt.contains("0123"), "{limit}: {excerpt}");
            assert!(excerpt.len() <= limit + '…'.len_utf8(), "{limit}: {excerpt}");
        }
    }

    #[test]
    fn a_cookie_is_cut_with_and_without_its_name() {
        let secrets = secrets(&[("Cookie", "sid=0123456789; lang=en; t=abcdefgh")]);
        assert_eq!(secrets.cut("sid=0123456789 0123456789 abcdefgh en"), "sid=*** *** *** en");
    }

    #[test]
    fn an_error_loses_its_secrets_and_keeps_the_rest() {
        let secrets = secrets(&[("x-key", "0123456789")]);
        let data = RawValue::from_string(r#"{"supported":["0123456789"],"more":1}"#.to_owned()).unwrap();
        let mut error = RpcError::new(-32022, "no 0123456789").with_data(data);
        secrets.clean_error(&mut error);
        assert_eq!(error.to_string(), "no *** (code -32022)");
        assert_eq!(error.data.unwrap().get(), r#"{"supported":["***"],"more":1}"#);
    }

    #[test]
    fn nothing_is_shown_of_a_secret() {
        assert_eq!(format!("{:?}", secrets(&[("x-key", "0123456789")])), "1 secrets");
    }
}
