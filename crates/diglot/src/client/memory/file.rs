//! Remembered eras in a file that several processes may share.
//!
//! A writer takes a lock beside the file, reads what is there now, adds its own word and puts the new file in the
//! place of the old at once; so nobody sees half a file, and nobody's word is lost.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use diglot_proto::object::Object;
use diglot_proto::version::Revision;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::record::{EraMemory, EraRecord, EraVerdict, Records};
use crate::transport::BoxFuture;

/// A larger file is not ours, or is broken; it counts as empty.
const MOST_FILE_BYTES: u64 = 128 * 1024 * 1024;

pub(super) struct FileMemory {
    path: PathBuf,
}

impl FileMemory {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    fn change(&self, act: impl FnOnce(&mut Records) + Send + 'static) -> BoxFuture<'static, ()> {
        let path = self.path.clone();
        Box::pin(async move {
            let done = tokio::task::spawn_blocking({
                let path = path.clone();
                move || change(&path, act)
            });
            if let Ok(Err(error)) = done.await {
                tracing::warn!(path = %path.display(), %error, "the remembered eras could not be written");
            }
        })
    }
}

impl EraMemory for FileMemory {
    fn recall<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Option<EraRecord>> {
        let path = self.path.clone();
        Box::pin(async move {
            let key = key.to_owned();
            let found = tokio::task::spawn_blocking(move || read(&path).0.remove(&key));
            found.await.ok().flatten()
        })
    }

    fn remember<'a>(&'a self, key: &'a str, record: EraRecord) -> BoxFuture<'a, ()> {
        let key = key.to_owned();
        self.change(move |records| records.insert(&key, record))
    }

    fn forget<'a>(&'a self, key: &'a str) -> BoxFuture<'a, ()> {
        let key = key.to_owned();
        self.change(move |records| {
            records.0.remove(&key);
        })
    }
}

fn change(path: &Path, act: impl FnOnce(&mut Records)) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let lock = OpenOptions::new().create(true).truncate(false).write(true).open(beside(path, "lock"))?;
    lock.lock()?;
    let mut records = read(path);
    act(&mut records);
    let new = beside(path, "new");
    let mut file = File::create(&new)?;
    file.write_all(write(&records).as_bytes())?;
    file.sync_data()?;
    fs::rename(&new, path)
    // The lock goes with its file handle.
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(ending);
    path.with_file_name(name)
}

/// Reads the file leniently: what is missing or broken counts as nothing remembered.
fn read(path: &Path) -> Records {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(MOST_FILE_BYTES).read_to_string(&mut text));
    if read.is_err() {
        return Records::default();
    }
    let Ok(servers) = serde_json::from_str::<Object<'_>>(&text) else { return Records::default() };
    let servers = servers.object("servers").unwrap_or_default();
    let records = servers.iter().filter_map(|(key, record)| Some((key.to_owned(), read_record(record)?)));
    Records(records.collect())
}

fn read_record(text: &RawValue) -> Option<EraRecord> {
    let object = Object::read(text)?;
    let since = UNIX_EPOCH.checked_add(Duration::from_millis(object.parse("since")?))?;
    let verdict = match object.string("era")?.as_str() {
        "legacy" => EraVerdict::Legacy,
        "modern" => EraVerdict::Modern {
            revision: object.string("revision")?.parse::<Revision>().ok()?,
            discovery: object.raw_object("discovery")?.to_owned(),
        },
        _ => return None,
    };
    Some(EraRecord::new(verdict, since))
}

fn write(records: &Records) -> String {
    let servers = records.0.iter().map(|(key, record)| {
        let since = to_millis(record.since);
        let value = match &record.verdict {
            EraVerdict::Legacy => json!({ "era": "legacy", "since": since }),
            EraVerdict::Modern { revision, discovery } => {
                json!({ "era": "modern", "since": since, "revision": revision, "discovery": discovery })
            }
        };
        (key.clone(), value)
    });
    json!({ "version": 1, "servers": servers.collect::<serde_json::Map<String, Value>>() }).to_string()
}

/// Returns a time as milliseconds since 1970, for a file.
fn to_millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
