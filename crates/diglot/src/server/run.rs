//! Runs one request: the method picks the reader of the parameters and the handler, and its end becomes the outcome.

use std::sync::{Arc, Mutex};

use diglot_proto::jsonrpc::{RpcError, codes};
use diglot_proto::method::Method;
use diglot_proto::object::Object;
use diglot_proto::types::{
    CallToolParams, CompleteParams, GetPromptParams, LoggingLevel, Members, Reference, ToolResult,
};
use diglot_proto::version::{Era, Revision};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::server::answer::{Outcome, ResultBody};
use crate::server::completion::Partial;
use crate::server::context::{Context, Inner};
use crate::server::core::Core;
use crate::server::error::Failure;
use crate::server::job::{Job, invalid};
use crate::server::prompt::PromptArguments;
use crate::server::questions::Questions;
use crate::server::request_state::{self, Refusal};
use crate::server::resource::AnyResource;
use crate::server::settings::CacheHint;
use crate::server::table::{Listed, Table};
use crate::server::task::{self, Seat};
use crate::server::{ToolError, arguments, content, handshake, listen, skill};

/// Runs a request to its outcome.
pub(crate) async fn run(core: Arc<Core>, job: Job) -> Outcome {
    let outcome = match job.method {
        Method::Discover => return handshake::discover(&core),
        Method::Ping => Ok(ResultBody::default()),
        Method::ListTools => list(&core, &job, "tools", &core.catalog().tools),
        Method::ListResources => list(&core, &job, "resources", &core.catalog().resources),
        Method::ListResourceTemplates => list(&core, &job, "resourceTemplates", &core.catalog().templates),
        Method::ListPrompts => list(&core, &job, "prompts", &core.catalog().prompts),
        Method::CallTool => return call_tool(core, job).await,
        Method::ReadResource => return read_resource(core, job).await,
        Method::GetPrompt => return answer_prompt(core, job).await,
        Method::Complete => complete(core, job).await,
        Method::SetLevel => set_level(&job),
        Method::Subscribe | Method::Unsubscribe => subscribe(&core, &job),
        Method::Listen => listen::listen(core, job).await,
        Method::GetTask
        | Method::UpdateTask
        | Method::CancelTask
        | Method::GetTaskResult
        | Method::ListTasks => task::answer(core, job).await,
        Method::ListSkills if core.catalog().skills.is_offered() => {
            list(&core, &job, "skills", &core.catalog().skills.entries)
        }
        Method::GetSkill | Method::ReadDirectory if core.catalog().skills.is_offered() => {
            skill::answer(&core, &job)
        }
        method => {
            Err(RpcError::new(codes::METHOD_NOT_FOUND, format!("Method not found: {}", method.as_str())))
        }
    };
    match outcome {
        Ok(body) => Outcome::Result(body),
        Err(error) => Outcome::Error(error),
    }
}

fn list<T: Listed>(core: &Core, job: &Job, name: &str, table: &Table<T>) -> Result<ResultBody, RpcError>
where
    T::Definition: Clone,
{
    let object = job.params.as_deref().and_then(Object::read).unwrap_or_default();
    let cursor = match object.member("cursor") {
        None => None,
        Some(_) => Some(object.string("cursor").ok_or_else(|| invalid("the cursor is not a string"))?),
    };
    let page = table.page(name, cursor.as_deref(), core.settings.page_size, job.caller.era());
    let page = page.ok_or_else(|| invalid("the cursor is unknown; list again from the beginning"))?;
    let hint = core.settings.list_cache;
    Ok(ResultBody::of_object(page).cache(hint.ttl_ms, hint.scope))
}

async fn call_tool(core: Arc<Core>, job: Job) -> Outcome {
    let prepared =
        job.params().and_then(|raw| CallToolParams::read(raw).map_err(|fault| invalid(fault.to_string())));
    let call = match prepared {
        Ok(call) => call,
        Err(error) => return Outcome::Error(error),
    };
    let Some(entry) = core.catalog().tools.find(&call.name).cloned() else {
        return Outcome::Error(invalid(format!("Unknown tool: {}", call.name)));
    };
    let era = job.caller.era();
    if let (Era::Modern, Some(parts)) = (era, &job.caller.facts.parts) {
        let mirrored = entry.headers.verify(call.arguments.as_deref(), |name| parts.field(name));
        if let Err(mismatch) = mirrored {
            return Outcome::Error(mismatch.error());
        }
    }
    let responses = call.input_responses.iter().flat_map(Members::iter);
    let cx = match answers(&core, &job, call.request_state.as_deref(), responses) {
        Ok(answers) => context_of(&core, &job, Vec::new(), answers, call.meta),
        Err(error) => return Outcome::Error(error),
    };
    let checked = match &call.arguments {
        Some(arguments) => arguments::check(&entry.checker, arguments),
        None => arguments::check(&entry.checker, empty()),
    };
    let wish = match task::wants(&job, &entry.tool.plan, call.task.as_ref()) {
        Ok(wish) => wish,
        Err(error) => return Outcome::Error(error),
    };
    let ended = match (checked, wish) {
        (Ok(()), None) => entry.tool.handler.call(call.arguments, cx.clone()).await,
        (Ok(()), Some(wish)) => {
            let handler = entry.tool.handler.call(call.arguments, cx.clone());
            return task::call(core, job, cx, wish, handler).await;
        }
        (Err(error), _) => Err(error),
    };
    tool_ended(&core, &job, &cx, ended)
}

/// Turns the end of a tool's handler into the outcome of its request.
pub(crate) fn tool_ended(
    core: &Core,
    job: &Job,
    cx: &Context,
    ended: Result<ToolResult, ToolError>,
) -> Outcome {
    ended_as(core, job, cx, ended, |result| tool_body(result, job.caller.revision))
}

/// Writes the result of a tool.
pub(crate) fn tool_body(mut result: ToolResult, revision: Revision) -> ResultBody {
    content::fit(&mut result.content, revision);
    let is_object = result.structured.as_ref().is_some_and(|structured| structured.get().starts_with('{'));
    if revision.era() == Era::Legacy && !is_object {
        // Before the modern era a structured result is an object or nothing.
        result.structured = None;
    }
    let meta = result.meta.take();
    ResultBody::of_object(result.into_json().unwrap_or_default()).meta(meta.as_deref())
}

async fn read_resource(core: Arc<Core>, job: Job) -> Outcome {
    let uri = job.params().ok().and_then(Object::read).and_then(|params| params.string("uri"));
    let Some(uri) = uri else { return Outcome::Error(invalid("resources/read needs a uri")) };
    let catalog = core.catalog();
    let found = catalog.resources.find(&uri).map(|resource| {
        (resource.handler.clone(), resource.definition.mime_type.clone(), resource.cache, Vec::new())
    });
    let found = found.or_else(|| {
        let file = catalog.skills.find(&uri)?.clone();
        Some((file as Arc<dyn AnyResource>, None, None, Vec::new()))
    });
    let found = found.or_else(|| {
        catalog.templates.iter().find_map(|template| {
            let variables = template.matches(&uri)?;
            Some((template.handler.clone(), template.definition.mime_type.clone(), template.cache, variables))
        })
    });
    let Some((handler, mime_type, cache, variables)) = found else {
        return Outcome::Error(unknown_resource(&uri, job.caller.era()));
    };
    let cx = match context(&core, &job, variables) {
        Ok(cx) => cx,
        Err(error) => return Outcome::Error(error),
    };
    let ended = handler.read(uri, mime_type.as_deref(), cx.clone()).await;
    let hint = cache.unwrap_or(core.settings.read_cache);
    ended_as(&core, &job, &cx, ended, |result| {
        let mut result = result;
        let meta = result.meta.take();
        let CacheHint { ttl_ms, scope } = hint;
        ResultBody::write(&result).meta(meta.as_deref()).cache(ttl_ms, scope)
    })
}

/// The code for an unknown resource changed with the era.
pub(crate) fn unknown_resource(uri: &str, era: Era) -> RpcError {
    let code = match era {
        Era::Legacy => codes::RESOURCE_NOT_FOUND_LEGACY,
        _ => codes::INVALID_PARAMS,
    };
    let data = to_raw_value(&serde_json::json!({ "uri": uri })).expect("text serialises");
    RpcError::new(code, format!("Resource not found: {uri}")).with_data(data)
}

async fn answer_prompt(core: Arc<Core>, job: Job) -> Outcome {
    let prepared =
        job.params().and_then(|raw| GetPromptParams::read(raw).map_err(|fault| invalid(fault.to_string())));
    let asked = match prepared {
        Ok(asked) => asked,
        Err(error) => return Outcome::Error(error),
    };
    let Some(prompt) = core.catalog().prompts.find(&asked.name).cloned() else {
        return Outcome::Error(invalid(format!("Unknown prompt: {}", asked.name)));
    };
    let arguments = PromptArguments(asked.arguments.clone().unwrap_or_default());
    let missing = prompt
        .definition
        .arguments
        .iter()
        .find(|argument| argument.required && arguments.find(&argument.name).is_none());
    if let Some(missing) = missing {
        return Outcome::Error(invalid(format!(
            "the prompt {} needs the argument {}",
            asked.name, missing.name
        )));
    }
    let cx = match context(&core, &job, Vec::new()) {
        Ok(cx) => cx,
        Err(error) => return Outcome::Error(error),
    };
    let ended = prompt.handler.answer(arguments, cx.clone()).await;
    ended_as(&core, &job, &cx, ended, |result| {
        let mut result = result;
        let pieces = result.messages.iter_mut().map(|message| &mut message.content);
        content::fit(pieces, job.caller.revision);
        let meta = result.meta.take();
        ResultBody::write(&result).meta(meta.as_deref())
    })
}

/// Makes the context of a request whose parameters are not read yet.
fn context(core: &Core, job: &Job, variables: Vec<(String, String)>) -> Result<Context, RpcError> {
    let object = job.params.as_deref().and_then(Object::read).unwrap_or_default();
    let mut given = Vec::new();
    if job.caller.era() == Era::Modern {
        let state = match object.member("requestState") {
            None => None,
            Some(_) => Some(
                object.string("requestState").ok_or_else(|| invalid("the requestState is not a string"))?,
            ),
        };
        let responses = match object.member("inputResponses") {
            None => None,
            Some(_) => Some(
                object
                    .object("inputResponses")
                    .ok_or_else(|| invalid("the inputResponses are not an object"))?,
            ),
        };
        given = answers(core, job, state.as_deref(), responses.iter().flat_map(Object::iter))?;
    }
    Ok(context_of(core, job, variables, given, object.raw_object("_meta").map(ToOwned::to_owned)))
}

/// Gathers the answers that a modern client has given so far: those of the state, then those that it sends now.
fn answers<'a>(
    core: &Core,
    job: &Job,
    state: Option<&str>,
    responses: impl Iterator<Item = (&'a str, &'a RawValue)>,
) -> Result<Vec<(String, Box<RawValue>)>, RpcError> {
    let mut answers = Vec::new();
    if job.caller.era() != Era::Modern {
        return Ok(answers);
    }
    if let Some(state) = state {
        let opened = core.seal.open(state, &bound(job));
        answers = opened.map_err(|refusal: Refusal| invalid(refusal.to_string()))?;
    }
    for (name, answer) in responses {
        answers.retain(|(known, _)| known != name);
        answers.push((name.to_owned(), answer.to_owned()));
    }
    Ok(answers)
}

fn context_of(
    core: &Core,
    job: &Job,
    variables: Vec<(String, String)>,
    answers: Vec<(String, Box<RawValue>)>,
    meta: Option<Box<RawValue>>,
) -> Context {
    Context {
        inner: Arc::new(Inner {
            server: core.server.clone(),
            id: job.id.clone(),
            caller: job.caller.clone(),
            outlet: job.outlet.clone(),
            questions: Questions::new(answers),
            meta,
            variables,
            progress: Mutex::new(f64::NEG_INFINITY),
            seat: Seat::default(),
        }),
    }
}

fn bound(job: &Job) -> Vec<u8> {
    let principal = job.caller.facts.principal.as_deref();
    request_state::bound(principal, job.method.as_str(), job.params.as_deref())
}

/// Turns the end of a handler into the outcome: questions that were asked come before anything else.
fn ended_as<T>(
    core: &Core,
    job: &Job,
    cx: &Context,
    ended: Result<T, ToolError>,
    body: impl FnOnce(T) -> ResultBody,
) -> Outcome {
    let asked = cx.inner.questions.take_asked();
    if !asked.is_empty() {
        return Outcome::Result(input_required(core, job, cx, asked));
    }
    match ended.map_err(ToolError::into_failure) {
        Ok(result) => Outcome::Result(body(result)),
        Err(Failure::Protocol(error)) => Outcome::Error(*error),
        Err(Failure::NoResource(uri)) => Outcome::Error(unknown_resource(&uri, job.caller.era())),
        Err(Failure::Told(result)) if job.method == Method::CallTool => {
            Outcome::Result(tool_body(*result, job.caller.revision))
        }
        Err(Failure::Told(result)) => Outcome::Error(RpcError::new(codes::INTERNAL_ERROR, result.text())),
        Err(Failure::Suspended) => {
            Outcome::Error(RpcError::new(codes::INTERNAL_ERROR, "the handler gave up without a question"))
        }
    }
}

fn input_required(
    core: &Core,
    job: &Job,
    cx: &Context,
    asked: Vec<crate::server::questions::Question>,
) -> ResultBody {
    #[derive(Serialize)]
    struct Request<'a> {
        method: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        params: Option<&'a RawValue>,
    }
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct InputRequired<'a> {
        input_requests: serde_json::Map<String, serde_json::Value>,
        request_state: &'a str,
    }
    let requests = asked.iter().filter_map(|question| {
        let request = Request { method: question.method, params: question.params.as_deref() };
        Some((question.name.clone(), serde_json::to_value(&request).ok()?))
    });
    let still_good: Vec<_> = cx
        .inner
        .questions
        .answers()
        .iter()
        .filter(|(name, _)| !asked.iter().any(|question| question.name == *name))
        .cloned()
        .collect();
    let state = core.seal.seal(&still_good, &bound(job), core.settings.state_lifetime);
    let required = InputRequired { input_requests: requests.collect(), request_state: &state };
    ResultBody::input_required(serde_json::to_vec(&required).unwrap_or_default())
}

async fn complete(core: Arc<Core>, job: Job) -> Result<ResultBody, RpcError> {
    let asked = CompleteParams::read(job.params()?).map_err(|fault| invalid(fault.to_string()))?;
    let what = match &asked.reference {
        Reference::Prompt(prompt) => format!("prompt:{}", prompt.name),
        Reference::Resource(template) => format!("template:{}", template.uri),
        _ => return Err(invalid("the ref is of an unknown type")),
    };
    let Some(handler) = core.catalog().completions.get(&what).cloned() else {
        return Ok(ResultBody::of_object(&br#"{"completion":{"values":[],"total":0,"hasMore":false}}"#[..]));
    };
    let known = asked.context.as_ref().and_then(|context| context.arguments.as_ref());
    let partial = Partial {
        argument: asked.argument.name.clone(),
        value: asked.argument.value.clone(),
        known: known
            .map(|known| known.iter().map(|(name, value)| (name.clone(), value.clone())).collect())
            .unwrap_or_default(),
    };
    let cx = context(&core, &job, Vec::new())?;
    match handler.complete(partial, cx).await.map_err(ToolError::into_failure) {
        Ok(completion) => Ok(ResultBody::write(&diglot_proto::types::CompleteResult::new(completion))),
        Err(Failure::Protocol(error)) => Err(*error),
        Err(Failure::NoResource(uri)) => Err(unknown_resource(&uri, job.caller.era())),
        Err(Failure::Told(result)) => Err(RpcError::new(codes::INTERNAL_ERROR, result.text())),
        Err(Failure::Suspended) => Err(RpcError::new(codes::INTERNAL_ERROR, "a completion cannot ask")),
    }
}

fn set_level(job: &Job) -> Result<ResultBody, RpcError> {
    let level = Object::read(job.params()?).and_then(|params| params.string("level"));
    let level = level.map(|level| LoggingLevel::from(level.as_str())).filter(|level| level.rank().is_some());
    let level = level.ok_or_else(|| {
        invalid("the level is none of debug, info, notice, warning, error, critical, alert, emergency")
    })?;
    if let Some(session) = &job.caller.session {
        session.set_level(&level);
    }
    Ok(ResultBody::default())
}

fn subscribe(core: &Core, job: &Job) -> Result<ResultBody, RpcError> {
    /// The most resources that one legacy client may be subscribed to.
    const MOST: usize = 10_000;
    let uri = Object::read(job.params()?).and_then(|params| params.string("uri"));
    let uri = uri.ok_or_else(|| invalid("a uri is needed"))?;
    let catalog = core.catalog();
    let is_known = catalog.resources.find(&uri).is_some()
        || catalog.templates.iter().any(|template| template.matches(&uri).is_some());
    if let Some(session) = &job.caller.session {
        match job.method {
            Method::Unsubscribe => session.unsubscribe(&uri),
            _ if !is_known => return Err(unknown_resource(&uri, job.caller.era())),
            _ if session.subscribed() >= MOST => {
                return Err(invalid(format!("the limit of {MOST} subscriptions is reached")));
            }
            _ => session.subscribe(uri),
        }
    }
    Ok(ResultBody::default())
}

fn empty() -> &'static RawValue {
    serde_json::from_str("{}").expect("an empty object is JSON")
}
