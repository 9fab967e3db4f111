//! The section `[broker]`: the options, and the typed settings for the commands.

use super::table::section;
use super::validate::{Setting, is_variable, set};
use crate::failure::Failure;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;
use war_rig_envelope::MAX_PAYLOAD_SIZE;
use war_rig_transport::BrokerUrls;

section! {
    /// How coordinator and workers reach each other.
    BrokerOptions => BrokerSettings at "broker" {
        /// The address of a NATS server, such as "nats://127.0.0.1:4222" or "tls://broker:4222", or of several of one cluster parted by commas. Where it is
        /// set, `document` hands its sources to workers; empty, and with `--broker ""`, it documents them itself.
        url: String = "" => urls: Option<BrokerUrls> = broker_urls,
            flag("--broker URL", "The address of the NATS server, such as nats://127.0.0.1:4222; empty for none, whatever the settings say");
        /// A file of credentials that the broker knows, relative to this file.
        credentials: String = "",
            flag("--broker-credentials FILE", "Log in to the broker with a file of credentials");
        /// The environment variable that holds the user's name; the name and the password themselves never stand in this file.
        user_env: String = "";
        /// The environment variable that holds the password.
        password_env: String = "";
        /// The environment variable that holds a token, where the broker asks for one instead.
        token_env: String = "";
        /// A PEM file of certificate authorities that are trusted besides the usual ones, relative to this file.
        ca_file: String = "" => ca_file: Option<PathBuf> = file,
            flag("--broker-ca-file FILE", "Trust the certificate authorities in FILE, too, where the broker speaks TLS");
        /// The PEM file of the certificate that the broker is shown, where it asks for one.
        certificate: String = "";
        /// The PEM file of that certificate's key.
        key: String = "";
        /// Whether a broker on another machine may be reached without TLS, so that all who see the network read the sources.
        insecure: bool = false => insecure: bool = any,
            flag("--broker-insecure", "Reach a broker on another machine without TLS, so that all who see the network read the sources");
        /// Seconds without a sign of life after which a worker's source goes to another worker.
        deadline_seconds: i64 = 30 => deadline: Duration = seconds(&(1..=3600));
        /// Seconds that `document` waits while no worker is there before it ends with exit code 14.
        worker_wait_seconds: i64 = 300 => worker_wait: Duration = seconds(&(1..=86_400));
        /// The most bytes of a message's payload; what is larger travels in pieces. The broker's own limit holds as well.
        max_payload_size: i64 = MAX_PAYLOAD_SIZE as i64 => max_payload: usize = within(&PAYLOAD);
        /// The folder in which a worker keeps the answers of a model until the coordinator has them.
        spool: String = ".war_rig/spool" => spool: PathBuf = folder,
            flag("--spool DIR", "Keep the answers of a model in DIR until the coordinator has them");
    }
    derived {
        /// How the broker is told who connects.
        login: Login = login,
        /// The PEM files of the client's own certificate and of its key.
        certificate: Option<(PathBuf, PathBuf)> = certificate,
    }
}

/// The heading of the options that say how a broker is reached.
pub const BROKER_HEADING: &str = "Broker options";

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

/// Bytes of a message: below the first, headers leave no room; above the second, no server takes one.
pub(super) const PAYLOAD: RangeInclusive<i64> = 4096..=64 * 1024 * 1024;

impl Setting<'_> {
    fn broker_urls(&self, text: &str) -> Result<Option<BrokerUrls>, Failure> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        let urls = BrokerUrls::parse(text).map_err(|error| {
            self.fails(format_args!("cannot be `{}`: {}", error.address, error.kind)).with_hint(error.advice())
        })?;
        if urls.has_login() {
            // `config show` and the process list expose an address, so it may not contain a password, and this message does not repeat it.
            return Err(self.fails("must not hold a user, a password or a token").with_hint(
                "put them into environment variables, and name these in `broker.user_env` and `broker.password_env`, or in `broker.token_env`",
            ));
        }
        Ok(Some(urls))
    }

    fn login(&self, broker: &BrokerOptions) -> Result<Login, Failure> {
        let credentials = self.below("credentials").file(set(&broker.credentials))?;
        let user = self.below("user_env").secret_variable(set(&broker.user_env))?;
        let password = self.below("password_env").secret_variable(set(&broker.password_env))?;
        let token = self.below("token_env").secret_variable(set(&broker.token_env))?;
        let one_way = |name: &str| {
            self.below(name)
                .fails("stands beside another way to log in")
                .with_hint("keep one: a file of credentials, a user and a password, or a token")
        };
        match (credentials, user, password, token) {
            (None, None, None, None) => Ok(Login::Nobody),
            (Some(file), None, None, None) => Ok(Login::Credentials(file)),
            (None, Some(user_env), Some(password_env), None) => Ok(Login::Password { user_env, password_env }),
            (None, None, None, Some(token)) => Ok(Login::Token(token)),
            (Some(_), _, _, _) => Err(one_way("credentials")),
            (None, _, _, Some(_)) => Err(one_way("token_env")),
            (None, Some(_), None, None) => Err(self
                .without("user_env", "password_env")
                .with_hint("name the environment variable of the password, too")),
            (None, None, Some(_), None) => Err(self.without("password_env", "user_env").with_hint(
                "name the environment variable of the user's name, too; a token alone goes into `broker.token_env`",
            )),
        }
    }

    /// The name of the environment variable of a secret; none where it is empty.
    fn secret_variable(&self, name: &str) -> Result<Option<String>, Failure> {
        match name.is_empty() || is_variable(name) {
            true => Ok(Some(name.to_owned()).filter(|name| !name.is_empty())),
            false => Err(self.not_a_variable("secret")),
        }
    }

    /// The failure of a key that is set without the one that goes with it.
    fn without(&self, name: &str, other: &str) -> Failure {
        self.below(name).fails(format_args!("is set, and `{}` is not", self.below(other).path))
    }

    fn certificate(&self, broker: &BrokerOptions) -> Result<Option<(PathBuf, PathBuf)>, Failure> {
        let certificate = self.below("certificate").file(set(&broker.certificate))?;
        let key = self.below("key").file(set(&broker.key))?;
        match (certificate, key) {
            (None, None) => Ok(None),
            (Some(certificate), Some(key)) => Ok(Some((certificate, key))),
            (Some(_), None) => {
                Err(self.without("certificate", "key").with_hint("name the file of the certificate's key, too"))
            }
            (None, Some(_)) => {
                Err(self.without("key", "certificate").with_hint("name the file of the key's certificate, too"))
            }
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
        Settings::resolve(&combine(Some(file), [], Options::default()).unwrap()).map(|settings| settings.broker)
    }

    #[test]
    fn there_is_no_broker_unless_one_is_named() {
        let broker = resolve("").unwrap();
        assert!(broker.urls.is_none());
        assert_eq!((&broker.login, broker.insecure), (&Login::Nobody, false));
        assert_eq!((broker.ca_file, broker.certificate), (None, None));
        assert_eq!((broker.deadline, broker.worker_wait), (Duration::from_secs(30), Duration::from_secs(300)));
        assert_eq!(broker.max_payload, 1_000_000);
        // A default is relative to the current folder.
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
            ("url = \"nats://a,\"", "war_rig.toml:2: `broker.url` cannot be `nats://a,`: an address is empty"),
            ("deadline_seconds = 0", "war_rig.toml:2: `broker.deadline_seconds` must be between 1 and 3600, not `0`"),
            (
                "worker_wait_seconds = 90000",
                "war_rig.toml:2: `broker.worker_wait_seconds` must be between 1 and 86400, not `90000`",
            ),
            (
                "max_payload_size = 100",
                "war_rig.toml:2: `broker.max_payload_size` must be between 4096 and 67108864, not `100`",
            ),
            ("spool = \"\"", "war_rig.toml:2: `broker.spool` must be the path of a folder, not ``"),
            ("user_env = \"U\"", "war_rig.toml:2: `broker.user_env` is set, and `broker.password_env` is not"),
            ("password_env = \"P\"", "war_rig.toml:2: `broker.password_env` is set, and `broker.user_env` is not"),
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
