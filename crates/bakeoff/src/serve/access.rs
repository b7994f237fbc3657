//! Who is let in: the Host and Origin of a request, and the token.
//!
//! A page of another site can make a browser send requests here. Its name in `Host` gives it away
//! when it points its own name at our address (DNS rebinding), and `Origin` or `Sec-Fetch-Site`
//! when it does not (Fetch Standard, 3.2; Fetch Metadata, 2).

use std::net::IpAddr;

use axum::http::header::{AUTHORIZATION, COOKIE, HOST, HeaderName, ORIGIN};
use axum::http::{HeaderMap, Method};

use super::token::Token;

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

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::header::HeaderValue;

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
