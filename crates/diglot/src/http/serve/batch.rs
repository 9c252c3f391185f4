//! Batches, which only sessions of revision 2025-03-26 have: the requests run side by side and are answered as one array.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use diglot_proto::jsonrpc::Id;
use diglot_proto::version::Revision;
use http::StatusCode;

use crate::http::serve::alone::handler;
use crate::http::serve::answering::{Answer, Answering, Handler};
use crate::http::serve::endpoint::{Endpoint, Letter};
use crate::http::serve::legacy::refused;
use crate::http::serve::live::{Lane, Live};
use crate::http::serve::mailbox::Mailbox;
use crate::http::serve::reply::{self, Reply};
use crate::http::serve::wire::Wire;
use crate::server::intake::{Intake, LegacyWork, Work};
use crate::server::outlet::Outlet;
use crate::server::session::Session;

/// What is left to do of a batch.
#[derive(Default)]
struct Sorted {
    work: Vec<Work>,
    /// Answers that are written already: refusals.
    refusals: Vec<Vec<u8>>,
}

impl Endpoint {
    /// Answers a batch.
    pub(super) async fn batch(&self, letter: Letter, intakes: Vec<Intake>) -> Reply {
        let live = match &self.sessions {
            None => None,
            Some(sessions) => match self.session(sessions, &letter, None).await {
                Ok(live) if live.session().is_some_and(has_batches) => Some(live),
                Ok(_) => {
                    let what = "Invalid Request: the revision of this session has no batches";
                    return reply::invalid(StatusCode::BAD_REQUEST, None, what);
                }
                Err(refusal) => return refusal,
            },
        };
        let sorted = sort(&letter, live.as_ref(), intakes);
        if sorted.work.is_empty() && sorted.refusals.is_empty() {
            return reply::empty(StatusCode::ACCEPTED);
        }
        if !letter.accept.json && !letter.accept.event_stream {
            return reply::not_acceptable(None, "the client must accept application/json");
        }
        self.run_batch(&letter, live, sorted).await
    }

    async fn run_batch(&self, letter: &Letter, live: Option<Arc<Live>>, sorted: Sorted) -> Reply {
        let ids: Vec<Id> = sorted.work.iter().map(|work| work.id.clone()).collect();
        let (outlet, wire): (Arc<dyn Outlet>, Arc<dyn Wire>) = match &live {
            None => {
                let mailbox = Arc::new(Mailbox::new(letter.accept.event_stream));
                (mailbox.clone(), mailbox)
            }
            Some(live) => match live.streams.open(ids.clone(), letter.accept.event_stream) {
                Ok(number) => {
                    let lane = Lane::of_request(live.clone(), number);
                    (lane.clone(), lane)
                }
                Err(not_taken) => return refused(not_taken, None),
            },
        };
        let work = sorted.work.into_iter().map(|work| {
            let id = work.id.clone();
            (id, Some(handler(self.core.clone(), work.through(outlet.clone()))))
        });
        let handler = together(work.collect(), sorted.refusals, wire.clone());
        Answering::new(handler, wire, letter.accept, self.settings.silence).await
    }
}

fn has_batches(session: &Arc<Session>) -> bool {
    session.revision == Revision::V2025_03_26
}

fn sort(letter: &Letter, live: Option<&Arc<Live>>, intakes: Vec<Intake>) -> Sorted {
    let mut sorted = Sorted::default();
    for intake in intakes {
        match intake {
            Intake::Legacy(work) => {
                let session = live.and_then(|live| live.session().cloned()).ok_or(Revision::V2025_03_26);
                match LegacyWork::of(work, session, letter.facts.clone()) {
                    Ok(work) => sorted.work.push(work),
                    Err(rejection) => sorted.refusals.push(rejection.body()),
                }
            }
            Intake::Refused(rejection) => sorted.refusals.push(rejection.body()),
            Intake::Cancel(id) => {
                live.map(|live| live.streams.cancel(&id));
            }
            Intake::Answer(response) => {
                if let Some(live) = live {
                    live.answered(response);
                }
            }
            // Neither can come out of a batch; see `classify_in_batch`.
            Intake::Modern(_) | Intake::Initialize(..) | Intake::Noted => {}
        }
    }
    sorted
}

/// Runs requests side by side; one that is withdrawn is dropped and gets no answer.
fn together(mut work: Vec<(Id, Option<Handler>)>, refusals: Vec<Vec<u8>>, wire: Arc<dyn Wire>) -> Handler {
    let mut answers = refusals;
    Box::pin(async move {
        poll_fn(|context| {
            for (id, handler) in &mut work {
                let Some(running) = handler else { continue };
                if !wire.wants(id) {
                    *handler = None;
                } else if let Poll::Ready(answer) = running.as_mut().poll(context) {
                    *handler = None;
                    answers.extend(answer.map(|answer| answer.body));
                }
            }
            match work.iter().all(|(_, handler)| handler.is_none()) {
                true => Poll::Ready(()),
                false => Poll::Pending,
            }
        })
        .await;
        let mut body = b"[".to_vec();
        body.extend_from_slice(&answers.join(&b','));
        body.push(b']');
        (!answers.is_empty()).then_some(Answer { status: StatusCode::OK, body })
    })
}
