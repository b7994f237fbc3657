//! How the API answers.

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

/// An answer in JSON.
pub fn json(text: String) -> Response {
    ([(CONTENT_TYPE, "application/json")], text).into_response()
}

/// What the handlers of the API give: problems are JSON too.
pub type Answer = Result<Response, Response>;
