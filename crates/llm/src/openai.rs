//! A provider that speaks the OpenAI API.
//!
//! The client library builds the request, but does not retry: its transport is a service of ours that reads the whole body within our deadlines and
//! turns any failure into a [`CallError`]. So only one place retries, and it sees status, headers and message.

mod address;
mod batches;
mod model_list;
mod wire;

pub use batches::{BatchApi, BatchLine, RemoteBatch};
pub use model_list::{ListModelsError, list_models};

use crate::answer::ModelAnswer;
use crate::classify::classify;
use crate::dialect::{Dialect, OutputLimitParameter, ResponseFormat};
use crate::error::{CallError, CallErrorKind};
use crate::prompt::BudgetedPrompt;
use crate::provider::ModelProvider;
use address::{EndpointConfig, is_loopback};
use async_openai::Client;
use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use reqwest::header::RETRY_AFTER;
use secrecy::{ExposeSecret, SecretString};
use serde_json::value::RawValue;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};
use tokio::time::{Instant, timeout_at};
use wire::{ChatCompletion, ChatMessage, ChatRequest, NamedSchema, ResponseFormatField};

/// The largest body that is read, in bytes: about thirty times the longest answer of a model.
const LARGEST_BODY: usize = 8 * 1024 * 1024;

/// The minimum length of a key that is searched for in a server's message, in characters.
const SHORTEST_KEY: usize = 8;

/// The connection timeout.
const CONNECT: Duration = Duration::from_secs(10);

/// An endpoint and its request parameters.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// The URL prefix of `/chat/completions`; for Azure the resource's.
    pub base_url: String,
    /// The model's name; for Azure the deployment's.
    pub model: String,
    /// The API key; none for servers without one.
    pub key: Option<SecretString>,
    /// The Azure API version; none for all other servers.
    pub api_version: Option<String>,
    /// Additional headers.
    pub headers: Vec<(String, SecretString)>,
    /// The proxy; none to use the environment's.
    pub proxy: Option<String>,
    /// Additional certificate authorities, as PEM.
    pub authorities: Option<Vec<u8>>,
    /// The sampling temperature.
    pub temperature: f64,
    /// The service tier, as the provider names it; none for its default.
    pub service_tier: Option<String>,
    /// How long a reasoning model may think, as the provider names it; none for its default.
    pub reasoning_effort: Option<String>,
    /// The maximum tokens of an answer.
    pub max_answer: u64,
    /// The total timeout of a call.
    pub total: Duration,
    /// The longest pause within a body.
    pub idle: Duration,
}

/// Why no client can be created.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    /// The key contains characters that are invalid in a header.
    #[error("the key holds characters that cannot be sent")]
    Key,
    /// A header cannot be sent.
    #[error("the header `{0}` cannot be sent")]
    Header(String),
    /// The proxy, the certificates or the client itself cannot be used.
    #[error("{what} cannot be used")]
    Client {
        /// The part that cannot be used.
        what: String,
        /// The cause.
        #[source]
        source: reqwest::Error,
    },
}

/// A client for one endpoint.
#[derive(Debug)]
pub struct OpenAi {
    client: Client<EndpointConfig>,
    model: String,
    temperature: f64,
    service_tier: Option<String>,
    reasoning_effort: Option<String>,
    max_answer: u64,
    /// The number of answers with invalid UTF-8 that were repaired.
    mended: Arc<AtomicU64>,
}

impl OpenAi {
    /// Creates a client without sending anything.
    ///
    /// # Errors
    /// [`EndpointError`] when a part of the endpoint cannot be used.
    pub fn new(endpoint: Endpoint) -> Result<Self, EndpointError> {
        let http = http_client(&endpoint)?;
        let address = EndpointConfig::of(&endpoint)?;
        let (total, idle) = (endpoint.total, endpoint.idle);
        let secrets = Secrets::of(&endpoint);
        let mended = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&mended);
        let service = tower::service_fn(move |request: HttpRequestFactory| {
            let (http, secrets, mended) = (http.clone(), secrets.clone(), Arc::clone(&counter));
            async move {
                let request = request.build().await?;
                // One deadline covers the connection and all bytes of the answer.
                let deadline = Instant::now() + total;
                let fetched = fetch(http, request, deadline, idle, (&secrets, &mended)).await;
                fetched.map_err(|error| OpenAIError::Boxed(Box::new(error)))
            }
        });
        Ok(Self {
            client: Client::with_config(address).with_http_service(service),
            model: endpoint.model,
            temperature: endpoint.temperature,
            service_tier: endpoint.service_tier,
            reasoning_effort: endpoint.reasoning_effort,
            max_answer: endpoint.max_answer,
            mended,
        })
    }
}

impl OpenAi {
    /// Returns the request for a prompt.
    fn request<'a>(&'a self, prompt: &'a BudgetedPrompt, dialect: Dialect) -> Result<ChatRequest<'a>, CallError> {
        let wording = match dialect.format {
            ResponseFormat::JsonSchema => prompt.messages(),
            ResponseFormat::JsonObject | ResponseFormat::Text => prompt.messages_with_schema().map_err(|error| {
                CallError::new(CallErrorKind::ContextOverflow(Default::default()), error.to_string())
            })?,
        };
        let schema = wording.schema.and_then(|(name, schema)| {
            let schema = serde_json::from_str::<&RawValue>(schema).ok()?;
            Some(NamedSchema { name, strict: true, schema })
        });
        Ok(ChatRequest {
            model: &self.model,
            messages: [
                ChatMessage { role: "system", content: wording.system },
                ChatMessage { role: "user", content: wording.user },
            ],
            response_format: match dialect.format {
                ResponseFormat::JsonSchema => Some(ResponseFormatField { kind: "json_schema", json_schema: schema }),
                ResponseFormat::JsonObject => Some(ResponseFormatField { kind: "json_object", json_schema: None }),
                ResponseFormat::Text => None,
            },
            max_completion_tokens: (dialect.limit == OutputLimitParameter::MaxCompletionTokens)
                .then_some(self.max_answer),
            max_tokens: (dialect.limit == OutputLimitParameter::MaxTokens).then_some(self.max_answer),
            temperature: dialect.temperature.then_some(self.temperature),
            service_tier: self.service_tier.as_deref().filter(|_| dialect.service_tier),
            reasoning_effort: self.reasoning_effort.as_deref().filter(|_| dialect.reasoning_effort),
        })
    }
}

impl ModelProvider for OpenAi {
    async fn send(&self, prompt: &BudgetedPrompt, dialect: Dialect) -> Result<ModelAnswer, CallError> {
        let body = self.request(prompt, dialect)?;
        let sent: Result<ChatCompletion, OpenAIError> = self.client.chat().create_byot(&body).await;
        sent.map_err(call_error).and_then(ChatCompletion::answer)
    }

    fn request_body(&self, prompt: &BudgetedPrompt, dialect: Dialect) -> Result<String, CallError> {
        // A batch has a tier of its own.
        let dialect = Dialect { service_tier: false, ..dialect };
        let body = self.request(prompt, dialect)?;
        serde_json::to_string(&body).map_err(|error| CallError::new(CallErrorKind::Rejected, error.to_string()))
    }

    fn notes(&self) -> Vec<String> {
        let note = |mended| match mended {
            0 => None,
            1 => Some("an answer of the server was no UTF-8; what could not be read stands as \u{FFFD}".to_owned()),
            count => {
                Some(format!("{count} answers of the server were no UTF-8; what could not be read stands as \u{FFFD}"))
            }
        };
        note(self.mended.load(Ordering::Relaxed)).into_iter().collect()
    }
}

/// Secrets that a server may echo and that must not be shown: the key, and the values of headers.
#[derive(Debug, Clone)]
struct Secrets(Arc<[SecretString]>);

impl Secrets {
    fn of(endpoint: &Endpoint) -> Self {
        let all = endpoint.key.iter().chain(endpoint.headers.iter().map(|(_, value)| value));
        // A key of a few letters is not a real key, and would match inside any word.
        Self(all.filter(|secret| secret.expose_secret().len() >= SHORTEST_KEY).cloned().collect())
    }

    fn removed_from(&self, body: Vec<u8>) -> Vec<u8> {
        let holds = |secret: &SecretString| {
            let secret = secret.expose_secret().as_bytes();
            body.windows(secret.len()).any(|window| window == secret)
        };
        if !self.0.iter().any(holds) {
            return body;
        }
        let mut text = String::from_utf8_lossy(&body).into_owned();
        for secret in self.0.iter() {
            text = text.replace(secret.expose_secret(), "[key]");
        }
        text.into_bytes()
    }
}

/// Returns the error from our transport; an error of the library itself means that the body is not an answer.
fn call_error(error: OpenAIError) -> CallError {
    match error {
        OpenAIError::Boxed(inner) => match inner.downcast::<CallError>() {
            Ok(ours) => *ours,
            Err(other) => CallError::new(CallErrorKind::BrokenAnswer, other.to_string()),
        },
        OpenAIError::JSONDeserialize(error, _) => {
            CallError::new(CallErrorKind::BrokenAnswer, format!("the answer is no completion: {error}"))
        }
        other => CallError::new(CallErrorKind::BrokenAnswer, other.to_string()),
    }
}

/// Sends a request and reads the whole response.
async fn fetch(
    http: reqwest::Client,
    request: reqwest::Request,
    deadline: Instant,
    idle: Duration,
    (secrets, mended): (&Secrets, &AtomicU64),
) -> Result<reqwest::Response, CallError> {
    let timed_out = |what: &str| CallError::new(CallErrorKind::TimedOut, what.to_owned());
    let broken = |what: &str| CallError::new(CallErrorKind::BrokenAnswer, what.to_owned());
    let response = timeout_at(deadline, http.execute(request))
        .await
        .map_err(|_| timed_out("no answer within scribe.timeout_seconds"))?
        .map_err(|error| no_answer(&error))?;
    let status = response.status();
    // LiteLLM passes the header on under its own prefix.
    let header = |name: &str| response.headers().get(name).and_then(|header| header.to_str().ok());
    let retry_after = header(RETRY_AFTER.as_str()).or(header("llm_provider-retry-after")).map(str::to_owned);
    let mut response = response;
    let mut body: Vec<u8> = Vec::new();
    loop {
        let next = timeout_at(deadline.min(Instant::now() + idle), response.chunk());
        match next.await {
            Err(_) if Instant::now() >= deadline => {
                return Err(timed_out("the answer was not whole within scribe.timeout_seconds"));
            }
            Err(_) => return Err(broken("the answer paused for longer than scribe.idle_timeout_seconds")),
            Ok(Err(_)) => return Err(broken("the answer was cut off")),
            Ok(Ok(None)) => break,
            Ok(Ok(Some(chunk))) => {
                body.extend_from_slice(&chunk);
                if body.len() > LARGEST_BODY {
                    return Err(broken("the answer is larger than 8 MB"));
                }
            }
        }
    }
    // Redacted before anything is parsed or truncated: half a key is a secret too.
    let body = secrets.removed_from(body);
    if !status.is_success() {
        return Err(classify(status.as_u16(), retry_after.as_deref(), &body, SystemTime::now()));
    }
    // An invalid byte spoils one character, and the answer is paid for; a retry would return the same.
    let body = String::from_utf8(body).unwrap_or_else(|broken| {
        mended.fetch_add(1, Ordering::Relaxed);
        String::from_utf8_lossy(broken.as_bytes()).into_owned()
    });
    let mut whole = http_response(body.into_bytes());
    *whole.status_mut() = status;
    Ok(whole.into())
}

fn http_response(body: Vec<u8>) -> http::Response<Vec<u8>> {
    http::Response::new(body)
}

/// Explains why there is no response at all. The message leaves the address out, because it may contain private data.
fn no_answer(error: &reqwest::Error) -> CallError {
    let mut causes = String::new();
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        causes = inner.to_string();
        source = inner.source();
    }
    let what = if error.is_connect() { "cannot connect" } else { "the connection ended without an answer" };
    let kind = CallErrorKind::Unreachable { was_sent: !error.is_connect() };
    CallError::new(kind, if causes.is_empty() { what.to_owned() } else { format!("{what}: {causes}") })
}

/// Installs the process-wide encryption provider. It must be installed before any `reqwest` client is created; a second call changes nothing.
pub fn install_encryption() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}

fn http_client(endpoint: &Endpoint) -> Result<reqwest::Client, EndpointError> {
    let fail = |what: &str| {
        let what = what.to_owned();
        move |source| EndpointError::Client { what, source }
    };
    install_encryption();
    // A redirect would send the key to another server.
    let mut builder = reqwest::Client::builder()
        .connect_timeout(CONNECT.min(endpoint.total))
        .redirect(reqwest::redirect::Policy::none());
    match &endpoint.proxy {
        Some(proxy) => builder = builder.proxy(reqwest::Proxy::all(proxy).map_err(fail("the proxy"))?),
        None if is_loopback(&endpoint.base_url) => builder = builder.no_proxy(),
        None => {}
    }
    if let Some(pem) = &endpoint.authorities {
        let certificates = reqwest::Certificate::from_pem_bundle(pem).map_err(fail("the file of certificates"))?;
        for certificate in certificates {
            builder = builder.add_root_certificate(certificate);
        }
    }
    builder.build().map_err(fail("the HTTP client"))
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn endpoint() -> Endpoint {
        Endpoint {
            base_url: "https://models.example.com/".to_owned(),
            model: "writer".to_owned(),
            key: Some(SecretString::from("sk-1".to_owned())),
            api_version: None,
            headers: Vec::new(),
            proxy: None,
            authorities: None,
            temperature: 0.0,
            service_tier: None,
            reasoning_effort: None,
            max_answer: 100,
            total: Duration::from_secs(1),
            idle: Duration::from_secs(1),
        }
    }

    #[test]
    fn what_cannot_be_sent_is_said_before_anything_is_sent() {
        let bad_key = Endpoint { key: Some(SecretString::from("a\nb".to_owned())), ..endpoint() };
        assert!(matches!(OpenAi::new(bad_key), Err(EndpointError::Key)));
        let bad_header =
            Endpoint { headers: vec![("a b".to_owned(), SecretString::from(String::new()))], ..endpoint() };
        assert!(matches!(OpenAi::new(bad_header), Err(EndpointError::Header(name)) if name == "a b"));
        let bad_authorities = Endpoint {
            authorities: Some(b"-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n".to_vec()),
            ..endpoint()
        };
        assert!(matches!(OpenAi::new(bad_authorities), Err(EndpointError::Client { .. })));
    }
}
