//! Servers in the same process.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use diglot::Limits;
use diglot::error::TransportFault;
use diglot::transport::{MemoryTransport, Transport, memory_pair};
use tokio::io::DuplexStream;

use crate::stage::{Server, answer_of, request};

async fn serve_one(stream: DuplexStream) {
    let mut server = Server::new(stream);
    let id = server.id().await;
    server.say(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":"hello"}}"#)).await;
}

#[tokio::test]
async fn a_pair_carries_a_request_and_its_answer() {
    let (transport, stream) = memory_pair();
    let connection = transport.open(&Limits::default()).await.unwrap();
    let (answer, ()) = tokio::join!(
        async { answer_of(&mut connection.send(request(1)).await.unwrap()).await },
        serve_one(stream)
    );
    assert_eq!(answer, "\"hello\"");
}

#[tokio::test]
async fn a_pair_opens_only_once() {
    let (transport, _stream) = memory_pair();
    assert!(!transport.reopens());
    let _connection = transport.open(&Limits::default()).await.unwrap();
    let Err(error) = transport.open(&Limits::default()).await else { panic!("opened a second time") };
    assert_eq!(error.fault, TransportFault::OnlyOnce);
}

#[tokio::test]
async fn a_closure_starts_a_server_for_each_connection() {
    let started = Arc::new(AtomicUsize::new(0));
    let transport = MemoryTransport::new({
        let started = Arc::clone(&started);
        move || {
            started.fetch_add(1, Ordering::SeqCst);
            let (client, server) = tokio::io::duplex(1024);
            tokio::spawn(serve_one(server));
            client
        }
    });
    assert!(transport.reopens());
    for _ in 0..2 {
        let connection = transport.open(&Limits::default()).await.unwrap();
        assert_eq!(answer_of(&mut connection.send(request(1)).await.unwrap()).await, "\"hello\"");
    }
    assert_eq!(started.load(Ordering::SeqCst), 2);
}
