//! Serving over Unix sockets.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use diglot::transport::Pipe;
use diglot::{Client, server::ServeError};
use tempfile::TempDir;
use tokio::net::UnixStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::stage::calculator;

/// A served socket in a directory of its own.
struct Site {
    _directory: TempDir,
    path: PathBuf,
    serving: JoinHandle<Result<(), ServeError>>,
    stop: oneshot::Sender<()>,
}

fn serve_at(path: PathBuf) -> (JoinHandle<Result<(), ServeError>>, oneshot::Sender<()>) {
    let (stop, stopped) = oneshot::channel::<()>();
    let server = calculator().drain_time(Duration::from_secs(60));
    let until = async {
        let _ = stopped.await;
    };
    (tokio::spawn(server.serve_unix_pipe_until(path, until)), stop)
}

async fn site() -> Site {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("mcp.sock");
    let (serving, stop) = serve_at(path.clone());
    while !path.exists() {
        tokio::task::yield_now().await;
    }
    Site { _directory: directory, path, serving, stop }
}

async fn client(path: &PathBuf) -> Client {
    let (reader, writer) = UnixStream::connect(path).await.unwrap().into_split();
    Client::builder("t", "0").connect(Pipe::new(reader, writer)).await.unwrap()
}

#[tokio::test]
async fn many_clients_are_served_at_once() {
    let site = site().await;
    let clients = [client(&site.path).await, client(&site.path).await];
    for client in &clients {
        assert!(!client.list_tools().await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn only_the_own_user_may_connect() {
    let site = site().await;
    let mode = std::fs::metadata(&site.path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let beside = site.path.parent().unwrap().read_dir().unwrap().count();
    assert_eq!(beside, 1, "something is left beside the socket");
}

#[tokio::test]
async fn the_end_closes_connections_and_removes_the_file() {
    let site = site().await;
    let _client = client(&site.path).await;
    site.stop.send(()).unwrap();
    site.serving.await.unwrap().unwrap();
    assert!(!site.path.exists());
}

#[tokio::test]
async fn the_file_of_a_server_that_is_gone_is_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("mcp.sock");
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let (_serving, _stop) = serve_at(path.clone());
    while UnixStream::connect(&path).await.is_err() {
        tokio::task::yield_now().await;
    }
    client(&path).await;
}

#[tokio::test]
async fn a_living_server_and_other_files_are_left_alone() {
    let site = site().await;
    let error = calculator().serve_unix_pipe(&site.path).await.unwrap_err();
    assert!(matches!(error, ServeError::Listen { .. }), "{error}");
    client(&site.path).await;
    let file = site.path.with_extension("txt");
    std::fs::write(&file, "mine").unwrap();
    assert!(calculator().serve_unix_pipe(&file).await.is_err());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
}
