//! A subscription at a legacy server: what its capabilities declare, and `resources/subscribe` for single resources.
//!
//! A session knows each resource once, however many listen to it here, so they are counted.

use std::sync::{Arc, Weak};
use std::time::Duration;

use diglot_proto::types::{ServerCapabilities, SubscriptionFilter};
use serde_json::json;
use serde_json::value::to_raw_value;
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::change;
use super::ended::Ended;
use super::listens::{Source, Subscriber};
use crate::client::live::Inner;
use crate::client::remedy::Failed;
use crate::client::request::{Call, Options};
use crate::client::wire::Live;
use crate::error::{Error, TransportError, TransportFault};

/// How long a server may take to be told that subscriptions are over.
const GOODBYE: Duration = Duration::from_secs(10);

/// What one subscription holds of them. Dropping it lets go.
pub(super) struct Held {
    inner: Weak<Inner>,
    uris: Vec<String>,
}

/// Has the session tell of what is wanted, as far as it can.
pub(super) async fn set_up(
    inner: &Arc<Inner>,
    live: &Arc<Live>,
    subscriber: &Subscriber,
    held: &mut Held,
) -> Result<(), Failed> {
    if let Some(failure) = live.wire.connection.failure() {
        return Err(failure.into());
    }
    let capabilities = ServerCapabilities::read(&live.agreement.capabilities).unwrap_or_default();
    let mut granted = change::offered(&subscriber.wanted, &capabilities);
    subscriber.feed(Source::Session);
    match live.wire.connection.attend().await {
        Ok(true) => {}
        Ok(false) => {
            // Changes may still come beside the answers to requests, but nothing promises it.
            tracing::info!("the server has no stream on which it could tell of changes");
            granted = SubscriptionFilter::new();
        }
        Err(error) => return Err(lost(inner, live, error).await),
    }
    let mut subscribed = Vec::new();
    for uri in granted.resource_subscriptions {
        if !subscribed.contains(&uri) && held.take(inner, live, &uri).await? {
            subscribed.push(uri);
        }
    }
    granted.resource_subscriptions = subscribed;
    subscriber.acknowledge(granted);
    Ok(())
}

/// Waits until the session is replaced, or its news end.
pub(super) async fn wait(inner: &Arc<Inner>, live: &Arc<Live>) -> Ended {
    let mut over = live.wire.over.clone();
    tokio::select! {
        biased;
        () = inner.until_replaced(live) => {}
        // Nothing is ever sent; the error is that the listener is gone, which is what is waited for.
        _ = over.changed() => {}
    }
    let connection = &live.wire.connection;
    let ended = || TransportError::new(TransportFault::Ended, live.transport.target());
    let error = match connection.failure() {
        Some(failure) => failure,
        None => connection.attend().await.err().unwrap_or_else(ended),
    };
    Ended::Lost(error.into())
}

/// Finds out why a session has no news any more: the answer to a request says more than a stream that broke off.
async fn lost(inner: &Arc<Inner>, live: &Arc<Live>, error: TransportError) -> Failed {
    let ping = Call { method: "ping".into(), params: None, is_safe: true, takes_input: false };
    match inner.exchange(live, &ping, &mut Options::default()).await {
        Err(failed) if !matches!(failed.error, Error::Rpc(_)) => failed,
        _ => error.into(),
    }
}

impl Held {
    pub(super) fn nothing(inner: &Arc<Inner>) -> Self {
        Self { inner: Arc::downgrade(inner), uris: Vec::new() }
    }

    /// Takes hold of a resource, and tells whether the server lets it.
    async fn take(&mut self, inner: &Arc<Inner>, live: &Arc<Live>, uri: &str) -> Result<bool, Failed> {
        let mut resources = inner.subscribed.lock().await;
        let resource = resources.entry(uri.to_owned()).or_default();
        if !resource.is_told(live) {
            let asked =
                inner.exchange(live, &call("resources/subscribe", uri), &mut Options::default()).await;
            match asked {
                Ok(_) => resource.session = Arc::downgrade(live),
                Err(Failed { error: Error::Rpc(error), .. }) => {
                    tracing::warn!(uri, %error, "the server does not tell of a resource");
                    if resource.listeners == 0 {
                        resources.remove(uri);
                    }
                    return Ok(false);
                }
                Err(failed) => return Err(failed),
            }
        }
        if !self.uris.iter().any(|own| own == uri) {
            self.uris.push(uri.to_owned());
            resource.listeners += 1;
        }
        Ok(true)
    }

    /// Lets go of everything without telling the server, which knows of nothing any more.
    pub(super) fn forget(&mut self) {
        self.uris.clear();
    }

    /// Lets go of everything, and tells the server of what nobody else listens to.
    pub(super) async fn release(&mut self) {
        let uris = std::mem::take(&mut self.uris);
        if let Some(inner) = self.inner.upgrade().filter(|_| !uris.is_empty()) {
            release(&inner, uris).await;
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let uris = std::mem::take(&mut self.uris);
        // Without a runtime nothing can be sent any more.
        let (Some(inner), Ok(runtime)) = (self.inner.upgrade(), Handle::try_current()) else { return };
        if !uris.is_empty() {
            runtime.spawn(async move { release(&inner, uris).await });
        }
    }
}

async fn release(inner: &Arc<Inner>, uris: Vec<String>) {
    let telling = async {
        // Held while the server is told, so that whoever asks for the same resource does so after that.
        let mut resources = inner.subscribed.lock().await;
        let live = inner.live();
        let mut over = Vec::new();
        for uri in uris {
            let Some(resource) = resources.get_mut(&uri) else { continue };
            resource.listeners = resource.listeners.saturating_sub(1);
            if resource.listeners == 0 {
                let resource = resources.remove(&uri);
                over.extend(resource.filter(|resource| resource.is_told(&live)).map(|_| uri));
            }
        }
        for uri in over {
            let told =
                inner.exchange(&live, &call("resources/unsubscribe", &uri), &mut Options::default()).await;
            if let Err(failed) = told {
                tracing::debug!(uri, error = %failed.error, "the end of a subscription was not accepted");
            }
        }
    };
    if timeout(GOODBYE, telling).await.is_err() {
        tracing::debug!("the server did not take the end of subscriptions in time");
    }
}

fn call(method: &'static str, uri: &str) -> Call {
    let params = to_raw_value(&json!({ "uri": uri })).expect("text serialises");
    Call { method: method.into(), params: Some(params), is_safe: true, takes_input: false }
}
