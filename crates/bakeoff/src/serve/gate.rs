//! Lets requests in, or not, and says what a browser may do with an answer.
//!
//! A page of another site can make a browser send requests here. Its name in `Host` gives it away
//! when it points its own name at our address (DNS rebinding), and `Sec-Fetch-Site` when it does
//! not (Fetch Metadata, 2). Nothing that is asked for here changes anything.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::http::header::{HOST, HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::app::App;
use super::problem::Problem;
use super::who::Visitor;

#[derive(Clone, Debug)]
pub struct Names {
    pub is_open: bool,
    pub hostname: String,
}

impl Names {
    /// Whether a name in `Host` is ours. An address is always: a page that came from an address
    /// came from us, as only names can be pointed elsewhere.
    fn has(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        let own = self.hostname.to_ascii_lowercase();
        let is_named = !own.is_empty() && (name == own || name == format!("{own}.local"));
        let address = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        name == "localhost"
            || address.unwrap_or(&name).parse::<IpAddr>().is_ok()
            || (self.is_open && is_named)
    }

    fn refusal(&self, headers: &HeaderMap) -> Option<&'static str> {
        if !self.has(host_name(text(headers, &HOST).unwrap_or_default())) {
            return Some(
                "The host name in the URL does not belong to this machine. Use its IP address, \
                 or localhost. A reverse proxy has to send one of these as Host.",
            );
        }
        let site = text(headers, &HeaderName::from_static("sec-fetch-site"));
        let mode = text(headers, &HeaderName::from_static("sec-fetch-mode"));
        // A link on another site may lead here; its scripts and pictures may not.
        let is_own = site.is_none_or(|site| matches!(site, "same-origin" | "none"));
        (!is_own && mode != Some("navigate")).then_some("This request came from another site.")
    }
}

pub async fn admit(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_string();
    let visitor = request.extensions().get::<Visitor>();
    let refusal = match visitor {
        Some(visitor) => visitor.refusal.or_else(|| app.names.refusal(request.headers())),
        None => Some("Cannot determine who asks."),
    };
    let mut response = match refusal.map(Problem::forbidden) {
        None => next.run(request).await,
        Some(problem) if path.starts_with("/api/") || path == "/metrics" => problem.json(),
        Some(problem) => problem.into_response(),
    };
    harden(&path, response.headers_mut());
    response
}

fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// The name in `Host`, without the port: a tunnel has another one.
fn host_name(host: &str) -> &str {
    match host.starts_with('[') {
        true => host.find(']').map_or(host, |end| &host[..=end]),
        false => host.split(':').next().unwrap_or_default(),
    }
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

    fn is_refused(is_open: bool, pairs: &[(&'static str, &str)]) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        }
        Names { is_open, hostname: "pi".into() }.refusal(&headers).is_some()
    }

    /// `--listen 127.0.0.2:8080` refused the address that it printed.
    #[test]
    fn rejects_names_that_point_here_from_elsewhere_and_no_address() {
        for host in ["localhost:8080", "LOCALHOST", "127.0.0.1:8080", "127.0.0.2:80", "[::1]:9"] {
            assert!(!is_refused(false, &[("host", host)]), "{host}");
        }
        let foreign = ["evil.example", "localhost.evil.example:8080", "", "pi", "[::1", "::1"];
        for host in foreign.into_iter().chain(["127.0.0.1.evil.example", "[evil.example]"]) {
            assert!(is_refused(false, &[("host", host)]), "{host}");
        }
        for host in ["192.168.0.5:8080", "pi:8080", "PI.local", "[fe80::1]:80"] {
            assert!(!is_refused(true, &[("host", host)]), "{host}");
        }
        assert!(is_refused(true, &[("host", "pi.evil.example")]));
        assert!(is_refused(false, &[]));
    }

    #[test]
    fn rejects_what_other_sites_send_and_lets_their_links_in() {
        let get = |pairs: &[_]| is_refused(false, &[&[("host", "localhost")], pairs].concat());
        let cross = ("sec-fetch-site", "cross-site");
        assert!(get(&[cross, ("sec-fetch-mode", "no-cors")]) && get(&[cross]));
        assert!(!get(&[cross, ("sec-fetch-mode", "navigate")]));
        assert!(!get(&[("sec-fetch-site", "same-origin")]) && !get(&[]));
    }
}
