//! The state that a modern client carries between two passes of one request: sealed, bound, and short-lived.
//!
//! It holds the answers so far. It is encrypted and authenticated with the caller, the method and the parameters as
//! associated data, so that it opens only for the same request of the same caller, and only until it expires.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use diglot_proto::object::Object;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom, SystemRandom};
use serde_json::value::{RawValue, to_raw_value};

/// The largest state that is opened, in bytes of its text.
const MOST_BYTES: usize = 256 * 1024;

/// The keys that seal and open states: the first seals, all open.
pub(crate) struct Seal {
    keys: Vec<LessSafeKey>,
    random: SystemRandom,
}

/// Why a state is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It was altered, or was made for another request or caller, or with another key.
    NotOurs,
    /// Its time is over.
    Expired,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotOurs => "the requestState was altered, or belongs to another request",
            Self::Expired => "the requestState has expired; make the request again without it",
        })
    }
}

/// The answers so far, by the questions' names.
pub(crate) type Answers = Vec<(String, Box<RawValue>)>;

impl Seal {
    /// Takes keys of 32 bytes each; without any, one is drawn that lives as long as the process.
    pub(crate) fn new(keys: &[[u8; 32]]) -> Self {
        let random = SystemRandom::new();
        let mut own = [0; 32];
        random.fill(&mut own).expect("the system has randomness");
        let given = if keys.is_empty() { std::slice::from_ref(&own) } else { keys };
        let keys = given.iter().map(|key| {
            LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, key).expect("a key has 32 bytes"))
        });
        Self { keys: keys.collect(), random }
    }

    /// Seals answers for a request; `bound` is what the state is good for.
    pub(crate) fn seal(
        &self,
        answers: &[(String, Box<RawValue>)],
        bound: &[u8],
        lifetime: Duration,
    ) -> String {
        let expires = now().saturating_add(lifetime.as_secs());
        let answers: serde_json::Map<String, serde_json::Value> = answers
            .iter()
            .filter_map(|(name, answer)| Some((name.clone(), serde_json::from_str(answer.get()).ok()?)))
            .collect();
        let mut text = serde_json::json!({ "expires": expires, "answers": answers }).to_string().into_bytes();
        let mut nonce = [0; NONCE_LEN];
        self.random.fill(&mut nonce).expect("the system has randomness");
        let key = self.keys.first().expect("there is always a key");
        key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(bound), &mut text)
            .expect("a state is far below the cipher's limit");
        hex(nonce.iter().chain(&text))
    }

    /// Opens a state that was sealed for the same request.
    pub(crate) fn open(&self, state: &str, bound: &[u8]) -> Result<Answers, Refusal> {
        let bytes = unhex(state).filter(|_| state.len() <= MOST_BYTES).ok_or(Refusal::NotOurs)?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE_LEN>().ok_or(Refusal::NotOurs)?;
        let opened = self.keys.iter().find_map(|key| {
            let mut sealed = sealed.to_vec();
            let nonce = Nonce::assume_unique_for_key(*nonce);
            key.open_in_place(nonce, Aad::from(bound), &mut sealed).ok().map(|text| text.to_vec())
        });
        let text = opened.and_then(|text| String::from_utf8(text).ok()).ok_or(Refusal::NotOurs)?;
        let object: Object<'_> = serde_json::from_str(&text).map_err(|_| Refusal::NotOurs)?;
        if object.parse::<u64>("expires").is_none_or(|expires| expires < now()) {
            return Err(Refusal::Expired);
        }
        let answers = object.object("answers").unwrap_or_default();
        Ok(answers.iter().map(|(name, answer)| (name.to_owned(), answer.to_owned())).collect())
    }
}

/// Says what a state is good for: the caller, the method, and the parameters but for what a retry adds.
pub(crate) fn bound(principal: Option<&str>, method: &str, params: Option<&RawValue>) -> Vec<u8> {
    let object = params.and_then(Object::read).unwrap_or_default();
    // Sorted and respelled, since a client may write the same parameters in another way the second time.
    let members: std::collections::BTreeMap<&str, serde_json::Value> = object
        .iter()
        .filter(|(name, _)| !matches!(*name, "_meta" | "inputResponses" | "requestState"))
        .filter_map(|(name, value)| Some((name, serde_json::from_str(value.get()).ok()?)))
        .collect();
    let members = to_raw_value(&members).map(|raw| raw.get().to_owned()).unwrap_or_default();
    format!("{}\u{0}{method}\u{0}{members}", principal.unwrap_or_default()).into_bytes()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn hex<'b>(bytes: impl Iterator<Item = &'b u8>) -> String {
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| match pair {
            [high, low] => Some(digit(*high)? * 16 + digit(*low)?),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn a_state_opens_for_its_own_request_and_no_other() {
        let seal = Seal::new(&[]);
        let params = raw(r#"{"name":"deploy","arguments":{"a":1,"b":2}}"#);
        let here = bound(Some("ann"), "tools/call", Some(&params));
        let state = seal.seal(&[("q".to_owned(), raw("true"))], &here, HOUR);
        let answers = seal.open(&state, &here).unwrap();
        assert_eq!((answers[0].0.as_str(), answers[0].1.get()), ("q", "true"));
        let respelled = raw(r#"{"requestState":"x","arguments":{"b":2, "a":1},"name":"deploy","_meta":{}}"#);
        assert!(seal.open(&state, &bound(Some("ann"), "tools/call", Some(&respelled))).is_ok());
        let other = raw(r#"{"name":"deploy","arguments":{"a":1,"b":3}}"#);
        for elsewhere in [
            bound(Some("bob"), "tools/call", Some(&params)),
            bound(None, "tools/call", Some(&params)),
            bound(Some("ann"), "prompts/get", Some(&params)),
            bound(Some("ann"), "tools/call", Some(&other)),
        ] {
            assert_eq!(seal.open(&state, &elsewhere).unwrap_err(), Refusal::NotOurs);
        }
    }

    #[test]
    fn an_altered_or_expired_state_is_refused() {
        let seal = Seal::new(&[]);
        let state = seal.seal(&[], b"here", HOUR);
        for altered in [
            format!("{state}00"),
            state[2..].to_owned(),
            format!("00{}", &state[2..]),
            format!("{state}-TAMPERED"),
            String::new(),
        ] {
            assert_eq!(seal.open(&altered, b"here").unwrap_err(), Refusal::NotOurs, "{altered}");
        }
        let sealed = Seal { keys: Seal::new(&[[7; 32]]).keys, random: SystemRandom::new() };
        let mut text = br#"{"expires":1,"answers":{}}"#.to_vec();
        let nonce = [3; NONCE_LEN];
        sealed.keys[0]
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(b"here".as_slice()),
                &mut text,
            )
            .unwrap();
        let state = hex(nonce.iter().chain(&text));
        assert_eq!(sealed.open(&state, b"here").unwrap_err(), Refusal::Expired);
    }

    #[test]
    fn an_older_key_still_opens_after_a_rotation() {
        let state = Seal::new(&[[1; 32]]).seal(&[], b"here", HOUR);
        assert!(Seal::new(&[[2; 32], [1; 32]]).open(&state, b"here").is_ok());
        assert_eq!(Seal::new(&[[2; 32]]).open(&state, b"here").unwrap_err(), Refusal::NotOurs);
    }
}
