//! One request of an established connection: envelope, budget, progress, and the way back.

use std::borrow::Cow;
use std::sync::Arc;

use diglot_proto::http::headers;
use diglot_proto::jsonrpc::{Id, Message, Notification};
use diglot_proto::lifecycle::Binding;
use diglot_proto::meta::{self, Envelope};
use diglot_proto::object::Object;
use diglot_proto::types::{LogMessageParams, LoggingLevel, Progress};
use diglot_proto::version::Era;
use serde_json::value::RawValue;

use crate::client::clock::Clock;
use crate::client::input::{self, Handlers, Round};
use crate::client::live::Inner;
use crate::client::observers::Observers;
pub(super) use crate::client::options::Options;
use crate::client::remedy::{self, Failed, Remedy};
use crate::client::wire::Live;
use crate::client::{failure, serve};
use crate::error::{Error, LossCause, Lost, Phase, ProtocolError, Reopening, TimeoutError, Violation};
use crate::transport::{Exchange, Inbound, Outbound};

/// A method with its parameters, before an era is known.
pub(super) struct Call {
    pub(super) method: Cow<'static, str>,
    pub(super) params: Option<Box<RawValue>>,
    /// Whether it may be sent a second time without doing anything twice.
    pub(super) is_safe: bool,
    /// Whether a modern server may ask for input before it answers.
    pub(super) takes_input: bool,
}

/// What one pass of a request came to.
pub(super) enum Answer {
    Complete(Box<RawValue>),
    InputRequired(Box<RawValue>),
    Task(Box<RawValue>),
}

/// What a request came to once all input was given.
pub(super) enum Reply {
    /// Its result.
    Complete(Box<RawValue>),
    /// A task that goes on, where the request said that it may become one.
    Task(Box<RawValue>),
}

/// What a request came to, and what it took.
pub(super) struct Answered {
    pub(super) reply: Reply,
    /// How many rounds of input it took.
    pub(super) rounds: usize,
}

impl Reply {
    /// Returns the result, where the request may not become a task.
    pub(super) fn complete(self, method: &str) -> Result<Box<RawValue>, Error> {
        match self {
            Self::Complete(result) => Ok(result),
            Self::Task(task) => {
                tracing::debug!(bytes = task.get().len(), "a task is created that nothing asked for");
                let violation = Violation::UnknownResultType("task".to_owned());
                Err(ProtocolError::new(violation, method).into())
            }
        }
    }
}

impl Inner {
    /// Sends a request and waits for its result; what the server wants to know first is answered by the handlers.
    pub(super) async fn request(
        self: &Arc<Self>,
        call: &Call,
        options: Options,
    ) -> Result<Box<RawValue>, Error> {
        self.begin(call, options).await?.complete(&call.method)
    }

    /// Sends a request that may become a task; all else is as with [`request`](Self::request).
    pub(super) async fn begin(self: &Arc<Self>, call: &Call, mut options: Options) -> Result<Reply, Error> {
        Ok(self.answered(call, &mut options).await?.reply)
    }

    /// Sends a request up to its answer, and tells what it took.
    pub(super) async fn answered(
        self: &Arc<Self>,
        call: &Call,
        options: &mut Options,
    ) -> Result<Answered, Error> {
        options.check()?;
        let most = self.settings.limits.input_rounds;
        let mut answer = self.pass(call, options).await?;
        for rounds in 0..=most {
            let result = match answer {
                Answer::Complete(result) => return Ok(Answered { reply: Reply::Complete(result), rounds }),
                Answer::Task(result) => return Ok(Answered { reply: Reply::Task(result), rounds }),
                Answer::InputRequired(_) if rounds == most => break,
                Answer::InputRequired(result) => result,
            };
            let method = call.method.as_ref();
            let wrong = |what| ProtocolError::new(Violation::WrongShape(what), method);
            if !call.takes_input {
                return Err(wrong("it asks for input, which this method may not").into());
            }
            let round =
                Round::read(&result).ok_or_else(|| wrong("it asks for input and does not say for what"))?;
            let limit = self.settings.limits.input_requests;
            if round.len() > limit {
                return Err(
                    ProtocolError::new(Violation::OverLimit("requests for input", limit), method).into()
                );
            }
            let answers = round.answer(&self.settings.handlers).await.map_err(|(name, error)| {
                tracing::warn!(%name, %error, "the server asks for input that this client does not offer");
                wrong("it asks for input that this client does not offer")
            })?;
            let params = input::next_params(call.params.as_deref(), &round, &answers);
            let next = Call { method: call.method.clone(), params: Some(params), ..*call };
            answer = self.pass(&next, options).await?;
        }
        Err(ProtocolError::new(Violation::OverLimit("rounds of input", most), call.method.as_ref()).into())
    }

    /// Sends a request whose answer is a stream that the caller reads.
    pub(super) async fn open(&self, call: &Call, options: Options) -> Result<Exchange, Error> {
        let live = self.live();
        let outbound = self.outbound(&live, call, &self.ids.next(), &options)?;
        Ok(live.wire.connection.send(outbound).await?)
    }

    /// Sends a request once, or a second time where the connection was lost and that can do nothing twice.
    async fn pass(self: &Arc<Self>, call: &Call, options: &mut Options) -> Result<Answer, Error> {
        let live = self.live();
        let failed = match self.exchange(&live, call, options).await {
            Ok(answer) => return Ok(answer),
            Err(failed) if self.recovery.is_stopped() => return Err(failed.error),
            Err(failed) => failed,
        };
        let present = Arc::ptr_eq(&live, &self.live());
        let is_safe = call.is_safe || options.is_repeatable;
        let remedy = remedy::remedy(&failed, &live, self.settings.restart, is_safe, present);
        match remedy {
            Remedy::Tell => Err(failed.error),
            Remedy::Repeat => self.exchange(&self.live(), call, options).await.map_err(|again| again.error),
            Remedy::Reopen { cause, repeats } => {
                self.reopen_for(call, options, &live, (failed, cause), repeats).await
            }
        }
    }

    /// Has a lost connection opened anew, then repeats the request if it `repeats` nothing.
    async fn reopen_for(
        self: &Arc<Self>,
        call: &Call,
        options: &mut Options,
        live: &Arc<Live>,
        (failed, cause): (Failed, LossCause),
        repeats: bool,
    ) -> Result<Answer, Error> {
        let is_wire = matches!(cause, LossCause::Wire(_));
        // The wire's own watch opens it anew, and the caller had better hear at once.
        if is_wire && !repeats {
            return Err(match Arc::ptr_eq(live, &self.live()) {
                true => failed.error,
                false => self.replaced(call, cause),
            });
        }
        let budget = options.timeout.unwrap_or(self.settings.timeout);
        let reopening = tokio::time::timeout(budget, self.reopen(live, cause.again())).await;
        match (reopening, cause) {
            (Err(_), _) => {
                let error = TimeoutError::new(Phase::Request, call.method.as_ref(), budget);
                Err(error.into())
            }
            (Ok(Reopening::Done), _) if repeats => {
                self.exchange(&self.live(), call, options).await.map_err(|again| again.error)
            }
            (Ok(Reopening::Done), LossCause::Memory) => Err(failed.error),
            (Ok(reopening), cause) => Err(Lost::new(call.method.as_ref(), cause, reopening).into()),
        }
    }

    /// Makes the error of a request whose wire was replaced while it was under way.
    fn replaced(&self, call: &Call, cause: LossCause) -> Error {
        let cause = self.recovery.last_cause().unwrap_or(cause);
        let mut lost = Lost::new(call.method.as_ref(), cause, Reopening::Done);
        lost.may_have_acted = true;
        lost.into()
    }

    /// Sends a request over a wire and waits for what comes back, within its budget.
    pub(super) async fn exchange(
        &self,
        live: &Live,
        call: &Call,
        options: &mut Options,
    ) -> Result<Answer, Failed> {
        let _open = self.open_one()?;
        let id = self.ids.next();
        let outbound = self.outbound(live, call, &id, options)?;
        let clock = Clock::start(options.timeout.unwrap_or(self.settings.timeout), options.most);
        let heard = Heard { options, clock: &clock, observers: &self.settings.observers };
        let answer = answer(live, &self.settings.handlers, outbound, &id, &call.method, heard);
        let began = tokio::time::Instant::now();
        let outcome = clock.run(answer).await;
        let elapsed_ms = began.elapsed().as_millis();
        let is_answered = matches!(outcome, Some(Ok(_)));
        tracing::debug!(method = %call.method, elapsed_ms, is_answered, "a request is over");
        match outcome {
            Some(outcome) => outcome,
            None => {
                let stderr = live.wire.connection.stderr_tail();
                let error = TimeoutError::new(Phase::Request, call.method.as_ref(), clock.allowed());
                Err(TimeoutError { stderr, ..error }.into())
            }
        }
    }

    pub(super) fn outbound(
        &self,
        live: &Live,
        call: &Call,
        id: &Id,
        options: &Options,
    ) -> Result<Outbound, Error> {
        let revision = live.agreement.revision;
        let params = call.params.as_deref();
        let wrong = |_| {
            ProtocolError::new(
                Violation::WrongShape("its parameters are not an object"),
                call.method.as_ref(),
            )
        };
        let era = revision.era();
        let token = options.wants_progress().then_some(id);
        let own = self.settings.trace.entries(&options.meta);
        let mut entries: Vec<(&str, &RawValue)> = own.iter().map(|(key, raw)| (*key, &**raw)).collect();
        entries.extend(options.meta.iter());
        let method = call.method.clone();
        let outbound = match era {
            Era::Legacy => {
                let token = token.map(meta::progress_token_entry);
                if let Some((key, token)) = &token {
                    entries.retain(|(other, _)| other != key);
                    entries.push((key, token));
                }
                let marked = match entries.is_empty() {
                    true => None,
                    false => Some(meta::with_meta(params, &entries).map_err(wrong)?),
                };
                Outbound::request(id.clone(), method, marked.as_deref().or(params))
            }
            _ => {
                let level = options.log_level.clone().or_else(|| self.log_level());
                let envelope = Envelope::new(revision.as_str(), self.settings.declared(options.takes_task))
                    .client_info(Some(&self.settings.client))
                    .log_level(level.as_ref().map(LoggingLevel::as_str))
                    .progress_token(token)
                    .entries(&entries);
                let bytes = envelope.write_request(id, &method, params).map_err(wrong)?;
                Outbound::written(id.clone(), method, bytes)
            }
        };
        let name = (era == Era::Modern).then(|| headers::mirrored_name(&call.method, params)).flatten();
        Ok(Outbound {
            name: name.map(Cow::into_owned),
            param_headers: options.param_headers.clone(),
            cancels_by_notification: era == Era::Legacy || live.binding == Binding::Pipe,
            ..outbound.at(revision)
        })
    }
}

/// Who hears what is said about a request before its answer.
struct Heard<'a> {
    options: &'a mut Options,
    clock: &'a Clock,
    observers: &'a Observers,
}

impl Heard<'_> {
    fn hear(&mut self, notification: &Notification<'_>, id: &Id) {
        self.observers.tell(notification);
        let params = notification.params.as_deref();
        match &*notification.method {
            "notifications/progress" => {
                let ours = params
                    .filter(|params| meta::progress_token(params).is_some_and(|token| token.matches(id)));
                if ours.is_some() {
                    self.clock.beat();
                }
                if let (Some(on_progress), Some(progress)) =
                    (&mut self.options.on_progress, ours.and_then(Progress::read))
                {
                    on_progress(progress);
                }
            }
            "notifications/message" => {
                if let (Some(on_log), Some(Ok(message))) =
                    (&mut self.options.on_log, params.map(LogMessageParams::read))
                {
                    on_log(message);
                }
            }
            _ => {}
        }
    }
}

/// Sends a request and reads what is said about it, up to its answer.
async fn answer(
    live: &Live,
    handlers: &Handlers,
    outbound: Outbound,
    id: &Id,
    method: &str,
    mut heard: Heard<'_>,
) -> Result<Answer, Failed> {
    let revision = live.agreement.revision;
    let mut exchange = live.wire.connection.send(outbound).await?;
    loop {
        match exchange.next().await {
            None => return Err(ProtocolError::new(Violation::NoAnswer, method).into()),
            Some(Err(error)) => return Err(error.into()),
            Some(Ok(Inbound::Message(Message::Response(response)))) if response.id.matches(id) => {
                let result = response.outcome?.into_owned();
                return Ok(complete(result, revision.era(), method)?);
            }
            Some(Ok(Inbound::Message(Message::Response(response)))) => {
                tracing::debug!(id = response.id.kind(), method, "an answer to no open request is dropped");
            }
            Some(Ok(Inbound::Message(Message::Request(request)))) if revision.era() == Era::Legacy => {
                serve::answer(&live.wire.connection, handlers, request, Some(revision));
            }
            Some(Ok(Inbound::Message(Message::Request(request)))) => {
                tracing::warn!(method = %request.method, "a modern server may not send requests; dropped");
            }
            Some(Ok(Inbound::Message(Message::Notification(notification)))) => {
                heard.hear(&notification, id);
            }
            // Of what is said about a request, only its answer counts.
            Some(Ok(Inbound::Missed)) => {}
            Some(Ok(other)) => {
                let error = |other| failure::instead_of_answer(other, method, id, revision.era());
                return Err(Failed::of(other, error));
            }
        }
    }
}

/// Accepts a result as complete: since the modern era one can also be of another type.
fn complete(result: Box<RawValue>, era: Era, method: &str) -> Result<Answer, Error> {
    if era == Era::Legacy {
        return Ok(Answer::Complete(result));
    }
    let Some(object) = Object::read(&result) else {
        return Err(ProtocolError::new(Violation::WrongShape("it is not an object"), method).into());
    };
    match object.string("resultType") {
        Some(word) if word == "input_required" => Ok(Answer::InputRequired(result)),
        Some(word) if word == "task" => Ok(Answer::Task(result)),
        Some(word) if word != "complete" => {
            let word = word.chars().take(64).collect();
            Err(ProtocolError::new(Violation::UnknownResultType(word), method).into())
        }
        _ => Ok(Answer::Complete(result)),
    }
}
