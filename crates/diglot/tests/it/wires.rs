//! Every wire on which both ends are our own.

use std::any::Any;
use std::pin::Pin;

use diglot::http::HttpServer;
use diglot::server::Server;
use diglot::transport::MemoryTransport;
#[cfg(unix)]
use diglot::transport::Pipe;
use diglot::{Client, ClientBuilder, Error, StreamableHttp};

/// A way between a client and a server of ours: it serves, and connects; what else it returns must outlive the client.
pub(crate) struct Wire {
    pub(crate) name: &'static str,
    pub(crate) connect: fn(ClientBuilder, Server) -> Connecting,
}

pub(crate) type Connecting = Pin<Box<dyn Future<Output = (Result<Client, Error>, Box<dyn Any + Send>)>>>;

/// Every wire, one row each.
pub(crate) const WIRES: &[Wire] = &[
    Wire { name: "memory", connect: memory },
    #[cfg(unix)]
    Wire { name: "unix", connect: unix },
    Wire { name: "http", connect: http },
    #[cfg(unix)]
    Wire { name: "http over unix", connect: http_over_unix },
];

fn memory(builder: ClientBuilder, server: Server) -> Connecting {
    let transport = MemoryTransport::new(move || {
        let (client, end) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(end);
        tokio::spawn(server.clone().serve_pipe(reader, writer));
        client
    });
    Box::pin(async move { (builder.connect(transport).await, Box::new(()) as Box<dyn Any + Send>) })
}

#[cfg(unix)]
fn unix(builder: ClientBuilder, server: Server) -> Connecting {
    Box::pin(async move {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s");
        tokio::spawn(server.serve_unix_pipe(path.clone()));
        let stream = loop {
            match tokio::net::UnixStream::connect(&path).await {
                Ok(stream) => break stream,
                Err(_) => tokio::task::yield_now().await,
            }
        };
        let (reader, writer) = stream.into_split();
        (builder.connect(Pipe::new(reader, writer)).await, Box::new(directory) as Box<dyn Any + Send>)
    })
}

fn http(builder: ClientBuilder, server: Server) -> Connecting {
    Box::pin(async move {
        let listener = HttpServer::bind(server, ([127, 0, 0, 1], 0)).await.unwrap();
        let transport = StreamableHttp::new(&listener.url()).unwrap();
        tokio::spawn(listener.serve());
        (builder.connect(transport).await, Box::new(()) as Box<dyn Any + Send>)
    })
}

#[cfg(unix)]
fn http_over_unix(builder: ClientBuilder, server: Server) -> Connecting {
    Box::pin(async move {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s");
        let listener = HttpServer::bind_unix(server, &path).await.unwrap();
        tokio::spawn(listener.serve());
        let transport = StreamableHttp::unix(path, "/mcp").unwrap();
        (builder.connect(transport).await, Box::new(directory) as Box<dyn Any + Send>)
    })
}
