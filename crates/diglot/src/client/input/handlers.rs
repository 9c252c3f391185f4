//! The handlers, what they declare, and how a server's request reaches them.

use std::future::Future;
use std::sync::Arc;

use diglot_proto::jsonrpc::{RpcError, codes};
use diglot_proto::types::{
    CreateMessageParams, CreateMessageResult, ElicitAction, ElicitParams, ElicitResult, InputRequest,
    ListRootsResult, Root,
};
use serde::Serialize;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::form;
use crate::future::BoxFuture;
use crate::limits::Limits;

/// Answers what a server asks the user: `async fn(ElicitParams) -> ElicitResult`.
pub trait ElicitationHandler: Send + Sync + 'static {
    /// Shows the question and returns what the user did.
    ///
    /// What is accepted for a form is completed by the form's defaults and checked against it before it is sent; an
    /// answer that does not fit counts as a cancellation.
    fn elicit(&self, params: ElicitParams) -> impl Future<Output = ElicitResult> + Send;
}

impl<F, Answer> ElicitationHandler for F
where
    F: Fn(ElicitParams) -> Answer + Send + Sync + 'static,
    Answer: Future<Output = ElicitResult> + Send,
{
    fn elicit(&self, params: ElicitParams) -> impl Future<Output = ElicitResult> + Send {
        self(params)
    }
}

/// Answers with the client's model: `async fn(CreateMessageParams) -> Result<CreateMessageResult, RpcError>`.
pub trait SamplingHandler: Send + Sync + 'static {
    /// Asks the model, after whoever must approve has approved.
    fn sample(
        &self,
        params: CreateMessageParams,
    ) -> impl Future<Output = Result<CreateMessageResult, RpcError>> + Send;
}

impl<F, Answer> SamplingHandler for F
where
    F: Fn(CreateMessageParams) -> Answer + Send + Sync + 'static,
    Answer: Future<Output = Result<CreateMessageResult, RpcError>> + Send,
{
    fn sample(
        &self,
        params: CreateMessageParams,
    ) -> impl Future<Output = Result<CreateMessageResult, RpcError>> + Send {
        self(params)
    }
}

/// Lists the client's roots: `async fn() -> Vec<Root>`.
pub trait RootsHandler: Send + Sync + 'static {
    /// Returns the roots of the moment.
    fn roots(&self) -> impl Future<Output = Vec<Root>> + Send;
}

impl<F, Answer> RootsHandler for F
where
    F: Fn() -> Answer + Send + Sync + 'static,
    Answer: Future<Output = Vec<Root>> + Send,
{
    fn roots(&self) -> impl Future<Output = Vec<Root>> + Send {
        self()
    }
}

/// The object-safe mirrors of the traits above.
trait AnyElicitation: Send + Sync {
    fn elicit(&self, params: ElicitParams) -> BoxFuture<'_, ElicitResult>;
}

impl<H: ElicitationHandler> AnyElicitation for H {
    fn elicit(&self, params: ElicitParams) -> BoxFuture<'_, ElicitResult> {
        Box::pin(ElicitationHandler::elicit(self, params))
    }
}

trait AnySampling: Send + Sync {
    fn sample(&self, params: CreateMessageParams) -> BoxFuture<'_, Result<CreateMessageResult, RpcError>>;
}

impl<H: SamplingHandler> AnySampling for H {
    fn sample(&self, params: CreateMessageParams) -> BoxFuture<'_, Result<CreateMessageResult, RpcError>> {
        Box::pin(SamplingHandler::sample(self, params))
    }
}

trait AnyRoots: Send + Sync {
    fn roots(&self) -> BoxFuture<'_, Vec<Root>>;
}

impl<H: RootsHandler> AnyRoots for H {
    fn roots(&self) -> BoxFuture<'_, Vec<Root>> {
        Box::pin(RootsHandler::roots(self))
    }
}

/// All handlers of a client.
#[derive(Clone)]
pub(crate) struct Handlers {
    form: Option<Arc<dyn AnyElicitation>>,
    url: Option<Arc<dyn AnyElicitation>>,
    sampling: Option<Arc<dyn AnySampling>>,
    samples_with_tools: bool,
    roots: Option<Arc<dyn AnyRoots>>,
    /// Who may be answered at the same time, of all that a legacy server asks.
    pub(crate) places: Places,
}

/// How many requests of a legacy server are under way, and how many may be.
#[derive(Clone)]
pub(crate) struct Places {
    most: usize,
    answers: Arc<Semaphore>,
    /// A server that does not read what it is answered must not make refusals pile up either.
    refusals: Arc<Semaphore>,
}

/// What becomes of one more request.
pub(crate) enum Place {
    /// It is answered; the place is free again when this is dropped.
    Answered(#[expect(dead_code, reason = "it is held, not read")] OwnedSemaphorePermit),
    /// It is refused, with the limit.
    Refused(#[expect(dead_code, reason = "it is held, not read")] OwnedSemaphorePermit, usize),
    /// There is no room even for a refusal.
    Dropped,
}

impl Places {
    fn new(most: usize) -> Self {
        let places = || Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS)));
        Self { most, answers: places(), refusals: places() }
    }

    /// Finds a place for one more request.
    pub(crate) fn take(&self) -> Place {
        match (self.answers.clone().try_acquire_owned(), &self.refusals) {
            (Ok(place), _) => Place::Answered(place),
            (Err(_), refusals) => match refusals.clone().try_acquire_owned() {
                Ok(place) => Place::Refused(place, self.most),
                Err(_) => Place::Dropped,
            },
        }
    }
}

impl Default for Handlers {
    fn default() -> Self {
        Self {
            form: None,
            url: None,
            sampling: None,
            samples_with_tools: false,
            roots: None,
            places: Places::new(Limits::default().input_requests),
        }
    }
}

impl Handlers {
    /// Sets how many requests of a legacy server are answered at the same time.
    pub(crate) fn bound(&mut self, requests: usize) {
        self.places = Places::new(requests);
    }

    pub(crate) fn set_form(&mut self, handler: impl ElicitationHandler) {
        self.form = Some(Arc::new(handler));
    }

    pub(crate) fn set_url(&mut self, handler: impl ElicitationHandler) {
        self.url = Some(Arc::new(handler));
    }

    pub(crate) fn set_sampling(&mut self, handler: impl SamplingHandler, with_tools: bool) {
        self.sampling = Some(Arc::new(handler));
        self.samples_with_tools = with_tools;
    }

    pub(crate) fn set_roots(&mut self, handler: impl RootsHandler) {
        self.roots = Some(Arc::new(handler));
    }

    /// Tells whether a server may ask for anything.
    pub(crate) fn is_set(&self) -> bool {
        self.form.is_some() || self.url.is_some() || self.sampling.is_some() || self.roots.is_some()
    }

    /// Returns the capabilities that the handlers declare.
    pub(crate) fn capabilities(&self) -> Box<RawValue> {
        let mut capabilities = serde_json::Map::new();
        match (&self.form, &self.url) {
            // An empty object means forms, in every revision that has elicitation.
            (Some(_), None) => capabilities.insert("elicitation".to_owned(), json!({})),
            (Some(_), Some(_)) => {
                capabilities.insert("elicitation".to_owned(), json!({ "form": {}, "url": {} }))
            }
            (None, Some(_)) => capabilities.insert("elicitation".to_owned(), json!({ "url": {} })),
            (None, None) => None,
        };
        if self.sampling.is_some() {
            let settings = if self.samples_with_tools { json!({ "tools": {} }) } else { json!({}) };
            capabilities.insert("sampling".to_owned(), settings);
        }
        if self.roots.is_some() {
            capabilities.insert("roots".to_owned(), json!({}));
        }
        to_raw_value(&capabilities).expect("literals serialise")
    }

    /// Answers a request of the server.
    ///
    /// # Errors
    ///
    /// No handler is set for it, which the server knew, or the handler failed.
    pub(crate) async fn answer(&self, request: InputRequest) -> Result<Box<RawValue>, RpcError> {
        match request {
            InputRequest::Elicit(params) => {
                let handler = match params {
                    ElicitParams::Form(_) => &self.form,
                    ElicitParams::Url(_) => &self.url,
                    _ => &None,
                };
                let handler = handler.as_ref().ok_or_else(|| not_offered("this kind of elicitation"))?;
                written(&elicit(&**handler, params).await)
            }
            InputRequest::CreateMessage(params) => {
                let handler = self.sampling.as_ref().ok_or_else(|| not_offered("sampling"))?;
                written(&handler.sample(*params).await?)
            }
            InputRequest::ListRoots => {
                let handler = self.roots.as_ref().ok_or_else(|| not_offered("roots"))?;
                written(&ListRootsResult::new(handler.roots().await))
            }
            _ => Err(not_offered("this request")),
        }
    }
}

async fn elicit(handler: &dyn AnyElicitation, params: ElicitParams) -> ElicitResult {
    let schema = match &params {
        ElicitParams::Form(params) => Some(params.requested_schema.clone()),
        _ => None,
    };
    let result = handler.elicit(params).await;
    match (schema, &result.action) {
        (Some(schema), ElicitAction::Accept) => match form::complete(&schema, result.content.as_deref()) {
            Ok(content) => ElicitResult::accept(content),
            Err(fault) => {
                tracing::warn!(%fault, "the answer to an elicitation does not fit its form; it counts as cancelled");
                ElicitResult::cancel()
            }
        },
        // Nothing is told of what was entered and then not accepted.
        (_, ElicitAction::Accept) => ElicitResult::new(ElicitAction::Accept),
        (_, action) => ElicitResult::new(action.clone()),
    }
}

fn not_offered(what: &str) -> RpcError {
    RpcError::new(codes::METHOD_NOT_FOUND, format!("this client does not offer {what}"))
}

fn written(value: &impl Serialize) -> Result<Box<RawValue>, RpcError> {
    to_raw_value(value)
        .map_err(|_| RpcError::new(codes::INTERNAL_ERROR, "the answer cannot be written as JSON"))
}

impl std::fmt::Debug for Handlers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Handlers({})", self.capabilities().get())
    }
}
