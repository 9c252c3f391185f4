//! What streams keep, and what they let go.

use std::sync::Arc;
use std::task::Waker;

use super::*;

fn streams(events: usize, bytes: usize, all: &Arc<Total>) -> Streams {
    Streams::new(Keep { events, bytes, all: all.clone() })
}

fn lenient() -> Streams {
    streams(1_000, 1_000_000, &Arc::new(Total::new(1_000_000)))
}

/// Reads what there is, and tells what comes next.
fn read(streams: &Streams, reading: &mut Reading) -> (String, Next) {
    let mut text = String::new();
    let next = streams.read(reading, &Context::from_waker(Waker::noop()), |number, message| {
        text.push_str(&format!("{number}:{} ", String::from_utf8_lossy(message)));
    });
    (text, next)
}

fn open(streams: &Streams, id: i64) -> u32 {
    streams.open(vec![Id::Number(id)], true).unwrap()
}

#[test]
fn the_oldest_that_was_read_gives_way() {
    let streams = streams(2, 1_000, &Arc::new(Total::new(1_000)));
    let number = open(&streams, 1);
    let mut reading = streams.attach(number, None).unwrap();
    for message in ["a", "b", "c"] {
        assert!(streams.push(number, message.into()));
    }
    // What is under way to a reader is not lost to a limit.
    assert_eq!(read(&streams, &mut reading), ("1:a 2:b 3:c ".to_owned(), Next::Open));
    let mut again = streams.attach(number, Some(0)).unwrap();
    assert_eq!(read(&streams, &mut again), ("2:b 3:c ".to_owned(), Next::Open));
}

#[test]
fn bytes_are_limited_for_a_session_and_for_all() {
    let all = Arc::new(Total::new(25));
    let (one, other) = (streams(100, 20, &all), streams(100, 20, &all));
    for streams in [&one, &other] {
        let number = open(streams, 1);
        let reading = streams.attach(number, None).unwrap();
        streams.detach(&reading);
        for _ in 0..10 {
            streams.push(number, vec![b'x'; 10]);
        }
    }
    assert!(all.used.load(Ordering::Relaxed) <= 25);
    drop(one);
    drop(other);
    assert_eq!(all.used.load(Ordering::Relaxed), 0);
}

#[test]
fn nothing_is_kept_for_who_never_read_anything() {
    let all = Arc::new(Total::new(1_000));
    let streams = streams(100, 1_000, &all);
    let number = open(&streams, 1);
    assert!(streams.push(number, b"a".to_vec()));
    streams.abandon(number);
    assert!(!streams.push(number, b"b".to_vec()));
    streams.close(number, Some(b"c".to_vec()));
    assert_eq!(all.used.load(Ordering::Relaxed), 0);
    assert!(streams.attach(number, None).is_none());
}

#[test]
fn an_answer_waits_for_who_may_come_back() {
    let streams = lenient();
    let number = open(&streams, 1);
    let reading = streams.attach(number, None).unwrap();
    streams.detach(&reading);
    assert!(!streams.are_in_use());
    streams.close(number, Some(b"a".to_vec()));
    // However often it is swept, what nobody read is kept.
    for _ in 0..3 {
        streams.age();
    }
    let mut reading = streams.attach(number, Some(0)).unwrap();
    assert_eq!(read(&streams, &mut reading), ("1:a ".to_owned(), Next::End));
    streams.detach(&reading);
    for _ in 0..3 {
        streams.age();
    }
    assert!(streams.attach(number, Some(0)).is_none());
}

#[test]
fn who_is_sent_away_reads_the_rest_later() {
    let streams = lenient();
    let number = open(&streams, 1);
    streams.push(number, b"a".to_vec());
    streams.hang_up(number);
    assert!(streams.has_mail(number, &Context::from_waker(Waker::noop())));
    let mut reading = streams.attach(number, None).unwrap();
    assert_eq!(read(&streams, &mut reading), ("1:a ".to_owned(), Next::End));
    streams.detach(&reading);
    let mut reading = streams.attach(number, Some(1)).unwrap();
    assert_eq!(read(&streams, &mut reading), (String::new(), Next::Open));
    streams.close(number, Some(b"b".to_vec()));
    assert_eq!(read(&streams, &mut reading), ("2:b ".to_owned(), Next::End));
}

#[test]
fn there_is_one_reader_and_the_last_one_it_is() {
    let streams = lenient();
    let mut first = streams.attach(UNSOLICITED, None).unwrap();
    let mut second = streams.attach(UNSOLICITED, None).unwrap();
    streams.push(UNSOLICITED, b"a".to_vec());
    assert_eq!(read(&streams, &mut first), (String::new(), Next::End));
    assert_eq!(read(&streams, &mut second), ("1:a ".to_owned(), Next::Open));
    // The first leaves late, and that changes nothing.
    streams.detach(&first);
    assert!(streams.is_read(UNSOLICITED));
}

#[test]
fn numbers_of_events_go_on_when_the_stream_is_opened_again() {
    let streams = lenient();
    let mut reading = streams.attach(UNSOLICITED, None).unwrap();
    streams.push(UNSOLICITED, b"a".to_vec());
    read(&streams, &mut reading);
    streams.close(UNSOLICITED, None);
    streams.detach(&reading);
    for _ in 0..3 {
        streams.age();
    }
    let mut reading = streams.attach(UNSOLICITED, None).unwrap();
    streams.push(UNSOLICITED, b"b".to_vec());
    assert_eq!(read(&streams, &mut reading), ("2:b ".to_owned(), Next::Open));
}

#[test]
fn a_flood_of_notifications_ends_at_a_limit_and_the_answer_still_comes() {
    let streams = lenient();
    let number = open(&streams, 1);
    let mut reading = streams.attach(number, None).unwrap();
    let taken = (0..2_000).filter(|_| streams.push(number, b"a".to_vec())).count();
    assert_eq!(taken, MOST_WAITING);
    streams.close(number, Some(b"end".to_vec()));
    assert!(read(&streams, &mut reading).0.ends_with("1025:end "));
}

#[test]
fn requests_are_limited_and_their_ids_are_their_own() {
    let streams = lenient();
    assert_eq!(streams.open(vec![Id::Number(1), Id::Number(1)], true), Err(NotTaken::Duplicate));
    let first = open(&streams, 0);
    assert_eq!(streams.open(vec![Id::Number(0)], true), Err(NotTaken::Duplicate));
    for id in 1..MOST_RUNNING {
        open(&streams, i64::try_from(id).unwrap());
    }
    assert_eq!(streams.open(vec![Id::Number(-1)], true), Err(NotTaken::TooMany));
    streams.forget(first);
    open(&streams, 0);
    streams.end();
    assert_eq!(streams.open(vec![Id::Number(-1)], true), Err(NotTaken::Ended));
    assert!(streams.attach(UNSOLICITED, None).is_none());
}
