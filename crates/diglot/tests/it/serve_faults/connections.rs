//! Connections in numbers: half-open ones by the thousand, in a process whose memory is measured.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::parts;
use super::shop::{LONG, Shop};
use crate::serve_http::desk::Desk;

/// How many connections are half open at a time, where the system lets one process have so many.
const CONNECTIONS: usize = 10_000;

/// The most memory that a half-open connection may cost both of its ends, in KiB.
const MOST_KIB_EACH: usize = 48;

#[test]
fn ten_thousand_half_open_connections_keep_nobody_out() {
    let told = parts::play(parts::HALF_OPEN);
    let of = |name: &str| -> usize { parts::number(&told, name) };
    let (opened, grown) = (of("opened"), of("grown"));
    assert!(opened >= 400, "{opened} connections are all that the system lets a process have");
    assert!(grown < opened * MOST_KIB_EACH, "{grown} KiB for {opened} connections");
    assert_eq!(of("closed"), opened);
}

/// Plays the part: as many half-open connections as the listener takes, and one more client that is served.
pub(super) async fn half_open() {
    // Both ends of each connection are of this process.
    let opened = CONNECTIONS.min((parts::most_files().saturating_sub(200)) / 2);
    let settings = move |listener: diglot::http::HttpServer| {
        listener.max_connections(opened).header_timeout(Duration::from_secs(20))
    };
    let shop = Arc::new(Shop::of(Desk::new().server, settings).await);
    let before = parts::resident_kib();
    let mut peers = Vec::with_capacity(opened);
    for _ in 0..opened {
        let mut peer = TcpStream::connect(shop.address).await.unwrap();
        peer.write_all(b"POST /mcp HTTP/1.1\r\nHost: loc").await.unwrap();
        peers.push(peer);
    }
    for _ in 0..10 {
        tokio::time::timeout(LONG, shop.serves()).await.expect("a client that speaks is served");
    }
    let grown = parts::resident_kib().saturating_sub(before);
    let mut closed = 0;
    for mut peer in peers {
        // Closed with bytes unread, a connection may be reset.
        let end = tokio::time::timeout(LONG, peer.read(&mut [0; 64])).await.expect("the listener gives up");
        closed += usize::from(matches!(end, Ok(0) | Err(_)));
    }
    shop.serves().await;
    parts::tell(&format!("opened {opened}\ngrown {grown}\nclosed {closed}"));
}

#[tokio::test]
async fn where_there_is_no_room_a_connection_that_says_nothing_gives_way() {
    let shop = Shop::of(Desk::new().server, |listener| listener.max_connections(2)).await;
    let mut oldest = TcpStream::connect(shop.address).await.unwrap();
    let mut newer = TcpStream::connect(shop.address).await.unwrap();
    newer.write_all(b"POST ").await.unwrap();
    shop.serves().await;
    assert_eq!(oldest.read(&mut [0; 8]).await.unwrap_or(0), 0);
}
