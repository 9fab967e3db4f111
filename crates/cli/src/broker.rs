//! Turns settings into a broker connection, and explains why a connection failed.

use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::settings::{BrokerSettings, Login, Variables, needed};
use secrecy::ExposeSecret;
use war_rig_transport::{
    BrokerError, BrokerErrorKind, BrokerLogin as ToldBy, BrokerOptions, BrokerRole, ClientCertificate, QueueError,
    QueueErrorKind,
};

/// Returns the connection options for this role; `name` identifies the connection in the server's lists.
///
/// # Errors
/// A usage failure when no broker is configured, or a variable that contains a secret is not set.
pub fn broker_options(
    settings: &BrokerSettings,
    role: BrokerRole,
    name: Option<&str>,
    variables: Variables<'_>,
) -> Result<BrokerOptions, Failure> {
    let Some(urls) = &settings.urls else {
        return Err(Failure::usage("no broker is named")
            .with_hint("name it with --broker URL, such as nats://127.0.0.1:4222, or in `broker.url`"));
    };
    let secret = |key: &str, variable: &str| needed(key, variable, variables);
    let login = match &settings.login {
        Login::Nobody => ToldBy::Anonymous,
        Login::Credentials(file) => ToldBy::Credentials(file.clone()),
        Login::Password { user_env, password_env } => ToldBy::User {
            name: secret("broker.user_env", user_env)?.expose_secret().to_owned(),
            password: secret("broker.password_env", password_env)?,
        },
        Login::Token(token_env) => ToldBy::Token(secret("broker.token_env", token_env)?),
    };
    let certificate = settings.certificate.clone();
    let mut options = BrokerOptions::new(urls.clone(), role);
    if let Some(name) = name {
        options.name = format!("{} {name}", options.name);
    }
    options.login = login;
    options.ca_file.clone_from(&settings.ca_file);
    options.client_certificate = certificate.map(|(certificate, key)| ClientCertificate { certificate, key });
    options.is_insecure = settings.insecure;
    Ok(options)
}

/// The failure for a broker that cannot be connected to.
pub fn cannot_connect(error: &BrokerError) -> Failure {
    Failure::new(status(&error.kind), error.to_string()).with_hint(error.advice())
}

/// Returns the exit status for a broker error.
pub fn status(kind: &BrokerErrorKind) -> ExitStatus {
    match kind {
        BrokerErrorKind::Url(_) | BrokerErrorKind::File { .. } => ExitStatus::Usage,
        BrokerErrorKind::Refused(_) => ExitStatus::Authentication,
        BrokerErrorKind::Unreachable(_) | BrokerErrorKind::Tls(_) | BrokerErrorKind::TooOld(_) => {
            ExitStatus::Unavailable
        }
    }
}

/// The failure for a ticket queue that cannot be used.
pub fn cannot_queue(error: &QueueError) -> Failure {
    let failure = Failure::new(queue_exit_status(&error.kind), error.to_string());
    failure.with_optional_hint(error.advice())
}

/// Returns the exit status for a queue error.
pub fn queue_exit_status(kind: &QueueErrorKind) -> ExitStatus {
    match kind {
        QueueErrorKind::Refused(_) => ExitStatus::Authentication,
        QueueErrorKind::Unreachable
        | QueueErrorKind::Missing
        | QueueErrorKind::NoJetStream
        | QueueErrorKind::Full(_)
        | QueueErrorKind::Differs { .. }
        | QueueErrorKind::Failed(_) => ExitStatus::Unavailable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{ConfigFile, Options, Settings, combine};
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    fn check(text: &str, variables: &[(&str, &str)]) -> Result<BrokerOptions, Failure> {
        let text = format!("[broker]\n{text}\n");
        let file = ConfigFile { name: "war_rig.toml".into(), folder: PathBuf::from("estate"), text };
        let settings = Settings::resolve(&combine(Some(file), [], Options::default()).unwrap()).unwrap();
        let variables =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value));
        broker_options(&settings.broker, BrokerRole::Worker, Some("rack-4"), &variables)
    }

    #[test]
    fn what_is_set_says_how_the_broker_is_reached() {
        let options = check(
            "url = \"tls://a\"\nca_file = \"ca.pem\"\ncertificate = \"c.pem\"\nkey = \"k.pem\"\ninsecure = true",
            &[],
        )
        .unwrap();
        assert_eq!(
            (options.servers.to_string().as_str(), options.name.as_str()),
            ("tls://a:4222", "war-rig worker rack-4")
        );
        assert!(matches!(options.login, ToldBy::Anonymous) && options.is_insecure);
        assert_eq!(options.ca_file.as_deref(), Some(Path::new("estate/ca.pem")));
        assert_eq!(options.client_certificate.unwrap().key, Path::new("estate/k.pem"));
        let options = check("url = \"a\"\ncredentials = \"me.creds\"", &[]).unwrap();
        assert!(matches!(options.login, ToldBy::Credentials(file) if file == Path::new("estate/me.creds")));
    }

    #[test]
    fn secrets_come_from_the_environment_and_are_shown_nowhere() {
        let user = "url = \"a\"\nuser_env = \"U\"\npassword_env = \"P\"";
        let options = check(user, &[("U", "me"), ("P", "hunter2")]).unwrap();
        assert!(!format!("{options:?}").contains("hunter2"));
        assert!(matches!(&options.login, ToldBy::User { name, .. } if name == "me"));
        let token = "url = \"a\"\ntoken_env = \"T\"";
        assert!(matches!(check(token, &[("T", "hunter2")]).unwrap().login, ToldBy::Token(_)));
        for (text, variables, line) in [
            (user, &[("U", "me")][..], "the environment variable `P` is not set"),
            (user, &[("U", ""), ("P", "hunter2")], "the environment variable `U` is not set"),
            (token, &[("T", "hunter2\n")], "the environment variable `T` holds what is no password"),
            ("", &[], "no broker is named"),
        ] {
            let failure = check(text, variables).unwrap_err();
            assert_eq!((failure.line().as_str(), failure.status()), (line, ExitStatus::Usage));
            assert!(failure.hint().is_some());
        }
    }

    #[test]
    fn what_goes_wrong_decides_how_the_command_ends() {
        for (kind, status) in [
            (BrokerErrorKind::Unreachable("gone".to_owned()), ExitStatus::Unavailable),
            (BrokerErrorKind::Tls("none".to_owned()), ExitStatus::Unavailable),
            (BrokerErrorKind::Refused("no".to_owned()), ExitStatus::Authentication),
            (BrokerErrorKind::Url("x".to_owned()), ExitStatus::Usage),
        ] {
            let failure = cannot_connect(&BrokerError { address: "nats://a:4222".to_owned(), kind });
            assert_eq!(failure.status(), status, "{}", failure.line());
            assert!(failure.line().starts_with("broker `nats://a:4222`: ") && failure.hint().is_some());
        }
    }
}
