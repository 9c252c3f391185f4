//! How one task stands, as a value: what may become of it, how a store keeps it, and how each era spells it.

use diglot_proto::jsonrpc::RpcError;
use diglot_proto::object::Object;
use diglot_proto::types::TaskStatus;
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use crate::server::task::time;

/// How a task stands.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) created: u64,
    pub(super) updated: u64,
    pub(super) ttl_ms: u64,
    pub(super) poll_interval_ms: u64,
    pub(super) message: Option<String>,
    pub(super) stage: Stage,
}

/// What is going on in it.
#[derive(Clone, Debug)]
pub(super) enum Stage {
    /// Its handler runs. It waits for the client where there is a question.
    Open {
        /// What is not answered yet, by its key: the method and the parameters.
        questions: Vec<(String, Question)>,
        /// What is answered and not fetched yet.
        answers: Vec<(String, Box<RawValue>)>,
    },
    /// The request has its result. Whether that tells of a failure only the legacy era wants to know.
    Completed { result: Box<RawValue>, is_error: bool },
    /// The request has failed.
    Failed(Failed),
    /// It was cancelled.
    Cancelled,
}

/// One question of a task.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) method: String,
    pub(super) params: Option<Box<RawValue>>,
}

/// The error that a task ended in.
#[derive(Clone, Debug)]
pub(super) struct Failed {
    pub(super) code: i64,
    pub(super) message: String,
    pub(super) data: Option<Box<RawValue>>,
}

impl From<RpcError> for Failed {
    fn from(error: RpcError) -> Self {
        Self { code: error.code, message: error.message, data: error.data }
    }
}

impl Failed {
    /// Returns it as the answer to a request.
    pub(super) fn error(&self) -> RpcError {
        let error = RpcError::new(self.code, self.message.clone());
        match &self.data {
            Some(data) => error.with_data(data.clone()),
            None => error,
        }
    }
}

impl State {
    /// Begins a task.
    pub(super) fn new(ttl_ms: u64, poll_interval_ms: u64) -> Self {
        let now = time::now();
        let stage = Stage::Open { questions: Vec::new(), answers: Vec::new() };
        Self { created: now, updated: now, ttl_ms, poll_interval_ms, message: None, stage }
    }

    /// Tells whether nothing changes any more.
    pub(super) fn is_over(&self) -> bool {
        !matches!(self.stage, Stage::Open { .. })
    }

    pub(super) fn status(&self) -> TaskStatus {
        match &self.stage {
            Stage::Open { questions, .. } if questions.is_empty() => TaskStatus::Working,
            Stage::Open { .. } => TaskStatus::InputRequired,
            Stage::Completed { .. } => TaskStatus::Completed,
            Stage::Failed(_) => TaskStatus::Failed,
            Stage::Cancelled => TaskStatus::Cancelled,
        }
    }

    /// Adds a question, and forgets the answers that were fetched: all but those of the keys still waited for.
    pub(super) fn ask(&mut self, key: &str, question: Question, waits_for: impl Fn(&str) -> bool) -> bool {
        let Stage::Open { questions, answers } = &mut self.stage else { return false };
        answers.retain(|(key, _)| waits_for(key));
        questions.push((key.to_owned(), question));
        true
    }

    /// Takes a question back that nobody waits for any more; tells whether it was open.
    pub(super) fn withdraw(&mut self, key: &str) -> bool {
        let Stage::Open { questions, .. } = &mut self.stage else { return false };
        let before = questions.len();
        questions.retain(|(known, _)| known != key);
        questions.len() < before
    }

    /// Takes answers to open questions, and tells whether there was one; others are passed over.
    pub(super) fn answer<'a>(&mut self, given: impl Iterator<Item = (&'a str, &'a RawValue)>) -> bool {
        let Stage::Open { questions, answers } = &mut self.stage else { return false };
        let before = questions.len();
        for (key, answer) in given {
            if let Some(at) = questions.iter().position(|(known, _)| known == key) {
                let (key, _) = questions.remove(at);
                answers.push((key, answer.to_owned()));
            }
        }
        questions.len() < before
    }

    /// Says something about how it stands, for people.
    pub(super) fn say(&mut self, message: String) -> bool {
        let changes = !self.is_over() && self.message.as_ref() != Some(&message);
        if changes {
            self.message = Some(message);
        }
        changes
    }

    /// Ends it, unless it has ended.
    pub(super) fn end(&mut self, stage: Stage, message: Option<String>) -> bool {
        if self.is_over() {
            return false;
        }
        self.stage = stage;
        if message.is_some() {
            self.message = message;
        }
        true
    }
}

/// How the eras spell it.
impl State {
    /// Writes the members that all answers about a modern task have; with the end and the questions, or without.
    pub(super) fn modern(&self, id: &str, whole: bool) -> Vec<u8> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Task<'a> {
            task_id: &'a str,
            status: TaskStatus,
            #[serde(skip_serializing_if = "Option::is_none")]
            status_message: Option<&'a str>,
            created_at: String,
            last_updated_at: String,
            ttl_ms: u64,
            poll_interval_ms: u64,
            #[serde(skip_serializing_if = "Option::is_none")]
            input_requests: Option<Requests<'a>>,
            #[serde(skip_serializing_if = "Option::is_none")]
            result: Option<&'a RawValue>,
            #[serde(skip_serializing_if = "Option::is_none")]
            error: Option<Error<'a>>,
        }
        let mut task = Task {
            task_id: id,
            status: self.status(),
            status_message: self.message.as_deref(),
            created_at: time::written(self.created),
            last_updated_at: time::written(self.updated),
            ttl_ms: self.ttl_ms,
            poll_interval_ms: self.poll_interval_ms,
            input_requests: None,
            result: None,
            error: None,
        };
        match &self.stage {
            Stage::Open { questions, .. } if whole && !questions.is_empty() => {
                task.input_requests = Some(Requests(questions));
            }
            Stage::Completed { result, .. } if whole => task.result = Some(result),
            Stage::Failed(failed) if whole => task.error = Some(Error::of(failed)),
            _ => {}
        }
        serde_json::to_vec(&task).unwrap_or_default()
    }

    /// Writes the task as revision 2025-11-25 has it; a tool that reports an error has failed there.
    pub(super) fn legacy(&self, id: &str) -> serde_json::Value {
        let status = match &self.stage {
            Stage::Completed { is_error: true, .. } => TaskStatus::Failed,
            _ => self.status(),
        };
        let mut task = serde_json::json!({
            "taskId": id,
            "status": status,
            "createdAt": time::written(self.created),
            "lastUpdatedAt": time::written(self.updated),
            "ttl": self.ttl_ms,
            "pollInterval": self.poll_interval_ms,
        });
        if let (Some(message), Some(task)) = (&self.message, task.as_object_mut()) {
            task.insert("statusMessage".to_owned(), message.clone().into());
        }
        task
    }
}

#[derive(Serialize)]
struct Request<'a> {
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<&'a RawValue>,
}

impl<'a> Request<'a> {
    fn of(question: &'a Question) -> Self {
        Self { method: &question.method, params: question.params.as_deref() }
    }
}

/// Questions by their keys, in their order.
struct Requests<'a>(&'a [(String, Question)]);

impl Serialize for Requests<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, question)| (key, Request::of(question))))
    }
}

#[derive(Serialize)]
struct Error<'a> {
    code: i64,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a RawValue>,
}

impl<'a> Error<'a> {
    fn of(failed: &'a Failed) -> Self {
        Self { code: failed.code, message: &failed.message, data: failed.data.as_deref() }
    }
}

/// How a store keeps it.
impl State {
    pub(super) fn write(&self) -> Box<RawValue> {
        #[derive(Serialize)]
        struct Kept<'a> {
            created: u64,
            updated: u64,
            ttl: u64,
            poll: u64,
            message: Option<&'a str>,
            stage: &'a str,
            questions: Vec<(&'a str, Request<'a>)>,
            answers: Vec<(&'a str, &'a RawValue)>,
            result: Option<&'a RawValue>,
            is_error: bool,
            error: Option<Error<'a>>,
        }
        let mut kept = Kept {
            created: self.created,
            updated: self.updated,
            ttl: self.ttl_ms,
            poll: self.poll_interval_ms,
            message: self.message.as_deref(),
            stage: "cancelled",
            questions: Vec::new(),
            answers: Vec::new(),
            result: None,
            is_error: false,
            error: None,
        };
        match &self.stage {
            Stage::Open { questions, answers } => {
                kept.stage = "open";
                kept.questions = questions.iter().map(|(key, asked)| (&**key, Request::of(asked))).collect();
                kept.answers = answers.iter().map(|(key, answer)| (&**key, &**answer)).collect();
            }
            Stage::Completed { result, is_error } => {
                kept.stage = "completed";
                kept.result = Some(result);
                kept.is_error = *is_error;
            }
            Stage::Failed(failed) => {
                kept.stage = "failed";
                kept.error = Some(Error::of(failed));
            }
            Stage::Cancelled => {}
        }
        to_raw_value(&kept).expect("text, numbers and raw JSON serialise")
    }

    /// Reads what a store kept; nothing where it is none of ours.
    pub(super) fn read(kept: &RawValue) -> Option<Self> {
        let object = Object::read(kept)?;
        let stage = match object.string("stage")?.as_str() {
            "open" => Stage::Open {
                questions: pairs(&object, "questions")?
                    .into_iter()
                    .map(|(key, asked)| Some((key, question(&asked)?)))
                    .collect::<Option<_>>()?,
                answers: pairs(&object, "answers")?,
            },
            "completed" => Stage::Completed {
                result: object.raw_object("result")?.to_owned(),
                is_error: object.parse("is_error")?,
            },
            "failed" => {
                let error = object.object("error")?;
                Stage::Failed(Failed {
                    code: error.parse("code")?,
                    message: error.string("message")?,
                    data: error.member("data").map(ToOwned::to_owned),
                })
            }
            "cancelled" => Stage::Cancelled,
            _ => return None,
        };
        Some(Self {
            created: object.parse("created")?,
            updated: object.parse("updated")?,
            ttl_ms: object.parse("ttl")?,
            poll_interval_ms: object.parse("poll")?,
            message: object.string("message"),
            stage,
        })
    }
}

fn pairs(object: &Object<'_>, name: &str) -> Option<Vec<(String, Box<RawValue>)>> {
    serde_json::from_str(object.member(name)?.get()).ok()
}

fn question(asked: &RawValue) -> Option<Question> {
    let object = Object::read(asked)?;
    Some(Question {
        method: object.string("method")?,
        params: object.member("params").map(ToOwned::to_owned),
    })
}
