//! The values that must not show up in errors and trails, and how they are cut out of what a server echoes.

use diglot_proto::http::response;

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
    /// Adds the value of a header, and of `Authorization` also the token behind its scheme.
    pub(super) fn add(&mut self, name: &str, value: &str) {
        let value = value.trim();
        let is_authorization = name.eq_ignore_ascii_case("authorization");
        let token = value.split_once(' ').map(|(_, token)| token.trim()).filter(|_| is_authorization);
        let shortest = if is_authorization { SHORTEST_TOKEN } else { SHORTEST };
        let kept = [(value, shortest), (token.unwrap_or_default(), SHORTEST_TOKEN)];
        self.values.extend(
            kept.iter()
                .filter(|(text, shortest)| text.len() >= *shortest)
                .map(|(text, _)| (*text).to_owned()),
        );
        self.values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        self.values.dedup();
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
    fn nothing_is_shown_of_a_secret() {
        assert_eq!(format!("{:?}", secrets(&[("x-key", "0123456789")])), "1 secrets");
    }
}
