//! The floor: a request is parsed without a copy, a result is serialised, and nothing is checked.
//!
//! No validation, no headers looked at, no sessions; what a real server costs is told as a multiple of this.

mod mailbox;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::LazyLock;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub use mailbox::{Mailbox, publish, subscribers};

/// What a request is answered with.
#[derive(Debug)]
pub enum Answer {
    /// One message.
    Message(Vec<u8>),
    /// A stream of events that stays open; this is the first of them.
    Stream(Bytes),
    /// A message without an id: nothing.
    Nothing,
}

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Say<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
    count: usize,
}

#[derive(Serialize)]
struct Response<'a, R> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    result: R,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Said<'a> {
    result_type: &'static str,
    content: [Text<'a>; 1],
}

#[derive(Serialize)]
struct Text<'a> {
    r#type: &'static str,
    text: &'a str,
}

/// The list of tools as it is sent, kept ready.
static LIST: LazyLock<Box<RawValue>> = LazyLock::new(|| {
    let mut list = String::from(r#"{"resultType":"complete","tools":["#);
    for number in 0..50 {
        let comma = if number > 0 { "," } else { "" };
        let _ = write!(
            list,
            r#"{comma}{{"name":"tool_{number:02}","description":"Says a text a number of times","inputSchema":{{"type":"object","title":"Say","description":"What to say.","properties":{{"text":{{"type":"string","description":"The text.","maxLength":100000}},"count":{{"type":"integer","description":"How many times.","format":"uint32","minimum":1,"maximum":100}}}},"required":["text","count"]}}}}"#,
        );
    }
    list.push_str(r#"],"ttlMs":0,"cacheScope":"public"}"#);
    RawValue::from_string(list).expect("the list is JSON")
});

/// Answers a message; one that cannot be parsed is answered with nothing.
pub fn answer(message: &[u8]) -> Answer {
    read(message).unwrap_or(Answer::Nothing)
}

fn read(message: &[u8]) -> Option<Answer> {
    let request: Request<'_> = serde_json::from_slice(message).ok()?;
    let id = request.id?;
    Some(match &*request.method {
        "tools/call" => {
            let call: Call<'_> = serde_json::from_str(request.params?.get()).ok()?;
            if call.name == "touch" {
                publish(Bytes::from_static(CHANGED));
                return write(id, said("touched")).map(Answer::Message);
            }
            let say: Say<'_> = serde_json::from_str(call.arguments?.get()).ok()?;
            let text = match say.count {
                1 => say.text,
                count => say.text.repeat(count).into(),
            };
            Answer::Message(write(id, said(&text))?)
        }
        "tools/list" => Answer::Message(write(id, &**LIST)?),
        "subscriptions/listen" => Answer::Stream(Bytes::from_static(ACKNOWLEDGED)),
        _ => Answer::Message(write(id, Empty {})?),
    })
}

#[derive(Serialize)]
struct Empty {}

const ACKNOWLEDGED: &[u8] =
    b"data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{}}\n\n";
const CHANGED: &[u8] =
    b"data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":{}}\n\n";

fn said(text: &str) -> Said<'_> {
    Said { result_type: "complete", content: [Text { r#type: "text", text }] }
}

fn write(id: &RawValue, result: impl Serialize) -> Option<Vec<u8>> {
    serde_json::to_vec(&Response { jsonrpc: "2.0", id, result }).ok()
}
