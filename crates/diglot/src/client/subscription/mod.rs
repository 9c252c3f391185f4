//! Hearing of changes at the server: one subscription in both eras.
//!
//! A modern server is asked by `subscriptions/listen` and says what it grants (`basic/patterns/subscriptions`). A legacy
//! one is asked for single resources by `resources/subscribe`, tells of its lists by itself, and grants what its
//! capabilities declare. Either way a task follows the news, and sets the subscription up again where they break off.

mod change;
mod ended;
mod feed;
mod legacy;
mod listens;
mod mailbox;
mod modern;
mod subscribed;

use std::sync::Arc;

use diglot_proto::types::SubscriptionFilter;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::client::Client;
use crate::error::Error;

pub use self::change::{Change, Interruption};
pub(super) use self::listens::Listens;
pub(super) use self::subscribed::Subscribed;

use self::listens::Subscriber;

impl Client {
    /// Asks to hear of changes at the server, in either era, and returns once the server has said of which it tells.
    ///
    /// What it does not tell of is no error: [`Subscription::acknowledged`] says what is granted, as an empty filter in
    /// the extreme. [`SubscriptionFilter::offered_by`] asks for every list that a server declares to tell of.
    ///
    /// ```no_run
    /// use diglot::client::Change;
    /// use diglot::types::SubscriptionFilter;
    ///
    /// # async fn example(client: diglot::Client) -> Result<(), diglot::Error> {
    /// let filter = SubscriptionFilter::new()
    ///     .tools_list_changed(true)
    ///     .resource_subscriptions(vec!["file:///project/config.json".to_owned()]);
    /// let mut changes = client.listen(filter).await?;
    /// while let Some(change) = changes.next().await {
    ///     match change? {
    ///         Change::Tools => println!("{} tools", client.list_tools().await?.len()),
    ///         Change::Interrupted(why) => println!("read everything again: {why}"),
    ///         other => println!("{other}"),
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// In the legacy era over Streamable HTTP, the news come on a stream of their own, which is opened for the first
    /// subscription. A server that refuses to open it grants nothing.
    ///
    /// # Errors
    ///
    /// The server refuses, or does not acknowledge within the client's time-out.
    pub async fn listen(&self, filter: SubscriptionFilter) -> Result<Subscription, Error> {
        let inner = self.inner.clone();
        let subscriber = inner.settings.listens.add(filter, &inner.settings.limits);
        let feed = feed::begin(&inner, &subscriber).await?;
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(feed::follow(inner, subscriber.clone(), feed, stopped));
        Ok(Subscription { subscriber, stop, task })
    }
}

/// The changes at a server, as they are told.
///
/// It outlives breaks: where the stream of the news breaks off, or the connection is opened anew, it is set up again,
/// and [`Change::Interrupted`] comes before the next changes. It gives up with an error once several tries in a row
/// brought nothing, or the connection is gone for good. It ends without one when the server ends it in good order, and
/// when the client is closed. Dropping it withdraws it at the server.
///
/// It keeps the connection open, as a clone of the client does.
#[must_use = "a subscription that is dropped is withdrawn"]
pub struct Subscription {
    subscriber: Arc<Subscriber>,
    /// The task ends in good order when this is dropped.
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Subscription {
    /// Waits for the next change; nothing where there will be none any more.
    ///
    /// The future may be dropped at any time without losing one. Changes that are not taken wait, each of them once, and
    /// up to [`Limits::queued_messages`](crate::Limits::queued_messages) of them.
    ///
    /// # Errors
    ///
    /// The last item can be the failure that ended the subscription.
    pub async fn next(&mut self) -> Option<Result<Change, Error>> {
        self.subscriber.mailbox.next().await
    }

    /// Returns what the server tells of: at most what was asked, and what it said last where it was asked again.
    pub fn acknowledged(&self) -> SubscriptionFilter {
        self.subscriber.acknowledged()
    }

    /// Withdraws it, and waits until the server was told.
    pub async fn close(self) {
        let Self { stop, task, .. } = self;
        drop(stop);
        // It neither panics nor is it aborted, save with the whole runtime.
        let _ = task.await;
    }
}

impl std::fmt::Debug for Subscription {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subscription").field("acknowledged", &self.acknowledged()).finish_non_exhaustive()
    }
}
