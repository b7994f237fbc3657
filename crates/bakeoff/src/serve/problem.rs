//! Why a request gets no answer, as a page or as JSON.

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{Html, IntoResponse, Response};
use bakeoff_report::pages::{self, TextPage};

use crate::exec::ExecError;
use crate::fault::Fault;
use crate::store::{ErrorClass, StoreError};

/// What went wrong, and whose turn it is.
#[derive(Clone, Debug)]
pub struct Problem {
    pub status: StatusCode,
    pub said: String,
}

impl Problem {
    pub fn not_found(said: impl ToString) -> Problem {
        Problem { status: StatusCode::NOT_FOUND, said: said.to_string() }
    }

    pub fn bad(said: impl ToString) -> Problem {
        Problem { status: StatusCode::BAD_REQUEST, said: said.to_string() }
    }

    pub fn forbidden(said: impl ToString) -> Problem {
        Problem { status: StatusCode::FORBIDDEN, said: said.to_string() }
    }

    pub fn busy(said: impl ToString) -> Problem {
        Problem { status: StatusCode::SERVICE_UNAVAILABLE, said: said.to_string() }
    }

    pub fn broken(said: impl ToString) -> Problem {
        Problem { status: StatusCode::INTERNAL_SERVER_ERROR, said: said.to_string() }
    }

    /// How another bakeoff ended, by its exit code (cli: 2 usage, 3 refused, 4 environment).
    pub fn of_exit(code: Option<i32>, stderr: &[u8]) -> Problem {
        let said =
            String::from_utf8_lossy(stderr).trim().trim_start_matches("bakeoff: ").to_string();
        match code {
            Some(2) => Problem::bad(said),
            Some(3) => Problem::forbidden(said),
            Some(4) => Problem::busy(said),
            _ => Problem::broken(said),
        }
    }

    pub fn json(self) -> Response {
        let body = serde_json::json!({ "schema": "bakeoff/error/1", "error": self.said });
        (self.status, [(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Problem {
        match error.class == ErrorClass::NoSuchRun {
            true => Problem::not_found(error),
            false => Problem::busy(error),
        }
    }
}

impl From<ExecError> for Problem {
    fn from(error: ExecError) -> Problem {
        Problem::busy(error)
    }
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Problem {
        Problem::of_exit(Some(fault.code().into()), fault.to_string().as_bytes())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let title = match self.status {
            StatusCode::NOT_FOUND => "Not found",
            StatusCode::BAD_REQUEST => "Bad request",
            StatusCode::FORBIDDEN => "Refused",
            StatusCode::SERVICE_UNAVAILABLE => "Not available",
            _ => "Failed",
        };
        let page = TextPage {
            title: title.to_string(),
            said: self.said.lines().map(str::to_string).collect(),
            back: Some(("/".to_string(), "Back to the current run".to_string())),
        };
        (self.status, Html(pages::rendered(&page))).into_response()
    }
}
