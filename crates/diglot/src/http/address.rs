//! Addresses of servers: which ones are taken, what is shown of them, and how a reference resolves against one.
//!
//! A resolved address always carries the origin of its base, so that no two parsers can read different hosts in it.

use std::borrow::Cow;
use std::fmt;

use ::http::Uri;
use ::http::uri::{Authority, Scheme};

use crate::error::{BadAddress, TransportError, TransportFault};

/// The longest address that is shown, in bytes.
const SHOWN_BYTES: usize = 300;

/// An `http` or `https` address with a host, without credentials and fragment, its origin in normal form.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Address {
    uri: Uri,
}

/// Where a reference leads.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Resolved {
    /// To the same origin.
    Here(Address),
    /// To another origin; the address is given as it is shown.
    Elsewhere(String),
    /// Nowhere: it cannot be read.
    Nowhere(String),
}

impl Address {
    /// Reads an address that a user gave.
    pub(crate) fn parse(text: &str) -> Result<Self, TransportError> {
        let text = text.trim();
        Self::read(text)
            .map_err(|reason| TransportError::new(TransportFault::BadAddress(reason), shown(text)))
    }

    fn read(text: &str) -> Result<Self, BadAddress> {
        let (scheme, rest) = text.split_once("://").ok_or(BadAddress::NotHttp)?;
        let (scheme, default_port) = match scheme.to_ascii_lowercase().as_str() {
            "http" => (Scheme::HTTP, ":80"),
            "https" => (Scheme::HTTPS, ":443"),
            _ => return Err(BadAddress::NotHttp),
        };
        let rest = rest.split('#').next().unwrap_or_default();
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        if authority.contains('@') {
            return Err(BadAddress::Credentials);
        }
        if authority.is_empty() || authority.starts_with(':') {
            return Err(BadAddress::NoHost);
        }
        let authority = authority.to_ascii_lowercase();
        let authority = authority.strip_suffix(default_port).unwrap_or(&authority);
        // The colons of an address of IPv6 stand in brackets.
        let port = authority.rsplit_once(':').map(|(_, port)| port).filter(|port| !port.ends_with(']'));
        if port.is_some_and(|port| port.starts_with('+') || port.parse::<u16>().is_err()) {
            return Err(BadAddress::Unreadable);
        }
        let authority: Authority = authority.parse().map_err(|_| BadAddress::Unreadable)?;
        let (path, query) = match path.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (path, None),
        };
        Self::new(scheme, authority, path, query).ok_or(BadAddress::Unreadable)
    }

    fn new(scheme: Scheme, authority: Authority, path: &str, query: Option<&str>) -> Option<Self> {
        let mut target = encoded(if path.is_empty() { "/" } else { path }).into_owned();
        if let Some(query) = query {
            target.push('?');
            target.push_str(&encoded(query));
        }
        let uri = Uri::builder().scheme(scheme).authority(authority).path_and_query(target).build().ok()?;
        Some(Self { uri })
    }

    /// Returns the address as requests carry it.
    pub(crate) fn uri(&self) -> &Uri {
        &self.uri
    }

    /// Resolves a reference as RFC 3986, section 5.2, does, with the leniencies of WHATWG: surrounding space is
    /// cut off, a backslash is a slash, and characters that an address cannot have are encoded.
    pub(crate) fn resolve(&self, reference: &[u8]) -> Resolved {
        let text = String::from_utf8_lossy(reference);
        let text = text.trim_matches(|c: char| c.is_control() || c == ' ').replace(['\t', '\r', '\n'], "");
        let text = text.split('#').next().unwrap_or_default();
        let (path, query) = match text.split_once('?') {
            Some((path, query)) => (path.replace('\\', "/"), Some(query)),
            None => (text.replace('\\', "/"), None),
        };
        let whole = match query {
            Some(query) => Cow::Owned(format!("{path}?{query}")),
            None => Cow::Borrowed(path.as_str()),
        };
        if has_scheme(&path) {
            return self.resolve_absolute(&whole);
        }
        if path.starts_with("//") {
            return self.resolve_absolute(&format!("{}:{whole}", self.uri.scheme_str().unwrap_or("http")));
        }
        let (path, query) = match path.is_empty() {
            true => (self.uri.path().to_owned(), query.or_else(|| self.uri.query())),
            false => (without_dots(&joined(self.uri.path(), &path)), query),
        };
        self.at(&path, query).map_or_else(|| Resolved::Nowhere(shown(text)), Resolved::Here)
    }

    fn resolve_absolute(&self, text: &str) -> Resolved {
        match Self::read(text) {
            Ok(address) if address.has_origin_of(self) => {
                let path = without_dots(address.uri.path());
                let here = self.at(&path, address.uri.query());
                here.map_or_else(|| Resolved::Nowhere(shown(text)), Resolved::Here)
            }
            // Credentials in a reference are nobody's business here, whatever their host.
            Ok(_) | Err(BadAddress::Credentials) => Resolved::Elsewhere(shown(text)),
            // A foreign scheme is another place all the same.
            Err(BadAddress::NotHttp) if text.contains("://") => Resolved::Elsewhere(shown(text)),
            Err(_) => Resolved::Nowhere(shown(text)),
        }
    }

    /// Returns another path of the same origin.
    pub(crate) fn at(&self, path: &str, query: Option<&str>) -> Option<Self> {
        let (scheme, authority) = (self.uri.scheme()?.clone(), self.uri.authority()?.clone());
        Self::new(scheme, authority, path, query)
    }

    fn has_origin_of(&self, other: &Self) -> bool {
        (self.uri.scheme(), self.uri.authority()) == (other.uri.scheme(), other.uri.authority())
    }
}

/// Shows no query, which may hold a key.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let authority = self.uri.authority().map_or("", Authority::as_str);
        write!(f, "{}://{authority}{}", self.uri.scheme_str().unwrap_or_default(), self.uri.path())
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Shows a text that may be an address: without query, fragment and credentials, and not at any length.
pub(super) fn shown(text: &str) -> String {
    let text = text.split(['?', '#']).next().unwrap_or_default();
    let (scheme, rest) = match text.find("//") {
        Some(at) => text.split_at(at + 2),
        None => ("", text),
    };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit('@').next().unwrap_or_default();
    let mut shown: String =
        [scheme, host, path].concat().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    shown.truncate(shown.floor_char_boundary(SHOWN_BYTES));
    shown
}

/// Encodes what the path and query of an address cannot have; what is encoded already stays.
fn encoded(text: &str) -> Cow<'_, str> {
    let fits = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}#".contains(&byte);
    if text.bytes().all(fits) {
        return Cow::Borrowed(text);
    }
    let mut encoded = String::with_capacity(text.len() + 16);
    for byte in text.bytes() {
        match fits(byte) {
            true => encoded.push(byte.into()),
            false => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    Cow::Owned(encoded)
}

fn has_scheme(path: &str) -> bool {
    let Some((scheme, _)) = path.split_once(':') else { return false };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}

/// Puts a relative path in the place of the last segment of its base.
fn joined(base: &str, path: &str) -> String {
    if path.starts_with('/') {
        return path.to_owned();
    }
    let folder = base.rfind('/').and_then(|at| base.get(..=at)).unwrap_or("/");
    format!("{folder}{path}")
}

/// Takes `.` and `..` out of a path (RFC 3986, section 5.2.4).
fn without_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut is_folder = false;
    for segment in path.strip_prefix('/').unwrap_or(path).split('/') {
        let is_dots = match segment {
            "." | "%2e" | "%2E" => true,
            ".." | ".%2e" | "%2e." | ".%2E" | "%2E." | "%2e%2e" | "%2E%2E" | "%2e%2E" | "%2E%2e" => {
                kept.pop();
                true
            }
            _ => false,
        };
        if !is_dots {
            kept.push(segment);
        }
        is_folder = is_dots;
    }
    let mut path = format!("/{}", kept.join("/"));
    if is_folder && !path.ends_with('/') {
        path.push('/');
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Address {
        Address::parse(text).unwrap()
    }

    fn resolved(base: &str, reference: &str) -> String {
        match address(base).resolve(reference.as_bytes()) {
            Resolved::Here(address) => address.uri().to_string(),
            Resolved::Elsewhere(shown) => format!("elsewhere {shown}"),
            Resolved::Nowhere(shown) => format!("nowhere {shown}"),
        }
    }

    #[test]
    fn references_resolve_as_the_standard_says() {
        // RFC 3986, section 5.4, as far as it speaks of http.
        for (reference, expected) in [
            ("g", "/b/c/g"),
            ("./g", "/b/c/g"),
            ("g/", "/b/c/g/"),
            ("/g", "/g"),
            ("?y", "/b/c/d;p?y"),
            ("g?y", "/b/c/g?y"),
            ("#s", "/b/c/d;p?q"),
            ("g#s", "/b/c/g"),
            ("g;x=1/./y", "/b/c/g;x=1/y"),
            ("g;x=1/../y", "/b/c/y"),
            ("", "/b/c/d;p?q"),
            (".", "/b/c/"),
            ("./", "/b/c/"),
            ("..", "/b/"),
            ("../g", "/b/g"),
            ("../..", "/"),
            ("../../g", "/g"),
            ("../../../g", "/g"),
            ("/./g", "/g"),
            ("/../g", "/g"),
            ("g.", "/b/c/g."),
            ("..g", "/b/c/..g"),
            ("g?y/../x", "/b/c/g?y/../x"),
            ("//A:80/g/../h?i", "/h?i"),
            ("http://a/h", "/h"),
            ("HTTP://A", "/"),
        ] {
            assert_eq!(
                resolved("http://a/b/c/d;p?q", reference),
                format!("http://a{expected}"),
                "{reference}"
            );
        }
    }

    #[test]
    fn what_browsers_forgive_is_forgiven() {
        for (reference, expected) in [
            (" /messages?id=1\n", "http://a/messages?id=1"),
            ("\\messages\\?a\\b", "http://a/messages/?a%5Cb"),
            ("/a b/ü?q=ö", "http://a/a%20b/%C3%BC?q=%C3%B6"),
            ("/a%20b", "http://a/a%20b"),
            ("/x/%2e%2E/y", "http://a/y"),
        ] {
            assert_eq!(resolved("http://a/sse", reference), expected);
        }
    }

    #[test]
    fn another_origin_is_elsewhere() {
        for (reference, expected) in [
            ("http://b/x?key=1", "http://b/x"),
            ("//b/x", "http://b/x"),
            ("\\\\b/x", "http://b/x"),
            ("https://a/x", "https://a/x"),
            ("http://a:81/x", "http://a:81/x"),
            ("http://me:secret@a/x", "http://a/x"),
            ("http://a.b/x", "http://a.b/x"),
            ("ftp://a/x", "ftp://a/x"),
        ] {
            assert_eq!(resolved("http://a/sse", reference), format!("elsewhere {expected}"));
        }
        assert_eq!(resolved("http://a/", "mailto:a"), "nowhere mailto:a");
        assert_eq!(resolved("http://a/", "http://"), "nowhere http://");
    }

    #[test]
    fn an_origin_has_one_form() {
        let origin = |text| address(text).to_string();
        assert_eq!(origin("HTTP://LocalHost:80"), "http://localhost/");
        assert_eq!(origin("https://example.com:443/mcp?key=1#x"), "https://example.com/mcp");
        assert_eq!(origin(" http://[::1]:8000/mcp\n"), "http://[::1]:8000/mcp");
        assert_eq!(origin("http://a?b"), "http://a/");
        assert_eq!(address("http://a?b").uri().to_string(), "http://a/?b");
    }

    #[test]
    fn what_is_no_address_is_refused_with_a_reason_and_without_its_secrets() {
        for (text, reason, shown) in [
            ("localhost:8000/mcp", BadAddress::NotHttp, "localhost:8000/mcp"),
            ("ws://a/?key=secret", BadAddress::NotHttp, "ws://a/"),
            ("http:///mcp", BadAddress::NoHost, "http:///mcp"),
            ("http://:80/", BadAddress::NoHost, "http://:80/"),
            ("http://me:secret@a/mcp", BadAddress::Credentials, "http://a/mcp"),
            ("http://a b/", BadAddress::Unreadable, "http://a b/"),
            ("http://a:99999/", BadAddress::Unreadable, "http://a:99999/"),
            ("http://a:/", BadAddress::Unreadable, "http://a:/"),
            ("http://ü/", BadAddress::Unreadable, "http://ü/"),
        ] {
            let error = Address::parse(text).expect_err(text);
            assert_eq!((error.fault, error.target.as_str()), (TransportFault::BadAddress(reason), shown));
        }
    }
}
