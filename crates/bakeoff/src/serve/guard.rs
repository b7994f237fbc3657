//! Who is let in: the Host and Origin of a request, the token, and what a browser may do with an
//! answer.
//!
//! A page of another site can make a browser send requests here. Its name in `Host` gives it away
//! when it points its own name at our address (DNS rebinding), and `Origin` or `Sec-Fetch-Site`
//! when it does not (Fetch Standard, 3.2; Fetch Metadata, 2).

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, COOKIE, HOST, HeaderName, HeaderValue, ORIGIN};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use tokio::time::timeout;

use super::app::App;
use super::problem::Problem;
use super::token::Token;

/// Most bytes of a request's body: a form with a few names.
const BODY_BYTES: usize = 16 << 10;
/// Time for it.
const BODY: Duration = Duration::from_secs(10);
/// Name of our cookie.
pub const TOKEN_COOKIE: &str = "bakeoff-token";

/// Who is let in.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Whether the server can be reached from other machines.
    pub is_open: bool,
    /// Whether it speaks TLS.
    pub is_tls: bool,
    /// The token, where one is needed: to read when the server is open, to act always.
    pub token: Option<Token>,
    /// The machine's own name.
    pub hostname: String,
}

/// What a reader may do; an extension of every request that is let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reader {
    /// Start, stop and resume runs.
    pub may_act: bool,
}

/// Why a request is not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// Its host is not ours.
    Host,
    /// Another site made the browser send it.
    Origin,
    /// The token is missing.
    Token,
}

impl Rules {
    /// Whether a request is let in, by its method, path and headers.
    pub fn check(
        &self,
        method: &Method,
        path: &str,
        headers: &HeaderMap,
    ) -> Result<Reader, Denied> {
        let host = text(headers, &HOST).unwrap_or_default();
        if !self.is_ours(host_name(host)) {
            return Err(Denied::Host);
        }
        let has_token = self.has_token(headers);
        let by_header = headers.contains_key(AUTHORIZATION);
        if !self.is_same_site(method, host, headers, by_header) {
            return Err(Denied::Origin);
        }
        let is_for_all = path == "/login" || path.starts_with("/assets/");
        if self.is_open && !has_token && !is_for_all {
            return Err(Denied::Token);
        }
        Ok(Reader { may_act: has_token })
    }

    fn is_ours(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        let own = self.hostname.to_ascii_lowercase();
        let is_local = name == "localhost" || name == "127.0.0.1" || name == "[::1]";
        let is_named = !own.is_empty() && (name == own || name == format!("{own}.local"));
        let address = name.trim_start_matches('[').trim_end_matches(']');
        is_local || (self.is_open && (is_named || address.parse::<IpAddr>().is_ok()))
    }

    fn is_same_site(
        &self,
        method: &Method,
        host: &str,
        headers: &HeaderMap,
        by_header: bool,
    ) -> bool {
        let scheme = if self.is_tls { "https" } else { "http" };
        let own = format!("{scheme}://{host}");
        match text(headers, &ORIGIN) {
            Some(origin) => origin.eq_ignore_ascii_case(&own),
            // Browsers send it with everything that changes something.
            None if method != Method::GET && method != Method::HEAD => by_header,
            None => {
                let site = text(headers, &HeaderName::from_static("sec-fetch-site"));
                let mode = text(headers, &HeaderName::from_static("sec-fetch-mode"));
                // A link on another site may lead here; its scripts and pictures may not.
                site.is_none_or(|site| matches!(site, "same-origin" | "none"))
                    || mode == Some("navigate")
            }
        }
    }

    fn has_token(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else { return true };
        let bearer = text(headers, &AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
        let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut cookies = cookies.flat_map(|value| value.split(';'));
        let cookie =
            cookies.find_map(|pair| pair.trim().strip_prefix(TOKEN_COOKIE)?.strip_prefix('='));
        bearer.is_some_and(|typed| token.is(typed)) || cookie.is_some_and(|typed| token.is(typed))
    }
}

fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// The name in `Host`, without the port: a tunnel has another one.
fn host_name(host: &str) -> &str {
    match host.strip_prefix('[') {
        Some(rest) => rest.find(']').map_or(host, |end| &host[..end + 2]),
        None => host.split(':').next().unwrap_or_default(),
    }
}

/// Lets requests in, or not, and says to browsers what they may do with the answer.
pub async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(is_open: bool) -> Rules {
        Rules { is_open, is_tls: false, token: None, hostname: "pi".into() }
    }

    fn checked(
        rules: &Rules,
        method: Method,
        pairs: &[(&'static str, &str)],
    ) -> Result<Reader, Denied> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        }
        rules.check(&method, "/", &headers)
    }

    #[test]
    fn rejects_names_that_point_here_from_elsewhere() {
        let get = |open, host: &str| checked(&rules(open), Method::GET, &[("host", host)]);
        for host in ["localhost:8080", "127.0.0.1:8080", "[::1]:8080", "LOCALHOST", "localhost:9"] {
            assert!(get(false, host).is_ok(), "{host}");
        }
        let foreign =
            ["evil.example", "localhost.evil.example:8080", "", "192.168.0.5", "pi", "[::1"];
        for host in foreign {
            assert_eq!(get(false, host), Err(Denied::Host), "{host}");
        }
        for host in ["192.168.0.5:8080", "pi:8080", "PI.local", "[fe80::1]:80"] {
            assert!(get(true, host).is_ok(), "{host}");
        }
        assert_eq!(get(true, "pi.evil.example"), Err(Denied::Host));
        assert_eq!(checked(&rules(false), Method::GET, &[]), Err(Denied::Host));
    }

    #[test]
    fn rejects_what_other_sites_send() {
        let own = ("host", "localhost:8080");
        let post = |pairs: &[_]| checked(&rules(false), Method::POST, &[&[own], pairs].concat());
        assert!(post(&[("origin", "http://localhost:8080")]).is_ok());
        for origin in ["http://evil.example", "null", "https://localhost:8080", "http://localhost"]
        {
            assert_eq!(post(&[("origin", origin)]), Err(Denied::Origin), "{origin}");
        }
        assert_eq!(post(&[]), Err(Denied::Origin), "an old browser");
        let get = |pairs: &[_]| checked(&rules(false), Method::GET, &[&[own], pairs].concat());
        let (cross, image) = (("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors"));
        assert_eq!(get(&[cross, image]), Err(Denied::Origin));
        assert!(get(&[cross, ("sec-fetch-mode", "navigate")]).is_ok());
        assert_eq!(get(&[("origin", "http://evil.example")]), Err(Denied::Origin));
    }
}
