//! Secrets, which are read from the environment only, so that they reach no file and no log: keys, and headers that carry them.

use super::address::{host_of, is_public};
use super::scribe::{HeaderValue, ScribeSettings};
use crate::failure::Failure;
use secrecy::SecretString;
use std::ffi::OsString;

/// The environment, with the signature of `std::env::var_os`.
pub type Variables<'a> = &'a dyn Fn(&str) -> Option<OsString>;

impl ScribeSettings {
    /// Returns the provider's key, from the variable that `scribe.api_key_env` names. OpenAI and Azure require one; a private server does not.
    ///
    /// # Errors
    /// A usage failure that names the variable when it is not set and the provider requires it, or when a header cannot contain its value.
    pub fn api_key(&self, variables: Variables<'_>) -> Result<Option<SecretString>, Failure> {
        match read(&self.api_key_env, variables)? {
            Some(key) => Ok(Some(key)),
            None if self.needs_key() => Err(Failure::usage(format!(
                "the environment variable `{}` is not set, and `{}` takes no call without a key",
                self.api_key_env,
                self.host()
            ))
            .with_hint(
                "put the key into that variable, or name another one in `scribe.api_key_env`; a key never goes into a file or an argument",
            )),
            None => Ok(None),
        }
    }

    /// Returns the extra headers of a request with their values.
    ///
    /// # Errors
    /// A usage failure that names the variable of a header when it is not set or when a header cannot contain its value.
    pub fn header_values(&self, variables: Variables<'_>) -> Result<Vec<(String, SecretString)>, Failure> {
        let value = |name: &str, value: &HeaderValue| match value {
            HeaderValue::Literal(text) => Ok(text.as_str().into()),
            HeaderValue::Variable(variable) => read(variable, variables)?.ok_or_else(|| {
                Failure::usage(format!("the environment variable `{variable}` of the header `{name}` is not set"))
                    .with_hint("set it, or take the header out of `scribe.headers`")
            }),
        };
        self.headers.iter().map(|(name, said)| Ok((name.clone(), value(name, said)?))).collect()
    }

    /// Whether calls without a key are certain to be refused.
    fn needs_key(&self) -> bool {
        self.is_azure() || is_public(&self.base_url)
    }

    /// Whether Azure serves the model, which has its own address form and key header.
    pub fn is_azure(&self) -> bool {
        self.api_version.is_some() || self.host().ends_with(".openai.azure.com")
    }

    /// Returns the host of the model's address, in lowercase and without a port.
    fn host(&self) -> String {
        host_of(&self.base_url)
    }
}

/// Whether the variable of this name contains a key, valid or not.
pub(super) fn is_there(name: &str, variables: Variables<'_>) -> bool {
    variables(name).is_some_and(|value| !value.to_string_lossy().trim().is_empty())
}

/// Returns the value of the environment variable that the setting `key` names.
///
/// # Errors
/// A usage failure that names both when it is not set or is not text.
pub fn needed(key: &str, variable: &str, variables: Variables<'_>) -> Result<SecretString, Failure> {
    // No message contains the value.
    let fail = |what: &str| Failure::usage(format!("the environment variable `{variable}` {what}"));
    let value = variables(variable)
        .filter(|value| !value.is_empty())
        .ok_or_else(|| fail("is not set").with_hint(format!("set it, or name another one in `{key}`")))?;
    let value = value.into_string().ok().filter(|value| value.chars().all(|c| !c.is_control()));
    value.map(SecretString::from).ok_or_else(|| {
        fail("holds what is no password").with_hint("it may hold no line breaks and no other control characters")
    })
}

/// Reads a variable and trims it; `None` when it is not set or empty.
fn read(name: &str, variables: Variables<'_>) -> Result<Option<SecretString>, Failure> {
    let Some(value) = variables(name) else { return Ok(None) };
    // No message contains the value.
    let value = value
        .into_string()
        .ok()
        .map(|value| value.trim().to_owned())
        .filter(|value| value.chars().all(|c| !c.is_control()))
        .ok_or_else(|| Failure::usage(format!("the environment variable `{name}` holds what no header can carry")))?;
    Ok((!value.is_empty()).then(|| value.into()))
}

#[cfg(test)]
mod tests {
    use crate::failure::Failure;
    use crate::settings::{ConfigFile, Options, ScribeSettings, Settings, combine};
    use secrecy::ExposeSecret;
    use std::ffi::OsString;
    use std::path::PathBuf;

    fn settings(text: &str) -> ScribeSettings {
        let text = format!("[scribe]\n{text}\n");
        let file = ConfigFile { name: "war_rig.toml".into(), folder: PathBuf::new(), text };
        Settings::resolve(&combine(Some(file), [], Options::default()).unwrap()).unwrap().scribe
    }

    /// Returns the key when `OPENAI_API_KEY` contains `value`.
    fn key(text: &str, value: Option<&str>) -> Result<Option<String>, Failure> {
        let variables = |name: &str| {
            assert_eq!(name, "OPENAI_API_KEY");
            value.map(OsString::from)
        };
        Ok(settings(text).api_key(&variables)?.map(|secret| secret.expose_secret().to_owned()))
    }

    #[test]
    fn a_server_of_ones_own_needs_no_key() {
        assert_eq!(key("", None).unwrap(), None);
        assert_eq!(key("", Some(" ")).unwrap(), None);
        assert_eq!(key("", Some("sk-1\r\n")).unwrap().as_deref(), Some("sk-1"));
    }

    #[test]
    fn openai_and_azure_need_a_key() {
        for text in [
            "base_url = \"https://api.openai.com/v1\"",
            "base_url = \"https://API.OpenAI.com:443/v1\"",
            "base_url = \"https://ours.openai.azure.com\"",
            "base_url = \"https://gateway.example.com\"\napi_version = \"2024-10-21\"",
        ] {
            let line = key(text, None).unwrap_err().line();
            assert!(line.starts_with("the environment variable `OPENAI_API_KEY` is not set"), "{line}");
            assert_eq!(key(text, Some("sk-1")).unwrap().as_deref(), Some("sk-1"));
        }
        assert_eq!(key("base_url = \"https://api.openai.com.example.com\"", None).unwrap(), None);
    }

    #[test]
    fn no_message_holds_the_key() {
        let line = key("", Some("sk-1\nX: y")).unwrap_err().line();
        assert_eq!(line, "the environment variable `OPENAI_API_KEY` holds what no header can carry");
        let secret = settings("").api_key(&|_| Some("sk-1".into())).unwrap();
        assert!(secret.is_some() && !format!("{secret:?}").contains("sk-1"));
    }

    #[test]
    fn headers_are_read_from_their_variables() {
        let scribe = settings("headers = { \"X-Team\" = \"blue\", Authorization = \"env:GATEWAY\" }");
        let values = scribe.header_values(&|name| (name == "GATEWAY").then(|| "Basic x".into())).unwrap();
        let values: Vec<(&str, &str)> =
            values.iter().map(|(name, value)| (name.as_str(), value.expose_secret())).collect();
        assert_eq!(values, [("Authorization", "Basic x"), ("X-Team", "blue")]);
        let line = scribe.header_values(&|_| None).unwrap_err().line();
        assert_eq!(line, "the environment variable `GATEWAY` of the header `Authorization` is not set");
    }
}
