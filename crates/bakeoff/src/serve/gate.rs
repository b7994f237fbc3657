//! Lets requests in by the rules, whole and in time, and says what a browser may do with an answer.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{HeaderName, HeaderValue};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use tokio::time::timeout;

use super::access::Denied;
use super::app::App;
use super::problem::Problem;

/// Most bytes of a request's body: a form with a few names.
const BODY_BYTES: usize = 16 << 10;
/// Time for it.
const BODY: Duration = Duration::from_secs(10);

/// Lets requests in, or not, and says to browsers what they may do with the answer.
pub async fn admit(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_string();
    let checked = app.rules.check(request.method(), &path, request.headers());
    let is_api = path.starts_with("/api/") || path == "/metrics";
    let mut response = match checked {
        Ok(reader) => match whole(request).await {
            Ok(mut request) => {
                request.extensions_mut().insert(reader);
                next.run(request).await
            }
            Err(problem) if is_api => problem.json(),
            Err(problem) => problem.into_response(),
        },
        Err(Denied::Token) if !is_api && request.method() == Method::GET => {
            Redirect::to("/login").into_response()
        }
        Err(denied) => {
            let problem = problem(denied);
            if is_api { problem.json() } else { problem.into_response() }
        }
    };
    harden(&path, response.headers_mut());
    response
}

/// The request with its whole body: a client that is slow to send one is given up.
async fn whole(request: Request) -> Result<Request, Problem> {
    let (head, body) = request.into_parts();
    match timeout(BODY, to_bytes(body, BODY_BYTES)).await {
        Ok(Ok(bytes)) => Ok(Request::from_parts(head, Body::from(bytes))),
        Ok(Err(_)) => Err(Problem {
            status: StatusCode::PAYLOAD_TOO_LARGE,
            said: format!("The request is incomplete, or larger than {BODY_BYTES} bytes."),
        }),
        Err(_) => Err(Problem {
            status: StatusCode::REQUEST_TIMEOUT,
            said: format!("The request took longer than {} s.", BODY.as_secs()),
        }),
    }
}

fn problem(denied: Denied) -> Problem {
    Problem::forbidden(match denied {
        Denied::Host => {
            "The host name in the URL does not belong to this machine. Use its IP address, or \
             localhost."
        }
        Denied::Origin => {
            "This request came from another site. Outside a browser, add an Origin header with \
             this server's address, or Authorization: Bearer TOKEN."
        }
        Denied::Token => "The token is missing. Log in, or add Authorization: Bearer TOKEN.",
    })
}

/// No inline script anywhere; styles inside elements only on the report, whose charts are laid out
/// with them.
fn harden(path: &str, headers: &mut HeaderMap) {
    let is_report = path.starts_with("/runs/");
    let csp = match is_report {
        true => {
            "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
             connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        }
        false => {
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
             form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        }
    };
    let mut set = |name: &'static str, value: &'static str| {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    };
    set("content-security-policy", csp);
    set("x-content-type-options", "nosniff");
    set("referrer-policy", "same-origin");
    set("cross-origin-opener-policy", "same-origin");
    set("cross-origin-resource-policy", "same-origin");
    set("permissions-policy", "camera=(), geolocation=(), microphone=()");
    set("cache-control", if path.starts_with("/assets/") { "no-cache" } else { "no-store" });
}
