//! Files and batches of the provider: many requests that are handed in together and answered within a day.

use super::address::EndpointConfig;
use super::wire::ChatCompletion;
use super::{Endpoint, EndpointError, Secrets, fetch, http_client};
use crate::answer::ModelAnswer;
use crate::classify::classify;
use crate::error::{CallError, CallErrorKind};
use async_openai::config::Config;
use reqwest::multipart::{Form, Part};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, SystemTime};
use tokio::io::AsyncWriteExt;
use tokio::time::{Instant, timeout};

/// How long a file may take on its way, beside the deadline of a call: files have up to 200 MB.
const TRANSFER: Duration = Duration::from_secs(1800);

/// The most batches that are looked through for one that was created before its id was noted.
const LOOKED_THROUGH: usize = 1000;

/// The interface for files and batches at an endpoint.
#[derive(Debug, Clone)]
pub struct BatchApi {
    http: reqwest::Client,
    address: EndpointConfig,
    secrets: Secrets,
    total: Duration,
    idle: Duration,
}

/// A batch, as the provider describes it. What it says besides is ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct RemoteBatch {
    /// Its id.
    pub id: String,
    /// `validating`, `in_progress`, `finalizing`, `completed`, `failed`, `expired`, `cancelling`, `cancelled`, or what a provider invents.
    pub status: String,
    /// The file with the answers.
    pub output_file_id: Option<String>,
    /// The file with the requests that failed.
    pub error_file_id: Option<String>,
    /// How many requests there are, and how far they are.
    pub request_counts: Option<RequestCounts>,
    /// Why it failed as a whole.
    pub errors: Option<BatchErrors>,
    /// What its creator said of it.
    pub metadata: Option<BTreeMap<String, String>>,
}

/// How many requests of a batch are done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct RequestCounts {
    /// All of them.
    pub total: u64,
    /// Those that were answered.
    pub completed: u64,
    /// Those that failed.
    pub failed: u64,
}

/// Why a batch failed as a whole.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct BatchErrors {
    data: Vec<BatchError>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct BatchError {
    code: Option<String>,
    message: Option<String>,
}

impl RemoteBatch {
    /// Whether nothing more will happen to it.
    pub fn has_ended(&self) -> bool {
        matches!(self.status.as_str(), "completed" | "failed" | "expired" | "cancelled")
    }

    /// Whether it was refused because too much waits at the provider already, so that it can be handed in again later.
    pub fn waits_for_room(&self) -> bool {
        let errors = self.errors.iter().flat_map(|errors| &errors.data);
        self.status == "failed" && errors.clone().any(|error| error.code.as_deref() == Some("token_limit_exceeded"))
    }

    /// Returns why it failed, in the provider's words.
    pub fn problem(&self) -> String {
        let errors = self.errors.iter().flat_map(|errors| &errors.data);
        let told: Vec<&str> = errors.filter_map(|error| error.message.as_deref().or(error.code.as_deref())).collect();
        if told.is_empty() { format!("it is {}", self.status) } else { told.join("; ") }
    }
}

/// A line of a batch's files.
#[derive(Debug)]
pub struct BatchLine {
    /// The id that the request was given.
    pub custom_id: String,
    /// Its answer, or why there is none.
    pub came: Result<ModelAnswer, CallError>,
}

#[derive(Deserialize)]
struct WrittenLine {
    custom_id: String,
    #[serde(default)]
    response: Option<LineResponse>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct LineResponse {
    #[serde(default)]
    status_code: u16,
    #[serde(default)]
    body: Value,
}

#[derive(Deserialize)]
struct ListedBatches {
    #[serde(default)]
    data: Vec<RemoteBatch>,
    #[serde(default)]
    has_more: bool,
}

#[derive(Deserialize)]
struct UploadedFile {
    id: String,
}

impl BatchLine {
    /// Reads a line; `None` if it is none, such as one that was cut.
    pub fn read(line: &str) -> Option<Self> {
        let WrittenLine { custom_id, response, error } = serde_json::from_str(line).ok()?;
        let rejected = |message: String| CallError::new(CallErrorKind::Rejected, message);
        let came = match (response, error.filter(|error| !error.is_null())) {
            (Some(LineResponse { status_code: 200, body }), None) => serde_json::from_value::<ChatCompletion>(body)
                .map_err(|error| {
                    CallError::new(CallErrorKind::BrokenAnswer, format!("the answer is no completion: {error}"))
                })
                .and_then(ChatCompletion::answer),
            (Some(LineResponse { status_code, body }), None) => {
                Err(classify(status_code, None, body.to_string().as_bytes(), SystemTime::now()))
            }
            (_, Some(error)) => {
                let told = ["message", "code"].into_iter().find_map(|key| error.get(key)?.as_str().map(str::to_owned));
                Err(rejected(told.unwrap_or_else(|| error.to_string())))
            }
            (None, None) => Err(rejected("the line has neither an answer nor an error".to_owned())),
        };
        Some(Self { custom_id, came })
    }
}

impl BatchApi {
    /// Creates the interface without sending anything.
    ///
    /// # Errors
    /// [`EndpointError`] when a part of the endpoint cannot be used.
    pub fn new(endpoint: &Endpoint) -> Result<Self, EndpointError> {
        Ok(Self {
            http: http_client(endpoint)?,
            address: EndpointConfig::of(endpoint)?,
            secrets: Secrets::of(endpoint),
            total: endpoint.total,
            idle: endpoint.idle,
        })
    }

    /// Returns the line of a batch's input for a request with this body.
    pub fn input_line(custom_id: &str, body: &str) -> String {
        let id = json!(custom_id);
        format!("{{\"custom_id\":{id},\"method\":\"POST\",\"url\":\"/v1/chat/completions\",\"body\":{body}}}\n")
    }

    /// Uploads a file of requests; returns its id.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn upload(&self, name: &str, path: &Path) -> Result<String, CallError> {
        let unreadable = |error: std::io::Error| {
            CallError::new(CallErrorKind::Rejected, format!("`{}` cannot be read: {error}", path.display()))
        };
        let file = tokio::fs::File::open(path).await.map_err(unreadable)?;
        let length = file.metadata().await.map_err(unreadable)?.len();
        let part = Part::stream_with_length(file, length).file_name(name.to_owned());
        let form = Form::new().text("purpose", "batch").part("file", part);
        let uploaded: UploadedFile =
            self.send(self.http.post(self.address.url("/files")).multipart(form), TRANSFER).await?;
        Ok(uploaded.id)
    }

    /// Creates a batch of a file's requests.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn create(&self, file: &str, metadata: &BTreeMap<String, String>) -> Result<RemoteBatch, CallError> {
        let body = json!({
            "input_file_id": file,
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "metadata": metadata,
        });
        self.send(self.http.post(self.address.url("/batches")).json(&body), Duration::ZERO).await
    }

    /// Returns the newest batch with this metadata, if one was created.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn find(&self, metadata: &BTreeMap<String, String>) -> Result<Option<RemoteBatch>, CallError> {
        let (mut after, mut seen) = (None::<String>, 0);
        loop {
            let mut query = vec![("limit", "100".to_owned())];
            query.extend(after.take().map(|after| ("after", after)));
            let request = self.http.get(self.address.url("/batches")).query(&query);
            let listed: ListedBatches = self.send(request, Duration::ZERO).await?;
            seen += listed.data.len();
            after = listed.data.last().map(|batch| batch.id.clone());
            let is_it = |batch: &RemoteBatch| batch.metadata.as_ref() == Some(metadata);
            if let Some(found) = listed.data.into_iter().find(is_it) {
                return Ok(Some(found));
            }
            if !listed.has_more || after.is_none() || seen >= LOOKED_THROUGH {
                return Ok(None);
            }
        }
    }

    /// Returns a batch as it is now.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn retrieve(&self, id: &str) -> Result<RemoteBatch, CallError> {
        self.send(self.http.get(self.address.url(&format!("/batches/{id}"))), Duration::ZERO).await
    }

    /// Cancels a batch; what was answered by then stays answered.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn cancel(&self, id: &str) -> Result<RemoteBatch, CallError> {
        self.send(self.http.post(self.address.url(&format!("/batches/{id}/cancel"))), Duration::ZERO).await
    }

    /// Writes a file of the provider to a place.
    ///
    /// # Errors
    /// [`CallError`]; what was written until then is not whole.
    pub async fn download(&self, file: &str, place: &Path) -> Result<(), CallError> {
        let request = self.http.get(self.address.url(&format!("/files/{file}/content")));
        let broken = |what: String| CallError::new(CallErrorKind::BrokenAnswer, what);
        let mut response = timeout(self.total, self.with_headers(request).send())
            .await
            .map_err(|_| CallError::new(CallErrorKind::TimedOut, "no answer within scribe.timeout_seconds"))?
            .map_err(|error| super::no_answer(&error))?;
        let status = response.status();
        if !status.is_success() {
            let body = response.bytes().await.unwrap_or_default();
            return Err(classify(status.as_u16(), None, &self.secrets.removed_from(body.to_vec()), SystemTime::now()));
        }
        let unwritten = |error: std::io::Error| broken(format!("`{}` cannot be written: {error}", place.display()));
        let mut written = tokio::fs::File::create(place).await.map_err(unwritten)?;
        loop {
            let chunk =
                timeout(self.idle, response.chunk()).await.map_err(|_| broken("the file stopped coming".to_owned()))?;
            match chunk {
                Ok(Some(chunk)) => written.write_all(&chunk).await.map_err(unwritten)?,
                Ok(None) => break,
                Err(_) => return Err(broken("the file was cut off on its way".to_owned())),
            }
        }
        written.flush().await.map_err(unwritten)
    }

    /// Deletes a file of the provider.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn delete(&self, file: &str) -> Result<(), CallError> {
        let _: Value = self.send(self.http.delete(self.address.url(&format!("/files/{file}"))), Duration::ZERO).await?;
        Ok(())
    }

    fn with_headers(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        request.query(&self.address.query()).headers(self.address.headers())
    }

    /// Sends a request, for which there is so much more time than for a call, and reads its JSON.
    async fn send<T: for<'de> Deserialize<'de>>(
        &self,
        request: reqwest::RequestBuilder,
        more: Duration,
    ) -> Result<T, CallError> {
        let broken = |error: &dyn std::fmt::Display| CallError::new(CallErrorKind::BrokenAnswer, error.to_string());
        let request = self.with_headers(request).build().map_err(|error| broken(&error))?;
        let mended = AtomicU64::new(0);
        let deadline = Instant::now() + self.total + more;
        let answer = fetch(self.http.clone(), request, deadline, self.idle, (&self.secrets, &mended)).await?;
        let body = answer.bytes().await.map_err(|error| broken(&error))?;
        serde_json::from_slice(&body).map_err(|error| broken(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_answer_an_error_or_nothing() {
        let read = |line: &str| BatchLine::read(line).map(|line| (line.custom_id, line.came));
        let (id, came) = read(
            r#"{"id":"x","custom_id":"a-0","response":{"status_code":200,"request_id":"","body":{"choices":[{"finish_reason":"stop","message":{"content":"{}"}}]}},"error":null}"#,
        )
        .unwrap();
        assert_eq!((id.as_str(), came.unwrap().text.as_str()), ("a-0", "{}"));
        let (_, came) = read(
            r#"{"custom_id":"b","response":{"status_code":400,"body":{"error":{"message":"maximum context length is 10 tokens","code":"context_length_exceeded"}}}}"#,
        )
        .unwrap();
        assert!(matches!(came.unwrap_err().kind, CallErrorKind::ContextOverflow(_)));
        let expired = r#"{"custom_id":"c","response":null,"error":{"code":"batch_expired","message":"It was not executed in time."}}"#;
        assert_eq!(read(expired).unwrap().1.unwrap_err().message, "It was not executed in time.");
        assert!(read(&expired[..40]).is_none() && read("").is_none());
    }

    #[test]
    fn a_request_is_one_line() {
        let line = BatchApi::input_line("a\"b", "{\"model\":\"m\"}");
        let value: Value = serde_json::from_str(&line).unwrap();
        assert_eq!((value["custom_id"].as_str(), value["body"]["model"].as_str()), (Some("a\"b"), Some("m")));
        assert_eq!(line.matches('\n').count(), 1);
    }
}
