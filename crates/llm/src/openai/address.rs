//! The address of requests, and their headers.

use super::{Endpoint, EndpointError};
use async_openai::config::Config;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};

/// Whether an address is on this machine, so that no proxy applies.
pub(super) fn is_loopback(url: &str) -> bool {
    let host = reqwest::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    host.is_some_and(|host| {
        let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
        host == "localhost" || address.is_ok_and(|address| address.is_loopback())
    })
}

/// The address and headers of every request.
#[derive(Debug, Clone)]
pub(super) struct EndpointConfig {
    base: String,
    query: Option<String>,
    headers: HeaderMap,
    /// The library requires a key; the real one is in the headers.
    no_key: SecretString,
}

impl EndpointConfig {
    pub(super) fn of(endpoint: &Endpoint) -> Result<Self, EndpointError> {
        let mut headers = HeaderMap::new();
        let secret = |text: &str| {
            let mut value = HeaderValue::from_str(text).ok()?;
            value.set_sensitive(true);
            Some(value)
        };
        if let Some(key) = &endpoint.key {
            let key = key.expose_secret();
            let (name, value) = match endpoint.api_version {
                Some(_) => (HeaderName::from_static("api-key"), key.to_owned()),
                None => (AUTHORIZATION, format!("Bearer {key}")),
            };
            headers.insert(name, secret(&value).ok_or(EndpointError::Key)?);
        }
        for (name, value) in &endpoint.headers {
            let fail = || EndpointError::Header(name.clone());
            let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| fail())?;
            headers.insert(header, secret(value.expose_secret()).ok_or_else(fail)?);
        }
        let base = endpoint.base_url.trim_end_matches('/');
        let base = match endpoint.api_version {
            Some(_) => format!("{}/openai/deployments/{}", base.trim_end_matches("/openai"), endpoint.model),
            None => base.to_owned(),
        };
        Ok(Self { base, query: endpoint.api_version.clone(), headers, no_key: SecretString::from(String::new()) })
    }
}

impl Config for EndpointConfig {
    fn headers(&self) -> HeaderMap {
        self.headers.clone()
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    fn query(&self) -> Vec<(&str, &str)> {
        self.query.iter().map(|version| ("api-version", version.as_str())).collect()
    }

    fn api_base(&self) -> &str {
        &self.base
    }

    fn api_key(&self) -> &SecretString {
        &self.no_key
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::endpoint;
    use super::*;

    #[test]
    fn only_this_machine_is_loopback() {
        for (url, expected) in [
            ("http://localhost:11434/v1", true),
            ("http://127.0.0.9/v1", true),
            ("http://[::1]:8/v1", true),
            ("https://api.example.com/v1", false),
            ("https://localhost.example.com/v1", false),
        ] {
            assert_eq!(is_loopback(url), expected, "{url}");
        }
    }

    #[test]
    fn azure_has_an_address_and_a_header_of_its_own() {
        let plain = EndpointConfig::of(&endpoint()).unwrap();
        assert_eq!(plain.url("/chat/completions"), "https://models.example.com/chat/completions");
        assert_eq!(plain.headers()[AUTHORIZATION], "Bearer sk-1");
        let azure = EndpointConfig::of(&Endpoint { api_version: Some("2024-10-21".to_owned()), ..endpoint() }).unwrap();
        assert_eq!(
            azure.url("/chat/completions"),
            "https://models.example.com/openai/deployments/writer/chat/completions"
        );
        assert_eq!(azure.headers()["api-key"], "sk-1");
        assert_eq!(azure.query(), [("api-version", "2024-10-21")]);
        assert!(!format!("{azure:?}").contains("sk-1"));
    }
}
