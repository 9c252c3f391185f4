//! A way in between that counts connections and requests.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use memchr::memmem;

use crate::Failure;

/// What ends the first line of a request.
const MARK: &[u8] = b" HTTP/1.1\r\n";

#[derive(Default)]
struct Seen {
    connections: AtomicUsize,
    requests: AtomicUsize,
}

/// A listener that hands everything on; its threads end with the process.
pub(super) struct Proxy {
    address: String,
    seen: Arc<Seen>,
}

impl Proxy {
    /// Listens for clients of the server at an address.
    pub(super) fn start(server: &str) -> Result<Self, Failure> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?.to_string();
        let (server, seen) = (server.to_owned(), Arc::new(Seen::default()));
        let counted = seen.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                counted.connections.fetch_add(1, Ordering::SeqCst);
                // A connection that breaks fails the client, which says so.
                let _ = connect(client, &server, counted.clone());
            }
        });
        Ok(Self { address, seen })
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }

    pub(super) fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::SeqCst)
    }

    pub(super) fn requests(&self) -> usize {
        self.seen.requests.load(Ordering::SeqCst)
    }
}

fn connect(client: TcpStream, server: &str, seen: Arc<Seen>) -> std::io::Result<()> {
    let server = TcpStream::connect(server)?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (from, to) = (server.try_clone()?, client.try_clone()?);
    std::thread::spawn(move || hand_on(from, to, |_| ()));
    std::thread::spawn(move || {
        // A mark may be cut in two by a read.
        let mut tail = Vec::new();
        hand_on(client, server, |bytes| {
            tail.extend_from_slice(bytes);
            let found = memmem::find_iter(&tail, MARK).count();
            seen.requests.fetch_add(found, Ordering::SeqCst);
            let kept = if tail.ends_with(MARK) { 0 } else { tail.len().min(MARK.len() - 1) };
            tail.drain(..tail.len() - kept);
        });
    });
    Ok(())
}

fn hand_on(mut from: TcpStream, mut to: TcpStream, mut look: impl FnMut(&[u8])) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        let bytes = buffer.get(..length).unwrap_or_default();
        look(bytes);
        if to.write_all(bytes).is_err() {
            break;
        }
    }
    // The other side may be gone already.
    let _ = to.shutdown(Shutdown::Write);
}
