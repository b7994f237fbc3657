//! Refuses requests for names that are not ours.
//!
//! A page of another site can point its own name at our address (DNS rebinding) and then read our
//! pages. Its name in `Host` gives it away.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, HOST, HeaderName, HeaderValue};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

#[derive(Debug)]
pub struct Names {
    /// Whether other machines can connect. They know this one by its name.
    pub is_open: bool,
    pub hostname: String,
}

impl Names {
    /// Whether a name in `Host` is ours. An address always is: only names can be pointed elsewhere.
    fn has(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        let own = self.hostname.to_ascii_lowercase();
        let is_named = !own.is_empty() && (name == own || name == format!("{own}.local"));
        let address = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        name == "localhost"
            || address.unwrap_or(&name).parse::<IpAddr>().is_ok()
            || (self.is_open && is_named)
    }

    fn is_asked(&self, headers: &HeaderMap) -> bool {
        let host = headers.get(HOST).and_then(|value| value.to_str().ok());
        self.has(host_name(host.unwrap_or_default()))
    }
}

pub async fn admit(State(names): State<Arc<Names>>, request: Request, next: Next) -> Response {
    let mut response = if names.is_asked(request.headers()) {
        next.run(request).await
    } else {
        (
            StatusCode::FORBIDDEN,
            "The host name in the URL does not belong to this machine. Use its IP address, or \
             localhost. A reverse proxy has to send one of these as Host.\n",
        )
            .into_response()
    };
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}

/// The name in `Host`, without the port: a tunnel has another one.
fn host_name(host: &str) -> &str {
    if host.starts_with('[') {
        host.find(']').map_or(host, |end| &host[..=end])
    } else {
        host.split(':').next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_asked(is_open: bool, host: &str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_str(host).unwrap());
        Names { is_open, hostname: "pi".into() }.is_asked(&headers)
    }

    #[test]
    fn rejects_names_that_point_here_from_elsewhere_and_no_address() {
        for host in ["localhost:8080", "LOCALHOST", "127.0.0.1:8080", "127.0.0.2:80", "[::1]:9"] {
            assert!(is_asked(false, host), "{host}");
        }
        let foreign = ["evil.example", "localhost.evil.example:8080", "", "pi", "[::1", "::1"];
        for host in foreign.into_iter().chain(["127.0.0.1.evil.example", "[evil.example]"]) {
            assert!(!is_asked(false, host), "{host}");
        }
        for host in ["192.168.0.5:8080", "pi:8080", "PI.local", "[fe80::1]:80"] {
            assert!(is_asked(true, host), "{host}");
        }
        assert!(!is_asked(true, "pi.evil.example"));
        assert!(!Names { is_open: true, hostname: String::new() }.is_asked(&HeaderMap::new()));
    }
}
