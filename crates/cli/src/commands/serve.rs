//! `war-rig serve`: a site over HTTP.
//!
//! Only the files that `site.json` lists are served, as they are on the disk; the search asks the catalogue. Nothing can be written.
//!
//! A page in the same browser that comes from elsewhere must not read an estate through this server. A name that leads to this machine is refused
//! unless it is known (`Host`), and what another site's page asks for is refused (`Sec-Fetch-Site`, `Cross-Origin-Resource-Policy`).

mod live_search;

use crate::args::ServeArgs;
use crate::commands::site::SiteList;
use crate::exit::ExitStatus;
use crate::failure::{CommandError, Failure};
use crate::metrics;
use crate::printer::Printer;
use crate::runtime;
use crate::settings::Settings;
use crate::signals::{RunResult, Signals, listen_with};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HOST, IF_NONE_MATCH, REFERRER_POLICY};
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use live_search::{LiveQuestion, LiveSearch};
use parking_lot::Mutex;
use percent_encoding::percent_decode_str;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use tokio::runtime::Builder;
use tokio::sync::Notify;

/// Serves a site until a signal ends it.
///
/// # Errors
/// A usage failure if the folder holds no site or the address cannot be bound.
pub fn run(args: &ServeArgs, settings: &Settings, printer: &Printer) -> Result<ExitStatus, CommandError> {
    let files = SiteFiles::open(&args.site)?;
    let search = match LiveSearch::open(args, settings) {
        Ok(search) => Some(search),
        Err(why) => {
            printer.note(&format!("the search is the site's own: {}", why.line()));
            None
        }
    };
    let bound = metrics::bind("--address", args.address)?;
    let address = bound.address;
    let runtime = runtime::start(Builder::new_multi_thread().worker_threads(2), "the server cannot start")?;
    let server = Arc::new(SiteServer { files, search, hosts: args.host.clone() });
    let stop = Arc::new(Notify::new());
    let signals = Signals::begin(&runtime, printer)?;
    let ended = runtime.block_on(async {
        let listener = bound.listen()?;
        let router = Router::new()
            .route("/_search/ask.js", get(ask))
            .fallback(file)
            .layer(middleware::from_fn_with_state(Arc::clone(&server), guard))
            .with_state(server);
        printer.note(&format!("`{}` is served at http://{address}/; Ctrl-C ends it", args.site.display()));
        let stopped = Arc::clone(&stop);
        let serve = axum::serve(listener, router).with_graceful_shutdown(async move { stopped.notified().await });
        Ok::<_, Failure>(listen_with(signals, serve.into_future(), Some(&|| stop.notify_one()), printer).await)
    })?;
    match ended {
        RunResult::Ended(Ok(()), status) => Ok(status.unwrap_or(ExitStatus::Ok)),
        RunResult::Ended(Err(error), _) => Err(Failure::internal("the server ended").with_source(error).into()),
        RunResult::CutOff(status) => Ok(status),
    }
}

/// What is served.
struct SiteServer {
    files: SiteFiles,
    search: Option<LiveSearch>,
    /// Names of this server.
    hosts: Vec<String>,
}

impl SiteServer {
    /// Whether a browser may reach this server under the name of a `Host` header. Addresses cannot be made to lead here by others.
    fn is_known(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.chars().all(|c| c.is_ascii_digit()) => name,
            _ => host,
        };
        let name = name.trim_start_matches('[').trim_end_matches(']');
        name.parse::<IpAddr>().is_ok()
            || name.eq_ignore_ascii_case("localhost")
            || self.hosts.iter().any(|known| known.eq_ignore_ascii_case(name))
    }
}

/// The files of a site.
struct SiteFiles {
    root: PathBuf,
    /// The list, with the time of its file: a site that is made again is served as it is then.
    list: Mutex<(Option<SystemTime>, Arc<SiteList>)>,
}

impl SiteFiles {
    fn open(root: &Path) -> Result<Self, Failure> {
        let hint = "`war-rig site` makes a site";
        let list = SiteList::read(root)?
            .ok_or_else(|| Failure::usage(format!("`{}` holds no site", root.display())).with_hint(hint))?;
        Ok(Self { root: root.to_owned(), list: Mutex::new((SiteList::modified(root), Arc::new(list))) })
    }

    /// Returns the list as it is now.
    fn list(&self) -> Arc<SiteList> {
        let modified = SiteList::modified(&self.root);
        let mut known = self.list.lock();
        if known.0 != modified {
            // While it is replaced, the one before holds.
            if let Ok(Some(list)) = SiteList::read(&self.root) {
                *known = (modified, Arc::new(list));
            }
        }
        Arc::clone(&known.1)
    }
}

/// Refuses what does not come from a page of this server or from its user, and marks every answer as of this server alone.
async fn guard(State(server): State<Arc<SiteServer>>, request: Request, next: Next) -> Response {
    if let Some((status, why)) = refusal(&server, &request) {
        return (status, why).into_response();
    }
    let mut response = next.run(request).await;
    let marks = [
        ("x-content-type-options", "nosniff"),
        ("cross-origin-resource-policy", "same-origin"),
        ("content-security-policy", "frame-ancestors 'self'"),
        (REFERRER_POLICY.as_str(), "no-referrer"),
    ];
    for (name, value) in marks {
        response.headers_mut().insert(HeaderName::from_static(name), value.parse().expect("a plain value"));
    }
    response
}

fn refusal(server: &SiteServer, request: &Request) -> Option<(StatusCode, &'static str)> {
    let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    let host = header(HOST.as_str()).or_else(|| request.uri().host());
    let is_from_elsewhere = header("sec-fetch-site").is_some_and(|site| !matches!(site, "same-origin" | "none"));
    if !host.is_some_and(|host| server.is_known(host)) {
        let why = "This server is not known by that name; `war-rig serve --host NAME` makes it known.\n";
        return Some((StatusCode::FORBIDDEN, why));
    }
    if is_from_elsewhere && header("sec-fetch-mode") != Some("navigate") {
        return Some((StatusCode::FORBIDDEN, "Pages of other sites cannot read this one.\n"));
    }
    let is_reading = matches!(*request.method(), Method::GET | Method::HEAD);
    (!is_reading).then_some((StatusCode::METHOD_NOT_ALLOWED, "This server can only be read.\n"))
}

/// Answers with a file of the site.
async fn file(State(server): State<Arc<SiteServer>>, uri: Uri, headers: HeaderMap) -> Response {
    let path = percent_decode_str(uri.path()).decode_utf8_lossy();
    let path = match path.trim_start_matches('/') {
        "" => "index.html".to_owned(),
        path => path.to_owned(),
    };
    if let Some(search) = server.search.as_ref().filter(|_| path == "_search/begin.js") {
        return script(search.begin());
    }
    let read = tokio::task::spawn_blocking(move || {
        let list = server.files.list();
        let hash = list.hash(&path)?;
        let place = server.files.root.join(&path);
        // What is not a file any more is no part of the site.
        let bytes =
            std::fs::symlink_metadata(&place).ok().filter(std::fs::Metadata::is_file).map(|_| std::fs::read(&place));
        Some((content_type(&path), format!("\"{hash}\""), bytes?))
    });
    match read.await {
        Ok(Some((kind, tag, Ok(bytes)))) => {
            let is_known = headers.get(IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
            let about = [(CONTENT_TYPE, kind), (ETAG, tag.as_str()), (CACHE_CONTROL, "no-cache")];
            match is_known {
                true => (StatusCode::NOT_MODIFIED, about).into_response(),
                false => (about, bytes).into_response(),
            }
        }
        Ok(Some((.., Err(_)))) | Err(_) => {
            (StatusCode::INTERNAL_SERVER_ERROR, "The file cannot be read.\n").into_response()
        }
        Ok(None) => (StatusCode::NOT_FOUND, "No page of the site has this address.\n").into_response(),
    }
}

/// Answers what was typed into a search.
async fn ask(State(server): State<Arc<SiteServer>>, uri: Uri) -> Response {
    let question = LiveQuestion::of(uri.query().unwrap_or_default());
    let answer =
        tokio::task::spawn_blocking(move || server.search.as_ref().map(|search| search.answer(&question))).await;
    match answer {
        Ok(Some(Ok(answer))) => script(answer),
        Ok(Some(Err(failure))) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{}\n", failure.line())).into_response(),
        Ok(None) => (StatusCode::NOT_FOUND, "The search is the site's own.\n").into_response(),
        Err(_) => (StatusCode::INTERNAL_SERVER_ERROR, "The catalogue cannot be asked.\n").into_response(),
    }
}

fn script(text: String) -> Response {
    ([(CONTENT_TYPE, content_type("x.js")), (CACHE_CONTROL, "no-store")], text).into_response()
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        _ => "text/plain; charset=utf-8",
    }
}
