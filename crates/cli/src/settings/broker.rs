//! The section `[broker]` as the commands use it.

use super::judge::{HELD, Judge, set};
use super::options::BrokerOptions;
use super::scribe::is_variable;
use crate::failure::Failure;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;
use war_rig_transport::BrokerUrls;

/// How coordinator and workers reach each other.
#[derive(Debug, Clone)]
pub struct BrokerSettings {
    /// The addresses of the broker's servers; none where there is no broker.
    pub urls: Option<BrokerUrls>,
    /// How it is told who connects.
    pub login: Login,
    /// A PEM file of certificate authorities.
    pub ca_file: Option<PathBuf>,
    /// The PEM files of the client's own certificate and of its key.
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// Whether a broker on another machine may be reached without TLS.
    pub insecure: bool,
    /// The time without a sign of life after which a worker's ticket goes to another.
    pub deadline: Duration,
    /// The time that a coordinator waits for a worker.
    pub worker_wait: Duration,
    /// The most bytes of a message's payload.
    pub max_payload: usize,
    /// The folder in which a worker keeps answers until the coordinator has them.
    pub spool: PathBuf,
}

/// How a broker is told who connects. Secrets stand in files or in the environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Login {
    /// It is not.
    Nobody,
    /// By a file of credentials, as `nsc` writes it.
    Credentials(PathBuf),
    /// By a name and a password, each in the environment variable of this name.
    Password {
        /// The variable of the name.
        user_env: String,
        /// The variable of the password.
        password_env: String,
    },
    /// By a token in the environment variable of this name.
    Token(String),
}

/// Seconds of `deadline_seconds`.
const DEADLINE: RangeInclusive<i64> = 1..=3600;
/// Seconds of `worker_wait_seconds`.
const WORKER_WAIT: RangeInclusive<i64> = 1..=86_400;
/// Bytes of a message: below the first, headers leave no room; above the second, no server takes one.
pub(super) const PAYLOAD: RangeInclusive<i64> = 4096..=64 * 1024 * 1024;

impl BrokerSettings {
    /// Judges what is said of the broker.
    ///
    /// # Errors
    /// A usage failure for a value that is not legal, with the place that set it.
    pub(super) fn judged(from: &Judge<'_>, broker: &BrokerOptions) -> Result<Self, Failure> {
        Ok(Self {
            urls: from.broker_urls(set(&broker.url))?,
            login: from.login(broker)?,
            ca_file: from.file("broker.ca_file", set(&broker.ca_file)),
            certificate: from.certificate(broker)?,
            insecure: broker.insecure.expect(HELD),
            deadline: from.seconds_in("broker.deadline_seconds", broker.deadline_seconds, &DEADLINE)?,
            worker_wait: from.seconds_in(
                "broker.worker_wait_seconds",
                broker.worker_wait_seconds,
                &WORKER_WAIT,
            )?,
            max_payload: from.within("broker.max_payload_size", broker.max_payload_size, &PAYLOAD)?,
            spool: match from.file("broker.spool", set(&broker.spool)) {
                Some(folder) => folder,
                None => return Err(from.must("broker.spool", "the path of a folder", "")),
            },
        })
    }
}

impl Judge<'_> {
    /// A number within a range, its ends included, none of them negative.
    pub fn within<T: TryFrom<i64>>(
        &self,
        path: &str,
        value: Option<i64>,
        range: &RangeInclusive<i64>,
    ) -> Result<T, Failure> {
        let value = value.expect(HELD);
        let number =
            Some(value).filter(|value| range.contains(value)).and_then(|value| value.try_into().ok());
        number
            .ok_or_else(|| self.must(path, &format!("between {} and {}", range.start(), range.end()), value))
    }

    fn seconds_in(
        &self,
        path: &str,
        value: Option<i64>,
        range: &RangeInclusive<i64>,
    ) -> Result<Duration, Failure> {
        self.within(path, value, range).map(Duration::from_secs)
    }

    fn broker_urls(&self, text: &str) -> Result<Option<BrokerUrls>, Failure> {
        let path = "broker.url";
        if text.trim().is_empty() {
            return Ok(None);
        }
        let urls = BrokerUrls::parse(text).map_err(|error| {
            self.fail(path, &format!("`broker.url` cannot be `{}`: {}", error.address, error.kind))
                .with_hint(error.advice())
        })?;
        if urls.has_login() {
            // An address is printed by `config show` and stands in the list of processes; nor does this message repeat it.
            return Err(self.fail(path, "`broker.url` must not hold a user, a password or a token").with_hint(
                "put them into environment variables, and name these in `broker.user_env` and `broker.password_env`, or in `broker.token_env`",
            ));
        }
        Ok(Some(urls))
    }

    fn login(&self, broker: &BrokerOptions) -> Result<Login, Failure> {
        let credentials = self.file("broker.credentials", set(&broker.credentials));
        let user = self.variable("broker.user_env", set(&broker.user_env))?;
        let password = self.variable("broker.password_env", set(&broker.password_env))?;
        let token = self.variable("broker.token_env", set(&broker.token_env))?;
        let one_way = |path: &str| {
            self.fail(path, &format!("`{path}` stands beside another way to log in"))
                .with_hint("keep one: a file of credentials, a user and a password, or a token")
        };
        match (credentials, user, password, token) {
            (None, None, None, None) => Ok(Login::Nobody),
            (Some(file), None, None, None) => Ok(Login::Credentials(file)),
            (None, Some(user_env), Some(password_env), None) => Ok(Login::Password { user_env, password_env }),
            (None, None, None, Some(token)) => Ok(Login::Token(token)),
            (Some(_), _, _, _) => Err(one_way("broker.credentials")),
            (None, _, _, Some(_)) => Err(one_way("broker.token_env")),
            (None, Some(_), None, None) => Err(self.fail("broker.user_env", "`broker.user_env` is set, and `broker.password_env` is not")
                .with_hint("name the environment variable of the password, too")),
            (None, None, Some(_), None) => Err(self.fail("broker.password_env", "`broker.password_env` is set, and `broker.user_env` is not")
                .with_hint("name the environment variable of the user's name, too; a token alone goes into `broker.token_env`")),
        }
    }

    /// The name of an environment variable; none where it is empty.
    fn variable(&self, path: &str, name: &str) -> Result<Option<String>, Failure> {
        if name.is_empty() || is_variable(name) {
            return Ok(Some(name.to_owned()).filter(|name| !name.is_empty()));
        }
        // The value is left out: what is no name may well be the secret itself.
        Err(self
            .fail(path, &format!("`{path}` must be the name of an environment variable"))
            .with_hint("put the secret itself into that variable"))
    }

    fn certificate(&self, broker: &BrokerOptions) -> Result<Option<(PathBuf, PathBuf)>, Failure> {
        let certificate = self.file("broker.certificate", set(&broker.certificate));
        let key = self.file("broker.key", set(&broker.key));
        match (certificate, key) {
            (None, None) => Ok(None),
            (Some(certificate), Some(key)) => Ok(Some((certificate, key))),
            (Some(_), None) => Err(self
                .fail("broker.certificate", "`broker.certificate` is set, and `broker.key` is not")
                .with_hint("name the file of the certificate's key, too")),
            (None, Some(_)) => Err(self
                .fail("broker.key", "`broker.key` is set, and `broker.certificate` is not")
                .with_hint("name the file of the key's certificate, too")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{ConfigFile, Options, Settings, combine};
    use std::path::Path;

    fn resolve(text: &str) -> Result<BrokerSettings, Failure> {
        let text = format!("[broker]\n{text}\n");
        let file = ConfigFile { name: "war_rig.toml".into(), folder: PathBuf::from("estate"), text };
        Settings::resolve(&combine(Some(file), [], Options::default()).unwrap())
            .map(|settings| settings.broker)
    }

    #[test]
    fn there_is_no_broker_unless_one_is_named() {
        let broker = resolve("").unwrap();
        assert!(broker.urls.is_none());
        assert_eq!((&broker.login, broker.insecure), (&Login::Nobody, false));
        assert_eq!((broker.ca_file, broker.certificate), (None, None));
        assert_eq!(
            (broker.deadline, broker.worker_wait),
            (Duration::from_secs(30), Duration::from_secs(300))
        );
        assert_eq!(broker.max_payload, 1_000_000);
        // A default starts from the current folder.
        assert_eq!(broker.spool, Path::new(".war_rig/spool"));
    }

    #[test]
    fn what_is_set_is_typed() {
        let broker = resolve(
            "url = \"nats://a:4222, tls://[::1]:4223/,nats://b\"\nuser_env = \"U\"\npassword_env = \"P\"\nca_file = \"ca.pem\"\n\
             certificate = \"c.pem\"\nkey = \"/k.pem\"\ninsecure = true\ndeadline_seconds = 1\nspool = \"kept\"",
        )
        .unwrap();
        assert_eq!(broker.urls.unwrap().to_string(), "nats://a:4222,tls://[::1]:4223,nats://b:4222");
        assert_eq!(broker.login, Login::Password { user_env: "U".to_owned(), password_env: "P".to_owned() });
        assert_eq!(broker.ca_file.as_deref(), Some(Path::new("estate/ca.pem")));
        assert_eq!(broker.certificate, Some((PathBuf::from("estate/c.pem"), PathBuf::from("/k.pem"))));
        assert!(broker.insecure);
        assert_eq!(broker.deadline, Duration::from_secs(1));
        assert_eq!(broker.spool, Path::new("estate/kept"));
        assert_eq!(resolve("token_env = \"T\"").unwrap().login, Login::Token("T".to_owned()));
        let credentials = Login::Credentials(PathBuf::from("estate/me.creds"));
        assert_eq!(resolve("credentials = \"me.creds\"").unwrap().login, credentials);
    }

    #[test]
    fn what_cannot_be_is_told_with_its_place_and_advice() {
        for (text, line) in [
            (
                "url = \"http://localhost:4222\"",
                "war_rig.toml:2: `broker.url` cannot be `http://localhost:4222`: the scheme is neither `nats` nor `tls`",
            ),
            (
                "url = \"nats://a,\"",
                "war_rig.toml:2: `broker.url` cannot be `nats://a,`: an address is empty",
            ),
            (
                "deadline_seconds = 0",
                "war_rig.toml:2: `broker.deadline_seconds` must be between 1 and 3600, not `0`",
            ),
            (
                "worker_wait_seconds = 90000",
                "war_rig.toml:2: `broker.worker_wait_seconds` must be between 1 and 86400, not `90000`",
            ),
            (
                "max_payload_size = 100",
                "war_rig.toml:2: `broker.max_payload_size` must be between 4096 and 67108864, not `100`",
            ),
            ("spool = \"\"", "war_rig.toml:2: `broker.spool` must be the path of a folder, not ``"),
            (
                "user_env = \"U\"",
                "war_rig.toml:2: `broker.user_env` is set, and `broker.password_env` is not",
            ),
            (
                "password_env = \"P\"",
                "war_rig.toml:2: `broker.password_env` is set, and `broker.user_env` is not",
            ),
            ("certificate = \"c\"", "war_rig.toml:2: `broker.certificate` is set, and `broker.key` is not"),
            ("key = \"k\"", "war_rig.toml:2: `broker.key` is set, and `broker.certificate` is not"),
            (
                "credentials = \"c\"\ntoken_env = \"T\"",
                "war_rig.toml:2: `broker.credentials` stands beside another way to log in",
            ),
            (
                "user_env = \"U\"\ntoken_env = \"T\"",
                "war_rig.toml:3: `broker.token_env` stands beside another way to log in",
            ),
        ] {
            let failure = resolve(text).unwrap_err();
            assert_eq!(failure.line(), line);
            let has_own_words = !matches!(
                text.split(' ').next(),
                Some("deadline_seconds" | "worker_wait_seconds" | "max_payload_size" | "spool")
            );
            assert_eq!(failure.hint().is_some(), has_own_words, "{line}");
        }
    }

    #[test]
    fn a_secret_in_the_wrong_place_is_not_repeated() {
        for text in [
            "url = \"nats://me:secret@example.com\"",
            "url = \"me:secret@example.com\"",
            "token_env = \"s3-secret\"",
            "password_env = \"my secret\"",
        ] {
            let failure = resolve(text).unwrap_err();
            assert!(!failure.line().contains("secret"), "{}", failure.line());
            assert!(failure.hint().is_some());
        }
    }
}
