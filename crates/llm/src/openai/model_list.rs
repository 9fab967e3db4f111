//! Listing a server's models, without a paid call.

use super::address::EndpointConfig;
use super::{Endpoint, EndpointError, Secrets, fetch, http_client};
use crate::error::{CallError, CallErrorKind};
use async_openai::config::Config;
use serde::Deserialize;
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// Why a server's models are unknown.
#[derive(Debug, thiserror::Error)]
pub enum ListModelsError {
    /// The endpoint cannot be used.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The server did not answer.
    #[error(transparent)]
    Call(#[from] CallError),
}

#[derive(Deserialize)]
struct ModelList {
    data: Vec<ListedModel>,
}

#[derive(Deserialize)]
struct ListedModel {
    id: String,
}

/// Returns the names of the models that a server lists, in its order. Azure lists models, but requests there name deployments.
///
/// # Errors
/// [`ListModelsError`] when the endpoint cannot be used, or the server does not answer in time, refuses, or returns no list.
pub async fn list_models(endpoint: &Endpoint, within: Duration) -> Result<Vec<String>, ListModelsError> {
    let http = http_client(endpoint)?;
    let address = EndpointConfig::of(endpoint)?;
    let url = match endpoint.api_version {
        Some(_) => {
            let base = endpoint.base_url.trim_end_matches('/').trim_end_matches("/openai");
            format!("{base}/openai/models")
        }
        None => address.url("/models"),
    };
    let request = http.get(url).query(&address.query()).headers(address.headers()).build();
    let request = request.map_err(|source| EndpointError::Client { what: "the address".to_owned(), source })?;
    // The transport's own deadlines apply to calls, and their messages name the settings of calls.
    let secrets = Secrets::of(endpoint);
    // Invalid UTF-8 cannot be part of a model's name.
    let mended = AtomicU64::new(0);
    let fetched = timeout(within, fetch(http, request, Instant::now() + within * 2, within * 2, (&secrets, &mended)));
    let answer = fetched.await.map_err(|_| {
        let message = format!("no answer within {} s", within.as_secs_f64());
        CallError::new(CallErrorKind::Unreachable { was_sent: true }, message)
    })??;
    let broken = |error: &dyn std::fmt::Display| {
        CallError::new(CallErrorKind::BrokenAnswer, format!("the answer is no list of models: {error}"))
    };
    let body = answer.bytes().await.map_err(|error| broken(&error))?;
    let listing: ModelList = serde_json::from_slice(&body).map_err(|error| broken(&error))?;
    Ok(listing.data.into_iter().map(|listed| listed.id).collect())
}
