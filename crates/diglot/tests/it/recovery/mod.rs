//! Connections that are lost and opened anew: dead sessions, processes that exit, streams that break off.

mod pool;
mod restarts;
mod resuming;
mod sessions;
mod site;

use std::sync::{Arc, Mutex};

use diglot::client::{Reconnect, ReconnectStep};

/// What the host was told, each event as its step and the name of what was lost.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Heard {
    fn listener(&self) -> impl Fn(&Reconnect) + Send + Sync + 'static {
        let heard = self.0.clone();
        move |event| {
            let step = match &event.step {
                ReconnectStep::Trying { attempt, wait } => format!("try {attempt} in {wait:?}"),
                ReconnectStep::Reopened { revision, not_restored } if not_restored.is_empty() => {
                    format!("open at {revision}")
                }
                ReconnectStep::Reopened { not_restored, .. } => format!("open without {not_restored:?}"),
                step => format!("{step:?}").split('(').next().unwrap_or_default().to_owned(),
            };
            heard.lock().unwrap().push(step);
        }
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}
