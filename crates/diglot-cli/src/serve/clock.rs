//! A clock that moves when it is told to: something to subscribe to.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use diglot::server::Resource;
use diglot::types::{Annotations, Role, ToolAnnotations};
use diglot::{Context, Tool};

use super::icon::icon;

/// The address of the clock.
const ADDRESS: &str = "demo://clock";

/// The clock; clones are the same one.
#[derive(Clone, Default)]
pub(super) struct Clock(Arc<AtomicU64>);

impl Clock {
    /// Makes a clock that has not moved yet.
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Makes the resource that shows the clock.
    pub(super) fn resource(&self) -> Resource {
        let clock = self.clone();
        Resource::new(ADDRESS, "clock", move |_: String, _: Context| std::future::ready(clock.show()))
            .title("Clock")
            .description("Says how often it has ticked. It changes when the tool `tick` is called.")
            .mime_type("text/plain")
            .annotations(Annotations::new().audience([Role::User, Role::Assistant]).priority(0.5))
            .icons([icon("#a72", "12")])
    }

    /// Makes the tool that moves the clock; the server tells its subscribers.
    pub(super) fn tick(&self) -> Tool {
        let clock = self.clone();
        let tick = move |cx: Context| {
            clock.0.fetch_add(1, Ordering::Relaxed);
            cx.server().resource_changed(ADDRESS);
            std::future::ready(clock.show())
        };
        Tool::new("tick", tick)
            .title("Tick")
            .description("Moves the clock, which tells those who subscribed to demo://clock.")
            .annotations(ToolAnnotations::new().destructive_hint(false).open_world_hint(false))
            .icons([icon("#a72", "12")])
    }

    fn show(&self) -> String {
        match self.0.load(Ordering::Relaxed) {
            0 => "The clock has not ticked yet.".to_owned(),
            1 => "The clock has ticked once.".to_owned(),
            times => format!("The clock has ticked {times} times."),
        }
    }
}
