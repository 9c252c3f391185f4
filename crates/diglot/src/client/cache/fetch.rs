//! A request whose result may be kept.

use std::sync::Arc;

use diglot_proto::version::Era;
use serde_json::value::RawValue;

use super::{Caching, Key};
use crate::client::live::Inner;
use crate::client::options::Options;
use crate::client::request::Call;
use crate::error::Error;

/// A result, and whether it had been kept.
pub(in crate::client) struct Fetched {
    pub(in crate::client) result: Box<RawValue>,
    pub(in crate::client) is_kept: bool,
}

impl Inner {
    /// Returns the result of a request, from the cache where it is fresh.
    pub(in crate::client) async fn fetch(
        self: &Arc<Self>,
        call: &Call,
        options: &mut Options,
    ) -> Result<Fetched, Error> {
        // The answer may depend on what the caller says in `_meta`.
        let caching = match options.meta.is_empty() {
            true => options.caching,
            false => Caching::Bypass,
        };
        let key = Key::new(&call.method, call.params.as_deref());
        if caching == Caching::Use
            && let Some(result) = self.cache.find(&key)
        {
            return Ok(Fetched { result, is_kept: true });
        }
        let epoch = self.cache.epoch();
        let answered = self.answered(call, options).await?;
        let rounds = answered.rounds;
        // Another server in the meantime would have made another epoch.
        let era = self.live().agreement.era();
        let result = answered.reply.complete(&call.method)?;
        // A result that took rounds of input depends on more than the parameters.
        let may_keep = caching != Caching::Bypass && rounds == 0 && era == Era::Modern;
        if may_keep {
            self.cache.keep(key, &result, epoch);
        }
        Ok(Fetched { result, is_kept: false })
    }
}
