//! No head, body or lines harm a server of either era: every request over HTTP is answered, every line of a pipe judged.

#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;

#[path = "../../crates/diglot/tests/it/serve_faults/whole.rs"]
mod whole;

#[derive(Debug, Arbitrary)]
struct Input<'a> {
    choice: u8,
    is_http: bool,
    method: u8,
    head: Vec<(u8, &'a [u8])>,
    body: &'a [u8],
}

fuzz_target!(|input: Input<'_>| {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let server = whole::server(input.choice);
        if !input.is_http {
            return whole::over_a_pipe(server, input.body).await;
        }
        if let Some(request) = whole::request(input.method, &input.head, input.body) {
            whole::over_http(server.into_http_service(), request).await;
        }
    });
});
