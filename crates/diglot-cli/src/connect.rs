//! From the command line to a connected client.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use anstream::ColorChoice;
use diglot::error::TransportError;
use diglot::http::{HttpSse, StockClient, StreamableHttp};
use diglot::transport::{ChildProcess, Transport};
use diglot::{Client, ClientBuilder, Negotiation};

use crate::args::{Asking, HttpWire, Options};
use crate::elicit::Asker;
use crate::failure::{Failure, clean};
use crate::output::{DIM, note, plain, warn};
use crate::resolve;
use crate::roots;
use crate::tap::Tapped;
use crate::target::{Child, Http, Place, Target, shown};
use crate::trace::{RecordedHttp, Secrets, Trace};
use crate::verbose;

/// The client of a command, held where an interrupt can find it to close it.
#[derive(Clone, Default)]
pub(crate) struct Session {
    client: Arc<OnceLock<Client>>,
}

impl Session {
    /// Closes the client, where there is one.
    pub(crate) async fn close(&self) {
        if let Some(client) = self.client.get() {
            client.close().await;
        }
    }
}

/// A client with the words for its server.
pub(crate) struct Connected {
    pub(crate) client: Client,
    pub(crate) target: String,
    pub(crate) is_child: bool,
    secrets: Secrets,
}

impl Connected {
    /// Tells an error of a request.
    pub(crate) fn failure(&self, error: &diglot::Error) -> Failure {
        Failure::of(error, self.is_child).with(&self.target).without(&self.secrets)
    }

    /// Returns how the connection came about.
    pub(crate) fn negotiation(&self) -> Negotiation {
        let mut negotiation = self.client.negotiation();
        clean(&mut negotiation.trail, &self.secrets);
        negotiation
    }
}

/// Finds the server that a word means, and connects to it; it may ask nothing of the user.
pub(crate) async fn open(
    session: &Session,
    word: Option<&str>,
    options: &Options,
) -> Result<Connected, Failure> {
    connect(session, word, options, builder(options), &Asker::new(options.look.color, true)).await
}

/// Finds the server that a word means, and connects to it as a client that answers what the server asks.
pub(crate) async fn open_asking(
    session: &Session,
    word: Option<&str>,
    options: &Options,
    asking: &Asking,
) -> Result<Connected, Failure> {
    let asker = Asker::new(options.look.color, asking.no_input);
    let builder = asker.offer(builder(options));
    let builder = match roots::read(&asking.root)? {
        roots if roots.is_empty() => builder,
        roots => builder.on_roots(move || std::future::ready(roots.clone())),
    };
    connect(session, word, options, builder, &asker).await
}

async fn connect(
    session: &Session,
    word: Option<&str>,
    options: &Options,
    builder: ClientBuilder,
    asker: &Asker,
) -> Result<Connected, Failure> {
    let named = |failure: Failure| match word {
        Some(word) => failure.with(shown(word)),
        None => failure,
    };
    let found = resolve::find(word, options).map_err(named)?;
    found.warnings.iter().for_each(|warning| warn(options.look.color, warning));
    let is_child = matches!(found.target, Target::Child(_));
    let trace = begin_trace(options, &found.target).map_err(named)?;
    let secrets = Secrets::of(&found.target);
    verbose::hide(&secrets);
    let socket = socket(&found.target);
    let transport = transport(found.target, options, trace.as_ref());
    let transport = transport.map_err(|error| named(Failure::of(&error.into(), is_child)))?;
    let target = socket.unwrap_or_else(|| transport.target());
    asker.name_server(None, &target);
    match builder.connect(Tapped::new(transport, trace)).await {
        Ok(client) => {
            asker.name_server(client.server().as_ref(), &target);
            // A session has one client, so that the place is free.
            let _ = session.client.set(client.clone());
            Ok(Connected { client, target, is_child, secrets })
        }
        Err(error) => Err(Failure::of(&error, is_child).with(target).without(&secrets)),
    }
}

/// Names a Unix socket, which a recorded transport does not know of.
fn socket(target: &Target) -> Option<String> {
    match target {
        Target::Http(Http { place: Place::Socket(path, _), .. }) => {
            Some(format!("unix://{}", path.display()))
        }
        _ => None,
    }
}

fn begin_trace(options: &Options, target: &Target) -> Result<Option<Trace>, Failure> {
    let path = options.trace.as_deref();
    let said = (options.look.verbose > 1).then_some(options.look.color);
    if path.is_none() && said.is_none() {
        return Ok(None);
    }
    let named = path.unwrap_or(Path::new("-")).display();
    let wrong = |error| Failure::usage(format!("the trace {named} cannot be written: {error}"));
    Trace::begin(path, said, target).map(Some).map_err(wrong)
}

fn builder(options: &Options) -> ClientBuilder {
    let builder = Client::builder("diglot", env!("CARGO_PKG_VERSION"))
        .mode(options.mode)
        .downgrade(options.downgrade.clone())
        .probe_timeout(options.probe_timeout)
        .initialize_timeout(options.initialize_timeout)
        .timeout(options.timeout);
    match options.protocol_version {
        Some(revision) => builder.revision(revision),
        None => builder,
    }
}

fn transport(
    target: Target,
    options: &Options,
    trace: Option<&Trace>,
) -> Result<Box<dyn Transport>, TransportError> {
    match target {
        Target::Http(http) => over_http(http, trace),
        Target::Child(child) => Ok(Box::new(started(child, options, trace))),
    }
}

fn started(child: Child, options: &Options, trace: Option<&Trace>) -> ChildProcess {
    let Child { program, args, env, folder } = child;
    let process = ChildProcess::new(program).args(args);
    let process = env.into_iter().fold(process, |process, (name, value)| process.env(name, value));
    let process = match folder {
        Some(folder) => process.current_dir(folder),
        None => process,
    };
    let (color, is_verbose, trace) = (options.look.color, options.look.verbose > 0, trace.cloned());
    process.on_stderr(move |line| {
        if let Some(trace) = &trace {
            trace.stderr(line);
        }
        if is_verbose {
            say(color, line);
        }
    })
}

fn say(color: ColorChoice, line: &str) {
    note(color, &format!("{DIM}server: {}{DIM:#}\n", plain(line)));
}

fn over_http(http: Http, trace: Option<&Trace>) -> Result<Box<dyn Transport>, TransportError> {
    let Http { place, mut headers, bearer, wire } = http;
    headers.extend(bearer.map(|token| ("Authorization".to_owned(), format!("Bearer {token}"))));
    if let (HttpWire::Sse, Place::Address(url)) = (wire, &place) {
        let client = RecordedHttp::new(StockClient::new()?, trace.cloned());
        let transport = HttpSse::over(url, client)?;
        let add = |transport: HttpSse, (name, value): &(String, String)| transport.header(name, value);
        return Ok(Box::new(headers.iter().try_fold(transport, add)?));
    }
    let transport = streamable(&place, trace)?;
    let add = |transport: StreamableHttp, (name, value): &(String, String)| transport.header(name, value);
    let transport = headers.iter().try_fold(transport, add)?;
    Ok(match wire {
        HttpWire::Streamable => Box::new(transport.streamable_only()),
        _ => Box::new(transport),
    })
}

fn streamable(place: &Place, trace: Option<&Trace>) -> Result<StreamableHttp, TransportError> {
    match place {
        Place::Address(url) => {
            StreamableHttp::over(url, RecordedHttp::new(StockClient::new()?, trace.cloned()))
        }
        #[cfg(unix)]
        Place::Socket(path, http_path) => match trace {
            None => StreamableHttp::unix(path, http_path),
            Some(trace) => {
                let socket = RecordedHttp::new(diglot::http::UnixSocket::new(path), Some(trace.clone()));
                StreamableHttp::over(&format!("http://localhost{http_path}"), socket)
            }
        },
        #[cfg(not(unix))]
        Place::Socket(path, _) => {
            let fault = diglot::error::TransportFault::NotStarted;
            Err(TransportError::new(fault, path.display().to_string()))
        }
    }
}
