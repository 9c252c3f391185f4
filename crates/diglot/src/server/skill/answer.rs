//! The methods of the extension that are about one skill or one directory.

use diglot_proto::jsonrpc::RpcError;
use diglot_proto::method::Method;
use diglot_proto::object::Object;
use diglot_proto::types::{self, GetSkillResult, ReadDirectoryResult};

use crate::server::answer::ResultBody;
use crate::server::core::Core;
use crate::server::job::{Job, invalid};
use crate::server::settings::CacheHint;
use crate::server::table::{read_cursor, write_cursor};

/// Answers a method of the extension; the caller has seen that it is offered.
pub(crate) fn answer(core: &Core, job: &Job) -> Result<ResultBody, RpcError> {
    let params = job.params.as_deref().and_then(Object::read).unwrap_or_default();
    let uri = params.string("uri");
    let uri = uri.ok_or_else(|| invalid(format!("{} needs a uri", job.method.as_str())))?;
    let catalog = core.catalog();
    if job.method == Method::GetSkill {
        let entry = catalog.skills.entries.find(&uri);
        let entry = entry.ok_or_else(|| invalid(format!("No skill is served at {uri}")))?;
        let CacheHint { ttl_ms, scope } = core.settings.read_cache;
        return Ok(ResultBody::write(&GetSkillResult::new(entry.definition.clone())).cache(ttl_ms, scope));
    }
    let children = catalog.skills.directory(&uri);
    let children = children.ok_or_else(|| invalid(format!("{uri} is not a directory")))?;
    let start = match params.member("cursor") {
        None => String::new(),
        Some(_) => params
            .string("cursor")
            .and_then(|cursor| read_cursor(&cursor))
            .ok_or_else(|| invalid("the cursor is unknown; list again from the beginning"))?,
    };
    let size = core.settings.page_size.max(1);
    let mut rest = children.into_iter().skip_while(|(child, _)| *child <= start);
    let page: Vec<(String, types::Resource)> = rest.by_ref().take(size).collect();
    let last = page.last().map(|(child, _)| write_cursor(child)).filter(|_| rest.next().is_some());
    let mut result = ReadDirectoryResult::new(page.into_iter().map(|(_, child)| child).collect::<Vec<_>>());
    result.next_cursor = last;
    Ok(ResultBody::write(&result))
}
