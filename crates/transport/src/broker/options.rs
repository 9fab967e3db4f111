//! How to reach a broker, and in which role.

use super::{BrokerError, BrokerErrorKind};
use crate::subjects::BrokerRole;
use async_nats::ServerAddr;
use percent_encoding::percent_decode_str;
use secrecy::SecretString;
use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

/// How long the first connection may take by default.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);

/// How to reach a broker.
#[derive(Debug, Clone)]
pub struct BrokerOptions {
    /// The servers, all of one cluster; at least one.
    pub servers: BrokerUrls,
    /// The role of this connection.
    pub role: BrokerRole,
    /// The connection's name in the server's lists: a word chosen by the user, or the machine's name.
    pub name: String,
    /// How to authenticate.
    pub login: BrokerLogin,
    /// The CA certificates for the server's certificate, as PEM. Without it, the system's trusted certificates.
    pub ca_file: Option<PathBuf>,
    /// This client's certificate, if the server requires one.
    pub client_certificate: Option<ClientCertificate>,
    /// Whether a connection to another machine may go without TLS.
    pub is_insecure: bool,
    /// How long the first connection may take.
    pub connect_within: Duration,
}

impl BrokerOptions {
    /// Creates the options for a role, with only the servers set.
    pub fn new(servers: BrokerUrls, role: BrokerRole) -> Self {
        let login = servers.login.clone().unwrap_or_default();
        Self {
            servers,
            role,
            name: format!("war-rig {}", role.as_str()),
            login,
            ca_file: None,
            client_certificate: None,
            is_insecure: false,
            connect_within: CONNECT_WITHIN,
        }
    }
}

/// How to authenticate. Passwords and tokens are never displayed.
#[derive(Debug, Clone, Default)]
pub enum BrokerLogin {
    /// The server requires no login, or recognizes the client's certificate.
    #[default]
    Anonymous,
    /// By a name and a password.
    User {
        /// The name.
        name: String,
        /// The password.
        password: SecretString,
    },
    /// By a token.
    Token(SecretString),
    /// By a credentials file: a JWT and the seed of its key.
    Credentials(PathBuf),
}

/// A client's certificate and its key, both as PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientCertificate {
    /// The certificate, with the chain to the authority.
    pub certificate: PathBuf,
    /// The key.
    pub key: PathBuf,
}

/// The addresses of a broker's servers, without names and passwords.
#[derive(Clone)]
pub struct BrokerUrls {
    servers: Vec<ServerAddr>,
    login: Option<BrokerLogin>,
}

impl BrokerUrls {
    /// Parses addresses separated by commas: `nats://host:4222`, `tls://host`, `host`. Removes a name and a password from an address.
    ///
    /// # Errors
    /// [`BrokerErrorKind::Url`] for an invalid address, without any password in it.
    pub fn parse(text: &str) -> Result<Self, BrokerError> {
        let (mut servers, mut login) = (Vec::new(), None);
        // A password may contain a comma: nothing before the last `@` of the whole text is shown.
        let shown = without_login(text);
        for url in text.split(',').map(str::trim) {
            let refuse = |why: &str| BrokerError::new(&shown, BrokerErrorKind::Url(why.to_owned()));
            if url.is_empty() {
                return Err(refuse("an address is empty"));
            }
            if let Some((scheme, _)) = url.split_once("://")
                && !matches!(scheme, "nats" | "tls")
            {
                return Err(refuse("the scheme is neither `nats` nor `tls`"));
            }
            let whole: ServerAddr = url.parse().map_err(|_| refuse("that is no address"))?;
            if whole.host().is_empty() {
                return Err(refuse("it names no host"));
            }
            if let Some(found) = login_of(&whole) {
                login.get_or_insert(found);
            }
            servers.push(bare(&whole).parse().map_err(|_| refuse("that is no address"))?);
        }
        Ok(Self { servers, login })
    }

    /// Whether an address contains a name, a password or a token, which must not be on a command line.
    pub fn has_login(&self) -> bool {
        self.login.is_some()
    }

    /// Whether every server is on this machine, according to the addresses.
    pub fn are_loopback(&self) -> bool {
        self.servers.iter().all(|server| is_loopback(server.host()))
    }

    pub(crate) fn servers(&self) -> &[ServerAddr] {
        &self.servers
    }

    /// Whether an address itself requires TLS.
    pub(crate) fn ask_for_tls(&self) -> bool {
        self.servers.iter().any(ServerAddr::tls_required)
    }
}

impl fmt::Display for BrokerUrls {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, server) in self.servers.iter().enumerate() {
            write!(formatter, "{}{}", if place == 0 { "" } else { "," }, bare(server))?;
        }
        Ok(())
    }
}

impl fmt::Debug for BrokerUrls {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "BrokerUrls({self})")
    }
}

/// Returns the name and password of an address, or a token alone.
fn login_of(server: &ServerAddr) -> Option<BrokerLogin> {
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let name = server.username();
    match (name, server.password()) {
        (None, None) => None,
        (Some(token), None) => Some(BrokerLogin::Token(decoded(token).into())),
        (name, Some(password)) => {
            Some(BrokerLogin::User { name: decoded(name.unwrap_or_default()), password: decoded(password).into() })
        }
    }
}

/// Returns only the scheme, host and port of an address.
fn bare(server: &ServerAddr) -> String {
    let host = match server.host() {
        host if host.contains(':') => format!("[{host}]"),
        host => host.to_owned(),
    };
    format!("{}://{host}:{}", server.scheme(), server.port())
}

/// Returns a text meant as an address, without the part before the last `@` of its host.
fn without_login(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    if scheme.is_empty() { rest.to_owned() } else { format!("{scheme}://{rest}") }
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret;

    #[test]
    fn an_address_is_read_with_what_it_leaves_out() {
        for (text, shown, is_loopback) in [
            ("127.0.0.1", "nats://127.0.0.1:4222", true),
            ("localhost:5000", "nats://localhost:5000", true),
            ("nats://[::1]:4222/", "nats://[::1]:4222", true),
            ("tls://broker.example", "tls://broker.example:4222", false),
            ("nats://a:1, nats://127.0.0.1:2", "nats://a:1,nats://127.0.0.1:2", false),
        ] {
            let urls = BrokerUrls::parse(text).unwrap();
            assert_eq!((urls.to_string().as_str(), urls.are_loopback()), (shown, is_loopback), "{text}");
            assert!(!urls.has_login());
        }
    }

    #[test]
    fn a_password_in_an_address_is_used_and_shown_nowhere() {
        let urls = BrokerUrls::parse("nats://me:pa%40ss@host:1,nats://other").unwrap();
        assert_eq!(urls.to_string(), "nats://host:1,nats://other:4222");
        let options = BrokerOptions::new(urls, BrokerRole::Worker);
        assert!(!format!("{options:?}").contains("pa@ss"), "{options:?}");
        match &options.login {
            BrokerLogin::User { name, password } => {
                assert_eq!((name.as_str(), password.expose_secret()), ("me", "pa@ss"));
            }
            other => panic!("{other:?}"),
        }
        assert!(matches!(BrokerUrls::parse("nats://secret@host").unwrap().login, Some(BrokerLogin::Token(_))));
    }

    #[test]
    fn what_is_no_address_is_refused_without_its_password() {
        for text in [
            "",
            "nats://",
            "http://u:hunter2@host",
            "nats://u:hunter2@host:port",
            "u:hunter2@host:x",
            "nats://u:hunt,er2@host",
            "a,,b",
        ] {
            let error = BrokerUrls::parse(text).unwrap_err();
            assert!(matches!(error.kind, BrokerErrorKind::Url(_)), "{text}");
            assert!(!error.to_string().contains("hunt"), "{error}");
        }
    }
}
