//! Logging for troubleshooting: to standard error, and at the default level without any text from a source.
//!
//! A log line carries its spans and their fields. A ticket's span has its file and the ids of its distributed trace and span. Spans are active at
//! every level, so that even a single warning of a worker leads to the coordinator's lines about the same ticket.

use crate::failure::Failure;
use std::io::{self, IsTerminal};
use tracing::Subscriber;
use tracing_subscriber::filter::{FilterExt, FilterFn, LevelFilter};
use tracing_subscriber::fmt::{MakeWriter, layer};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

/// The variable that sets the filter, such as `war_rig=debug`; it wins over `-v`.
pub const VARIABLE: &str = "WAR_RIG_LOG";

/// Libraries that log what they send and receive: prompts, answers, headers.
const SILENT: [&str; 4] = ["async_openai=off", "reqwest=off", "hyper=off", "hyper_util=off"];

/// The prefix of our own crates.
const OURS: &str = "war_rig";

/// Starts logging; `verbose` is the number of `-v` flags.
///
/// # Errors
/// A usage failure when the variable contains no valid filter.
pub fn start(verbose: u8) -> Result<(), Failure> {
    let filter = match std::env::var(VARIABLE) {
        Ok(text) if !text.trim().is_empty() => parse(&text)?,
        _ => EnvFilter::new(default_filter(verbose)),
    };
    let lines = lines(filter, io::stderr, io::stderr().is_terminal());
    tracing_subscriber::registry().with(lines).init();
    Ok(())
}

/// Formats the events that pass the filter, with or without colors.
fn lines<S, W>(filter: EnvFilter, writer: W, is_coloured: bool) -> impl Layer<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let filter = SILENT
        .iter()
        .fold(filter, |filter, silent| filter.add_directive(silent.parse().expect("our own directives are some")));
    // A span is not a line: the events in it are filtered separately.
    let spans = FilterFn::new(|metadata| metadata.is_span() && metadata.target().starts_with(OURS));
    let filter = filter.or(spans.with_max_level_hint(LevelFilter::INFO));
    layer().with_writer(writer).with_ansi(is_coloured).with_filter(filter)
}

fn parse(text: &str) -> Result<EnvFilter, Failure> {
    EnvFilter::try_new(text).map_err(|error| {
        Failure::usage(format!("{VARIABLE}: `{text}` is no log filter"))
            .with_source(error)
            .with_hint("write a level such as `debug`, or a part and its level such as `war_rig=debug`")
    })
}

/// Our own crates log more with every `-v`; others stay at warnings, because they log what they send. The transport reports what a broker's client
/// logs, once and in our own words.
fn default_filter(verbose: u8) -> &'static str {
    match verbose {
        0 => "warn,async_nats=off",
        1 => "warn,async_nats=off,war_rig=info",
        2 => "warn,async_nats=off,war_rig=debug",
        _ => "warn,async_nats=off,war_rig=trace",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    /// Returns what `log` logs under a filter.
    fn logged(filter: &str, log: impl FnOnce()) -> String {
        let written = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&written);
        let writer = move || Kept(Arc::clone(&kept));
        let lines = lines(parse(filter).unwrap(), writer, false);
        tracing::subscriber::with_default(tracing_subscriber::registry().with(lines), log);
        let written = written.lock().unwrap().clone();
        String::from_utf8(written).unwrap()
    }

    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn work() {
        let of_ours =
            tracing::info_span!(target: "war_rig_transport", "ticket", trace_id = "4bf92f35", span_id = "00f067aa");
        let _ticket = of_ours.enter();
        let of_others = tracing::info_span!(target: "async_nats", "others", secret = "x");
        let _others = of_others.enter();
        tracing::warn!(target: "war_rig_transport", attempt = 2, "given back");
        tracing::info!(target: "war_rig_transport", "taken");
        tracing::error!(target: "reqwest", "what was sent");
    }

    #[test]
    fn a_line_tells_the_trace_of_its_ticket_at_every_level() {
        let told = logged(default_filter(0), work);
        assert_eq!(told.lines().count(), 1, "{told}");
        let expected = "ticket{trace_id=\"4bf92f35\" span_id=\"00f067aa\"}: war_rig_transport: given back attempt=2";
        assert!(told.trim_end().ends_with(expected), "{told}");
        let told = logged(default_filter(1), work);
        assert_eq!(told.matches("trace_id=\"4bf92f35\"").count(), 2, "{told}");
        assert!(!told.contains("secret") && !told.contains("what was sent"), "{told}");
    }

    #[test]
    fn every_default_filter_is_one() {
        for verbose in 0..5 {
            assert!(parse(default_filter(verbose)).is_ok());
        }
        assert!(parse("war_rig=loud").is_err());
    }
}
