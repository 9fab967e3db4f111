//! Connections: who gets one, what is said to who does not, and what becomes of one that is lost.

use crate::server::{Server, until};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use war_rig_transport::{
    Broker, BrokerErrorKind, BrokerLogin, BrokerOptions, BrokerRole, BrokerUrls, ClientCertificate,
};

const SHORT: Duration = Duration::from_millis(600);

async fn refused(options: &BrokerOptions) -> (BrokerErrorKind, String) {
    let error = Broker::connect(options).await.unwrap_err();
    assert!(!error.advice().is_empty());
    for text in [error.to_string(), format!("{error:?}"), format!("{options:?}")] {
        assert!(!text.contains("hunter2"), "{text}");
    }
    (error.kind.clone(), error.to_string())
}

#[tokio::test]
async fn nobody_there_is_said_after_the_wait() {
    // The port that a server has left may be another's at once. Nobody listens on this one.
    let url = "nats://127.0.0.1:1";
    let mut options = BrokerOptions::new(BrokerUrls::parse(url).unwrap(), BrokerRole::Worker);
    options.connect_within = SHORT;
    let (kind, text) = refused(&options).await;
    assert!(matches!(kind, BrokerErrorKind::Unreachable(_)), "{text}");
    assert!(text.starts_with(&format!("broker `{url}`: cannot be reached: ")), "{text}");
}

#[tokio::test]
async fn a_server_that_comes_late_is_waited_for() {
    let mut server = Server::start();
    server.kill();
    let options = server.options(BrokerRole::Worker);
    let connecting = tokio::spawn(async move { Broker::connect(&options).await });
    tokio::task::yield_now().await;
    server.start_again();
    assert!(connecting.await.unwrap().unwrap().is_connected());
}

#[tokio::test]
async fn a_wrong_password_is_refused_at_once_and_stands_nowhere() {
    let server = Server::start_with("authorization { user: me, password: right }", &[]);
    let mut options = server.options(BrokerRole::Worker);
    assert!(matches!(refused(&options).await.0, BrokerErrorKind::Refused(_)));
    options.login = BrokerLogin::User { name: "me".to_owned(), password: "hunter2".into() };
    let (kind, text) = refused(&options).await;
    assert!(matches!(kind, BrokerErrorKind::Refused(_)), "{text}");
    options.login = BrokerLogin::User { name: "me".to_owned(), password: "right".into() };
    assert!(Broker::connect(&options).await.unwrap().is_connected());

    let with_login = format!("nats://me:hunter2@{}", server.url().trim_start_matches("nats://"));
    let options = BrokerOptions::new(BrokerUrls::parse(&with_login).unwrap(), BrokerRole::Worker);
    let (kind, text) = refused(&options).await;
    assert!(matches!(kind, BrokerErrorKind::Refused(_)), "{text}");
}

#[tokio::test]
async fn a_token_lets_in() {
    let server = Server::start_with("authorization { token: right }", &[]);
    let mut options = server.options(BrokerRole::Worker);
    options.login = BrokerLogin::Token("hunter2".into());
    assert!(matches!(refused(&options).await.0, BrokerErrorKind::Refused(_)));
    options.login = BrokerLogin::Token("right".into());
    assert!(Broker::connect(&options).await.unwrap().is_connected());
}

#[tokio::test]
async fn files_that_cannot_be_used_are_named() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.pem");
    std::fs::write(&empty, "").unwrap();
    let missing = folder.path().join("missing.pem");
    let own = |certificate: &Path| ClientCertificate { certificate: certificate.to_owned(), key: empty.clone() };
    let with = |change: &dyn Fn(&mut BrokerOptions)| {
        let mut options = server.options(BrokerRole::Worker);
        change(&mut options);
        options
    };
    for (options, file) in [
        (with(&|options| options.ca_file = Some(missing.clone())), &missing),
        (with(&|options| options.ca_file = Some(empty.clone())), &empty),
        (with(&|options| options.client_certificate = Some(own(&missing))), &missing),
        (with(&|options| options.login = BrokerLogin::Credentials(missing.clone())), &missing),
        (with(&|options| options.login = BrokerLogin::Credentials(empty.clone())), &empty),
    ] {
        let (kind, text) = refused(&options).await;
        assert!(matches!(kind, BrokerErrorKind::File { .. }), "{text}");
        assert!(text.contains(&file.display().to_string()), "{text}");
    }
}

#[tokio::test]
async fn off_this_machine_nothing_goes_unencrypted() {
    let server = Server::start();
    let mut options = server.options(BrokerRole::Worker);
    options.connect_within = SHORT;
    let port = server.url().rsplit_once(':').unwrap().1.to_owned();
    // This leads to the same server, and is no address of this machine to who only reads it.
    options.servers = BrokerUrls::parse(&format!("nats://0.0.0.0:{port}")).unwrap();
    assert!(!options.servers.are_loopback());
    let (kind, text) = refused(&options).await;
    assert!(matches!(kind, BrokerErrorKind::Tls(_)), "{text}");
    options.is_insecure = true;
    let broker = Broker::connect(&options).await.unwrap();
    assert!(broker.is_connected() && !broker.is_encrypted());
}

#[tokio::test]
async fn tls_holds_with_the_right_authority_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    certificates(folder.path());
    let (ca, other, cert, key) = (path("ca.pem"), path("other.pem"), path("client.pem"), path("client.key"));
    let server = Server::in_folder(
        folder,
        "tls { cert_file: \"$FOLDER/server.pem\", key_file: \"$FOLDER/server.key\", ca_file: \"$FOLDER/ca.pem\", verify: true }",
        &[],
    );
    let own = ClientCertificate { certificate: cert, key };
    let mut options = server.options(BrokerRole::Worker);
    options.servers = BrokerUrls::parse(&server.url().replace("nats://", "tls://")).unwrap();

    // The system does not know the authority.
    let (kind, text) = refused(&options).await;
    assert!(matches!(kind, BrokerErrorKind::Tls(_)), "{text}");
    options.ca_file = Some(other);
    let (kind, text) = refused(&options).await;
    assert!(matches!(kind, BrokerErrorKind::Tls(_)), "{text}");
    options.ca_file = Some(ca);
    // The server wants to see a certificate of its own authority.
    let (kind, text) = refused(&options).await;
    assert!(matches!(kind, BrokerErrorKind::Tls(_)), "{text}");
    options.client_certificate = Some(own);
    let broker = Broker::connect(&options).await.unwrap();
    assert!(broker.is_encrypted());
    // A plain address to such a server is encrypted as well.
    options.servers = server.options(BrokerRole::Worker).servers;
    assert!(Broker::connect(&options).await.unwrap().is_encrypted());
}

#[tokio::test]
async fn a_lost_connection_is_made_again_and_its_limit_measured_anew() {
    let mut server = Server::start();
    let broker = server.connect(BrokerRole::Worker).await;
    assert_eq!(broker.max_message_size(), 1_048_576);
    server.kill();
    until("the loss is noticed", || async { !broker.is_connected() }).await;
    assert!(tokio::time::timeout(Duration::from_millis(100), broker.wait_connected()).await.is_err());
    server.configure("max_payload: 65536");
    server.start_again();
    broker.wait_connected().await;
    until("the new limit is known", || async { broker.max_message_size() == 65_536 }).await;
    broker.close().await;
}

/// An authority, a certificate of the server and of a client by it, and another authority.
fn certificates(folder: &Path) {
    let openssl = |arguments: &[&str]| {
        let made = Command::new("openssl").args(arguments).current_dir(folder).stderr(Stdio::piped()).output().unwrap();
        assert!(made.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&made.stderr));
    };
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    for name in ["ca", "other"] {
        let (out, keyout, subject) = (format!("{name}.pem"), format!("{name}.key"), format!("/CN={name}"));
        let mut arguments = vec!["req", "-x509", "-days", "2", "-subj", &subject, "-out", &out, "-keyout", &keyout];
        arguments.extend(key);
        openssl(&arguments);
    }
    for name in ["server", "client"] {
        let (request, keyout, subject) = (format!("{name}.csr"), format!("{name}.key"), format!("/CN={name}"));
        let mut arguments = vec!["req", "-subj", &subject, "-out", &request, "-keyout", &keyout];
        arguments.extend(key);
        openssl(&arguments);
        let extensions = format!("{name}.ext");
        std::fs::write(folder.join(&extensions), "subjectAltName=IP:127.0.0.1,DNS:localhost\n").unwrap();
        let out = format!("{name}.pem");
        openssl(&[
            "x509", "-req", "-days", "2", "-in", &request, "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
            "-extfile", &extensions, "-out", &out,
        ]);
    }
}
