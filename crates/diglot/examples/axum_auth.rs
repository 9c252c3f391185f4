//! An endpoint inside axum, behind a layer that finds out who calls. Run: `cargo run -p diglot --example axum_auth`, then
//! `TOKEN=ann-token cargo run -p diglot-cli -- call http://127.0.0.1:8000/mcp whoami --bearer-env TOKEN`.

use axum::Router;
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use diglot::{Context, Server, Tool};

/// Who calls, as the layer found out.
#[derive(Clone)]
struct User(String);

/// Lets nobody through without a token. A real one asks whoever issued it.
async fn authenticate(mut request: Request, next: Next) -> Response {
    let token = request.headers().get(header::AUTHORIZATION);
    let token = token.and_then(|value| value.to_str().ok()).and_then(|value| value.strip_prefix("Bearer "));
    let name = match token {
        Some("ann-token") => "ann",
        Some("bob-token") => "bob",
        _ => return (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")]).into_response(),
    };
    request.extensions_mut().insert(User(name.to_owned()));
    next.run(request).await
}

async fn whoami(cx: Context) -> String {
    format!("You are {}.", cx.principal().unwrap_or("nobody"))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let service = Server::new("guarded", "1.0.0")
        .tool(Tool::new("whoami", whoami).description("Says who calls"))
        .into_http_service()
        // From now on sessions and request states are good for this caller only.
        .principal_from(|head| head.extensions.get::<User>().map(|user| user.0.clone()));
    let app = Router::new().route_service("/mcp", service).layer(middleware::from_fn(authenticate));
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8000".to_owned());
    let listener = tokio::net::TcpListener::bind(address).await?;
    eprintln!("listening on http://{}/mcp", listener.local_addr()?);
    Ok(axum::serve(listener, app).await?)
}
