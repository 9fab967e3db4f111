//! The section `[broker]` as the commands use it.

use super::judge::{HELD, Judge, set};
use super::options::BrokerOptions;
use super::scribe::is_variable;
use crate::failure::Failure;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

/// How coordinator and workers reach each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokerSettings {
    /// The addresses of the broker's servers, which begin with `nats://` or `tls://`; none where there is no broker.
    pub urls: Vec<String>,
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

/// What an address begins with.
const SCHEMES: [&str; 2] = ["nats://", "tls://"];

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

    fn broker_urls(&self, urls: &str) -> Result<Vec<String>, Failure> {
        let path = "broker.url";
        if urls.trim().is_empty() {
            return Ok(Vec::new());
        }
        if urls.contains('@') {
            // An address is printed by `config show` and stands in the list of processes; nor does this message repeat it.
            return Err(self.fail(path, "`broker.url` must not hold a user, a password or a token").with_hint(
                "put them into environment variables, and name these in `broker.user_env` and `broker.password_env`, or in `broker.token_env`",
            ));
        }
        urls.split(',').map(|url| self.broker_url(url.trim())).collect()
    }

    fn broker_url(&self, url: &str) -> Result<String, Failure> {
        let place = SCHEMES.iter().find_map(|scheme| url.strip_prefix(scheme));
        if place.is_some_and(is_place) {
            return Ok(url.trim_end_matches('/').to_owned());
        }
        let failure = self.must("broker.url", "an address such as nats://HOST:4222 or tls://HOST:4222", url);
        Err(match url.split_once("://") {
            Some(("nats" | "tls", _)) => failure.with_hint("write a host, and a port behind a colon; several servers of a cluster are parted by commas"),
            Some((scheme, _)) => failure.with_hint(format!("the broker is a NATS server, which is not spoken to over `{scheme}`")),
            None => failure.with_hint("begin with nats://, or with tls:// where the connection is to be encrypted from its first byte"),
        })
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

/// Whether this is a host with or without a port: a name, an IPv4 address, or an IPv6 address in brackets.
fn is_place(place: &str) -> bool {
    let place = place.strip_suffix('/').unwrap_or(place);
    let (host, port) = match place.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((address, port)) if address.parse::<std::net::Ipv6Addr>().is_ok() => {
                (address, port.strip_prefix(':').or((!port.is_empty()).then_some("")))
            }
            _ => return false,
        },
        None => match place.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (place, None),
        },
    };
    let is_host = place.starts_with('[')
        || (!host.is_empty()
            && host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')));
    is_host
        && port.is_none_or(|port| {
            port.bytes().all(|digit| digit.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|port| port > 0)
        })
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
        assert_eq!(broker.urls, Vec::<String>::new());
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
        assert_eq!(broker.urls, ["nats://a:4222", "tls://[::1]:4223", "nats://b"]);
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
    fn places_are_hosts_and_ports() {
        for (place, expected) in [
            ("localhost", true),
            ("localhost:4222", true),
            ("10.0.0.1:1/", true),
            ("[::1]", true),
            ("[::1]:4222", true),
            ("", false),
            (":4222", false),
            ("a:", false),
            ("a:0", false),
            ("a:+1", false),
            ("a:65536", false),
            ("a:4222/x", false),
            ("a b", false),
            ("a?x", false),
            ("[::1", false),
            ("[::1]4222", false),
            ("[a]", false),
            ("::1", false),
        ] {
            assert_eq!(is_place(place), expected, "{place}");
        }
    }

    #[test]
    fn what_cannot_be_is_told_with_its_place_and_advice() {
        for (text, line) in [
            (
                "url = \"localhost:4222\"",
                "war_rig.toml:2: `broker.url` must be an address such as nats://HOST:4222 or tls://HOST:4222, not `localhost:4222`",
            ),
            (
                "url = \"http://localhost:4222\"",
                "war_rig.toml:2: `broker.url` must be an address such as nats://HOST:4222 or tls://HOST:4222, not `http://localhost:4222`",
            ),
            (
                "url = \"nats://a,nats://\"",
                "war_rig.toml:2: `broker.url` must be an address such as nats://HOST:4222 or tls://HOST:4222, not `nats://`",
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
