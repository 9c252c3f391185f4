//! How an event stream is written.

use diglot_proto::jsonrpc;

/// A line that keeps a quiet stream alive.
pub(super) const COMMENT: &[u8] = b": \n\n";

/// Writes an event that carries a message.
pub(super) fn message(out: &mut Vec<u8>, message: &[u8]) {
    out.reserve(message.len() + 8);
    out.extend_from_slice(b"data: ");
    data(out, message);
}

/// Writes an event that carries a message and can be resumed after.
pub(super) fn numbered(out: &mut Vec<u8>, stream: u32, event: u32, message: &[u8]) {
    out.reserve(message.len() + 40);
    out.extend_from_slice(format!("id: {stream}-{event}\ndata: ").as_bytes());
    data(out, message);
}

/// Writes the event that only says where a stream can be resumed, and after how long.
pub(super) fn priming(out: &mut Vec<u8>, stream: u32, event: u32, retry_ms: u64) {
    out.extend_from_slice(format!("id: {stream}-{event}\nretry: {retry_ms}\ndata:\n\n").as_bytes());
}

/// Reads the id of an event: its stream, and its number there.
pub(super) fn read_id(id: &str) -> Option<(u32, u32)> {
    let (stream, event) = id.split_once('-')?;
    Some((stream.parse().ok()?, event.parse().ok()?))
}

/// Writes data on one line: a raw newline can stand in JSON only where a space can.
fn data(out: &mut Vec<u8>, message: &[u8]) {
    let start = out.len();
    out.extend_from_slice(message);
    jsonrpc::flatten(out.get_mut(start..).unwrap_or_default());
    out.extend_from_slice(b"\n\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_of_several_lines_is_one_event() {
        let mut out = Vec::new();
        numbered(&mut out, 3, 7, b"{\"a\":\r\n1}");
        assert_eq!(String::from_utf8(out).unwrap(), "id: 3-7\ndata: {\"a\":  1}\n\n");
    }

    #[test]
    fn an_id_reads_back_and_nonsense_does_not() {
        assert_eq!(read_id("3-7"), Some((3, 7)));
        for nonsense in ["", "-", "3", "3-", "-7", "3-7-1", "4294967296-1", "a-1"] {
            assert_eq!(read_id(nonsense), None, "{nonsense}");
        }
    }
}
