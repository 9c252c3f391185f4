//! What a `Content-Type` says, parameters aside.

/// Returns the type and subtype of a `Content-Type`, without its parameters, in the case that was sent.
pub fn essence(content_type: &str) -> &str {
    content_type.split([';', ',']).next().unwrap_or_default().trim_ascii()
}

/// Says whether a `Content-Type` is JSON: `application/json`, or a type with the suffix `+json`.
pub fn is_json(content_type: &str) -> bool {
    let essence = essence(content_type);
    let suffix = essence.len().checked_sub("+json".len()).and_then(|at| essence.get(at..));
    essence.eq_ignore_ascii_case("application/json")
        || suffix.is_some_and(|suffix| suffix.eq_ignore_ascii_case("+json"))
}

/// Says whether a `Content-Type` is an event stream.
pub fn is_event_stream(content_type: &str) -> bool {
    essence(content_type).eq_ignore_ascii_case("text/event-stream")
}

/// Says whether a `Content-Type` is a web page, which is what proxies and login walls answer.
pub fn is_html(content_type: &str) -> bool {
    let essence = essence(content_type);
    essence.eq_ignore_ascii_case("text/html") || essence.eq_ignore_ascii_case("application/xhtml+xml")
}
