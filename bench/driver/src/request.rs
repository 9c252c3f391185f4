//! The bytes of every request, with a place for the id.

/// How many digits an id has, so that every request of a kind is of the same length.
const DIGITS: usize = 9;
const PLACE: &[u8; DIGITS] = b"000000000";

/// The modern revision.
const MODERN: &str = "2026-07-28";
/// The legacy revision.
const LEGACY: &str = "2025-11-25";

const ENVELOPE: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{}}"#;

/// Over what a request goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over<'a> {
    /// HTTP, by the address of the server.
    Http(&'a str),
    /// A pipe: a line.
    Pipe,
}

/// A request that can be sent any number of times, with another id each time.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    bytes: Vec<u8>,
    id_at: usize,
}

impl Template {
    fn of(bytes: Vec<u8>) -> Self {
        // The id comes before the parameters, so that no text of theirs is taken for it.
        let id_at = memchr::memmem::find(&bytes, PLACE).unwrap_or_default();
        Self { bytes, id_at }
    }

    /// Puts in an id and returns the bytes.
    pub(crate) fn with_id(&mut self, id: u64) -> &[u8] {
        let digits = format!("{id:09}");
        if let Some(place) = self.bytes.get_mut(self.id_at..self.id_at + DIGITS) {
            place.copy_from_slice(digits.as_bytes().first_chunk::<DIGITS>().unwrap_or(PLACE));
        }
        &self.bytes
    }
}

/// The arguments of a call.
pub(crate) enum Text {
    /// A short text, said once.
    Short,
    /// 64 KiB of text, said once.
    Large,
    /// 1 KiB of text, said 64 times.
    Repeated,
}

impl Text {
    fn arguments(&self) -> String {
        let (text, count) = match self {
            Self::Short => ("hello, world".to_owned(), 1),
            Self::Large => (prose(64 * 1024), 1),
            Self::Repeated => (prose(1024), 64),
        };
        format!(r#"{{"text":"{text}","count":{count}}}"#)
    }
}

/// Returns lines of text as JSON escapes them.
fn prose(length: usize) -> String {
    const LINE: &str = r#"The quick brown fox jumps over the lazy dog; \"what does it cost?\", it asks.\n"#;
    let mut text = LINE.repeat(length / LINE.len() + 1);
    text.truncate(length / LINE.len() * LINE.len());
    text
}

/// Makes a modern call of a tool.
pub(crate) fn call(over: Over<'_>, name: &str, text: &Text) -> Template {
    let arguments = text.arguments();
    modern(over, "tools/call", Some(name), &format!(r#""name":"{name}","arguments":{arguments},"#))
}

/// Makes a modern call of the tool that tells of a change.
pub(crate) fn touch(over: Over<'_>) -> Template {
    modern(over, "tools/call", Some("touch"), r#""name":"touch","arguments":{},"#)
}

/// Makes a modern request for the list of tools.
pub(crate) fn list(over: Over<'_>) -> Template {
    modern(over, "tools/list", None, "")
}

/// Makes a modern request to be told of changes.
pub(crate) fn listen(over: Over<'_>) -> Template {
    modern(over, "subscriptions/listen", None, r#""notifications":{"toolsListChanged":true},"#)
}

fn modern(over: Over<'_>, method: &str, name: Option<&str>, params: &str) -> Template {
    let body = message(method, &format!("{{{params}{ENVELOPE}}}"));
    let name = name.map(|name| format!("Mcp-Name: {name}\r\n")).unwrap_or_default();
    let headers = format!("MCP-Protocol-Version: {MODERN}\r\nMcp-Method: {method}\r\n{name}");
    Template::of(wrap(over, "POST", &headers, &body))
}

/// Makes the request that opens a legacy session.
pub(crate) fn initialize(over: Over<'_>) -> Template {
    let params = format!(
        r#"{{"protocolVersion":"{LEGACY}","capabilities":{{}},"clientInfo":{{"name":"bench","version":"1.0.0"}}}}"#
    );
    Template::of(wrap(over, "POST", "", &message("initialize", &params)))
}

/// Makes the notification that ends the opening of a legacy session.
pub(crate) fn initialized(over: Over<'_>, session: Option<&str>) -> Vec<u8> {
    let body = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    wrap(over, "POST", &legacy_headers(session), body)
}

/// Makes a legacy call of a tool.
pub(crate) fn legacy_call(over: Over<'_>, session: Option<&str>, name: &str, text: &Text) -> Template {
    let params = format!(r#"{{"name":"{name}","arguments":{}}}"#, text.arguments());
    Template::of(wrap(over, "POST", &legacy_headers(session), &message("tools/call", &params)))
}

/// Makes the request for the stream of a legacy session.
pub(crate) fn stream(over: Over<'_>, session: Option<&str>) -> Vec<u8> {
    wrap(over, "GET", &legacy_headers(session), "")
}

fn legacy_headers(session: Option<&str>) -> String {
    let session = session.map(|session| format!("Mcp-Session-Id: {session}\r\n")).unwrap_or_default();
    format!("MCP-Protocol-Version: {LEGACY}\r\n{session}")
}

fn message(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":000000000,"method":"{method}","params":{params}}}"#)
}

fn wrap(over: Over<'_>, verb: &str, headers: &str, body: &str) -> Vec<u8> {
    let Over::Http(address) = over else { return format!("{body}\n").into_bytes() };
    let accept = if verb == "GET" { "text/event-stream" } else { "application/json, text/event-stream" };
    let length = match verb {
        "GET" => String::new(),
        _ => format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len()),
    };
    let head =
        format!("{verb} /mcp HTTP/1.1\r\nHost: {address}\r\nAccept: {accept}\r\n{length}{headers}\r\n");
    format!("{head}{body}").into_bytes()
}
