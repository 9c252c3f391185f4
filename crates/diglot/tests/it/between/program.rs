//! What is done through the faults, and what must hold.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use diglot::client::Restart;
use diglot::server::{Eras, Server};
use diglot::{Client, Context, Era, Error, Limits, Tool, Transport};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio::task::JoinSet;

use super::WATCHED;
use super::fault::Chance;

/// How many clients suffer at the same time, and how many calls each has under way.
const CLIENTS: usize = 16;
const AT_ONCE: usize = 4;

/// How long a call may take; what is swallowed costs as much.
const PATIENCE: Duration = Duration::from_millis(200);

/// How long a connection may take to open, on a machine that has much else to do.
const OPENING: Duration = Duration::from_secs(2);

/// How long a client that is left in peace may take for a call; an answer may still be lost to what came before it.
const SOON: Duration = Duration::from_secs(5);

/// What no call may take, whatever happens to it: far longer than all the time-outs on its way.
const HANG: Duration = Duration::from_secs(60);

/// More rounds of calls than any client needs for its part of the faults.
const MOST_ROUNDS: usize = 20_000;

/// The most that memory may have grown between the first faults and the last, in KiB.
const MOST_GROWTH_KIB: usize = 64 * 1024;

#[derive(Deserialize, JsonSchema)]
struct Mark {
    key: u64,
}

/// What was carried out: how often, by the key of the call.
#[derive(Default)]
pub(super) struct Ledger {
    next: AtomicU64,
    done: Mutex<HashMap<u64, usize>>,
}

impl Ledger {
    fn key(&self) -> u64 {
        self.next.fetch_add(1, Ordering::SeqCst)
    }

    fn times(&self, key: u64) -> usize {
        self.done.lock().unwrap().get(&key).copied().unwrap_or_default()
    }
}

/// Makes the server, which writes into the ledger what it does.
pub(super) fn server(eras: Eras, ledger: Arc<Ledger>) -> Server {
    let mark = move |Mark { key }: Mark, cx: Context| {
        let ledger = ledger.clone();
        async move {
            *ledger.done.lock().unwrap().entry(key).or_default() += 1;
            // Who asked for it gets a stream of events instead of a document.
            for step in 1..=3_u8 {
                cx.progress(step.into(), Some(3.0), None);
                tokio::task::yield_now().await;
            }
            format!("marked {key}")
        }
    };
    Server::new("between", "1").eras(eras).drain_time(Duration::ZERO).tool(Tool::new("mark", mark))
}

/// Has clients call through the faults until there were enough, and checks what must hold.
pub(super) async fn suffer<T: Transport>(
    faults: usize,
    eras: &'static [Era],
    chance: &Arc<Chance>,
    ledger: &Arc<Ledger>,
    transport: impl Fn() -> T + Clone + Send + Sync + 'static,
) {
    let mut clients = JoinSet::new();
    let early = Arc::new(Mutex::new(None));
    for _ in 0..CLIENTS {
        let (chance, ledger, early) = (chance.clone(), ledger.clone(), early.clone());
        let transport = transport.clone();
        clients.spawn(async move {
            let client = connect(&transport, eras).await;
            for round in 0.. {
                if chance.drawn() >= faults {
                    break;
                }
                assert!(round < MOST_ROUNDS, "only {} faults in {round} rounds", chance.drawn());
                let calls: Vec<_> =
                    (0..AT_ONCE).map(|_| tokio::spawn(call(client.clone(), ledger.clone()))).collect();
                for call in calls {
                    call.await.expect("no call panics");
                }
                if chance.drawn() > faults / 4 {
                    early.lock().unwrap().get_or_insert_with(resident_kib);
                }
            }
            client
        });
    }
    let clients = clients.join_all().await;
    let (early, late) = (early.lock().unwrap().unwrap_or_default(), resident_kib());
    if std::env::var_os(WATCHED).is_some() {
        assert!(early > 0 && late < early + MOST_GROWTH_KIB, "memory has grown from {early} to {late} KiB");
    }
    chance.end();
    for (key, times) in ledger.done.lock().unwrap().iter() {
        assert_eq!(*times, 1, "the call {key} was carried out {times} times");
    }
    for client in clients {
        works(&client, ledger).await;
        assert!(eras.contains(&client.era()), "{}", client.negotiation());
        client.close().await;
    }
}

/// Lets a client mend what is broken as often as it breaks here.
fn limits() -> Limits {
    Limits::default().reopenings_per_minute(usize::MAX).restarts(
        usize::MAX,
        Duration::from_millis(1),
        Duration::from_millis(2),
    )
}

/// Connects through the faults; a failure is tried again, an era that is not the server's is none.
async fn connect<T: Transport>(transport: &(impl Fn() -> T + Sync), eras: &[Era]) -> Client {
    let mut last = None;
    for _ in 0..100 {
        let builder = Client::builder("between", "1")
            .restart(Restart::OnExit)
            .limits(limits())
            .timeout(PATIENCE)
            .probe_timeout(OPENING)
            .initialize_timeout(OPENING);
        let connecting = tokio::time::timeout(HANG, builder.connect(transport())).await;
        match connecting.expect("no connect hangs") {
            Ok(client) => {
                assert!(eras.contains(&client.era()), "{}", client.negotiation());
                return client;
            }
            Err(error) => last = Some(error),
        }
    }
    panic!("a hundred attempts to connect have failed, the last with {last:?}");
}

/// Makes one call, and checks that its answer is its own and that an answer means that it was carried out.
async fn call(client: Client, ledger: Arc<Ledger>) {
    let key = ledger.key();
    let calling = client.call_tool("mark", json!({ "key": key }));
    let calling = match key % 2 {
        0 => calling.into_future(),
        _ => calling.on_progress(|_| {}).into_future(),
    };
    let outcome = tokio::time::timeout(HANG, calling).await.expect("no call hangs");
    match outcome {
        Ok(result) => {
            assert_eq!(result.text(), format!("marked {key}"));
            assert_eq!(ledger.times(key), 1, "the call {key}, which has its answer");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// A client that is left in peace works: what was broken is mended by the first calls.
async fn works(client: &Client, ledger: &Ledger) {
    let mut last: Option<Error> = None;
    for _ in 0..3 {
        let key = ledger.key();
        match client.call_tool("mark", json!({ "key": key })).timeout(SOON).await {
            Ok(result) => return assert_eq!(result.text(), format!("marked {key}")),
            Err(error) => last = Some(error),
        }
    }
    panic!("a client does not work any more: {last:?}");
}

/// Returns how much memory this process has, in KiB; nothing where the system does not tell.
fn resident_kib() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    resident.and_then(|resident| resident.trim().trim_end_matches(" kB").parse().ok()).unwrap_or_default()
}
