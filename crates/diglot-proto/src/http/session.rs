//! Whether an answer says that the session is gone: one table over what servers in the field answer.
//!
//! The specification knows 404 alone. Others answer 400, 401, 409, 422 or 5xx and say it in words only, and the words
//! must not be taken for a demand for credentials, nor for an answer about something else that is called a session.

/// How many bytes of an answer's words are read.
const MOST_WORDS: usize = 1024;

/// An error status that answered a legacy request after the handshake, as far as it matters here.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Refusal<'a> {
    /// The status.
    pub status: u16,
    /// Whether the request carried no session id, because none had come with the handshake.
    pub is_without_id: bool,
    /// Whether the server asks for credentials by a challenge.
    pub has_challenge: bool,
    /// The code of the JSON-RPC error in the body, where there is one.
    pub code: Option<i64>,
    /// The message of that error, or the text of the body; nothing of a web page.
    pub words: &'a str,
}

/// What made an answer say that the session is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SessionLoss {
    /// 404, as the specification demands.
    NotFound,
    /// 410, which can mean nothing else.
    Gone,
    /// Another 4xx whose words speak of the session.
    Refused,
    /// 401 without a challenge, whose words speak of the session and of no credentials.
    Unauthorized,
    /// A 5xx whose words speak of the session.
    Failing,
    /// Any of them, where the stream of a request that was accepted was to be taken up again.
    Resuming,
}

impl<'a> Refusal<'a> {
    /// States a status without words.
    pub fn new(status: u16) -> Self {
        Self { status, is_without_id: false, has_challenge: false, code: None, words: "" }
    }

    /// Adds the words.
    #[must_use]
    pub fn words(mut self, words: &'a str) -> Self {
        self.words = words;
        self
    }

    /// Adds the code of a JSON-RPC error.
    #[must_use]
    pub fn code(mut self, code: i64) -> Self {
        self.code = Some(code);
        self
    }

    /// Adds that the request carried no session id.
    #[must_use]
    pub fn without_id(mut self) -> Self {
        self.is_without_id = true;
        self
    }

    /// Adds that there is a challenge.
    #[must_use]
    pub fn challenged(mut self) -> Self {
        self.has_challenge = true;
        self
    }

    /// Reads the answer: whether it says that the session is gone, and by what.
    ///
    /// To a request without a session id, only a plain demand for one says so: the id was lost on its way to the client.
    pub fn lost_session(&self) -> Option<SessionLoss> {
        use crate::jsonrpc::codes;
        let said = || Said::read(self.words);
        let refused = if self.is_without_id { Said::Plainly } else { Said::Loosely };
        match self.status {
            // It speaks of the method or its parameters, which a new session would not mend.
            _ if matches!(self.code, Some(codes::METHOD_NOT_FOUND | codes::INVALID_PARAMS)) => None,
            400 | 406 | 409 | 412 | 422 | 424 | 428 if said() >= refused => Some(SessionLoss::Refused),
            _ if self.is_without_id => None,
            404 => Some(SessionLoss::NotFound),
            410 => Some(SessionLoss::Gone),
            401 if !self.has_challenge && said() >= Said::Plainly && !asks_to_log_in(self.words) => {
                Some(SessionLoss::Unauthorized)
            }
            500 | 502 | 503 if said() >= Said::Plainly => Some(SessionLoss::Failing),
            _ => None,
        }
    }
}

impl SessionLoss {
    /// Returns its name, in kebab case.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotFound => "not-found",
            Self::Gone => "gone",
            Self::Refused => "refused",
            Self::Unauthorized => "unauthorized",
            Self::Failing => "failing",
            Self::Resuming => "resuming",
        }
    }

    /// Tells whether the server refused the request as such, so that it cannot have acted on it.
    pub const fn is_refusal(self) -> bool {
        !matches!(self, Self::Failing | Self::Resuming)
    }
}

/// How clearly words say that the session is gone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Said {
    Nothing,
    /// In words that fit other sessions too: enough beside a status that speaks of the request.
    Loosely,
    /// In words that fit nothing else.
    Plainly,
}

impl Said {
    fn read(words: &str) -> Self {
        let words = beginning(words);
        let says = |phrases: &[&str]| phrases.iter().any(|phrase| words.contains(phrase));
        if says(&["server not initialized", "not been initialized", "before initializ", "expect initialize"])
        {
            return Self::Loosely;
        }
        let names_the_header = says(&["session id", "session-id", "sessionid", "session_id"]);
        let says_that_it_is_away = says(&[
            "not found",
            "no valid",
            "unknown",
            "unrecogni",
            "not recogni",
            "not exist",
            "n't exist",
            "no such",
            "could not find",
            "couldn't find",
            "no longer",
            "terminated",
        ]);
        let says_that_it_is_wrong = says(&[
            "invalid",
            "expired",
            "missing",
            "required",
            "not initialized",
            "closed",
            "inactive",
            "not active",
            "no active",
        ]);
        match (names_the_header, words.contains("session")) {
            (true, _) if says_that_it_is_away || says_that_it_is_wrong => Self::Plainly,
            (_, true) if says_that_it_is_away => Self::Plainly,
            (_, true) if says_that_it_is_wrong => Self::Loosely,
            _ => Self::Nothing,
        }
    }
}

/// Tells whether words ask who is calling, so that the session they name is one of a login.
fn asks_to_log_in(words: &str) -> bool {
    let words = beginning(words);
    [
        "token",
        "login",
        "log in",
        "log-in",
        "sign in",
        "sign-in",
        "credential",
        "password",
        "authenticat",
        "api key",
    ]
    .iter()
    .any(|phrase| words.contains(phrase))
}

fn beginning(words: &str) -> String {
    words.get(..words.floor_char_boundary(MOST_WORDS)).unwrap_or_default().to_ascii_lowercase()
}
