//! How far a request has come.

use std::fmt;

use serde_json::value::RawValue;

use crate::jsonrpc::Id;

record! {
    /// The parameters of `notifications/progress` (`basic/patterns/progress`).
    ProgressParams {
        /// The token that the request carries.
        required progress_token: Id = "progressToken";
        /// How much is done, in units of the server's own.
        required progress: f64 as Number = "progress";
        /// How much there is in all, in the same units, where the server knows.
        optional total: f64 as Number = "total";
        /// What is being done, for people.
        optional message: String = "message";
    } with meta
}

impl ProgressParams {
    /// Makes the parameters that tell this to the request with that token.
    pub fn tell(token: impl Into<Id>, progress: Progress) -> Self {
        let Progress { progress, total, message } = progress;
        Self { total, message, ..Self::new(token, progress) }
    }
}

/// What a `notifications/progress` says, without the token that brings it to its request.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// How much is done, in units of the server's own.
    pub progress: f64,
    /// How much there is in all, in the same units, where the server knows.
    pub total: Option<f64>,
    /// What is being done, for people.
    pub message: Option<String>,
}

impl Progress {
    /// Says how much is done.
    pub fn new(progress: impl Into<f64>) -> Self {
        Self { progress: progress.into(), total: None, message: None }
    }

    /// Says how much there is in all.
    #[must_use]
    pub fn total(mut self, total: impl Into<f64>) -> Self {
        self.total = Some(total.into());
        self
    }

    /// Says what is being done.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// Reads a notification's parameters, or nothing where they tell no progress.
    ///
    /// The token does not matter here: [`meta::progress_token`](crate::meta::progress_token) compares it.
    pub fn read(params: &RawValue) -> Option<Self> {
        let object = crate::object::Object::read(params)?;
        Some(Self {
            progress: object.parse("progress")?,
            total: object.parse("total"),
            message: object.string("message"),
        })
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.progress)?;
        if let Some(total) = self.total {
            write!(f, "/{total}")?;
        }
        match &self.message {
            Some(message) => write!(f, " {message}"),
            None => Ok(()),
        }
    }
}
