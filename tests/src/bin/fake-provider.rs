//! Serves a fake provider until it is ended:
//!
//! ```text
//! fake-provider [--port N] [--script NAME] [--latency MILLISECONDS] [--count yes|no]
//! ```
//! With `--count no` it counts no tokens and reports none, so that whoever measures another program does not measure this one.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a command")]

use std::process::ExitCode;
use std::time::Duration;
use war_rig_tests::fake::{FakeOptions, FakeProvider, Fault, Latency, Script, Untruth};

/// What goes wrong, by the names that it can be asked for.
fn scripts() -> Vec<(&'static str, Script)> {
    let second = Some("1".to_owned());
    vec![
        ("perfect", Script::default()),
        (
            "busy",
            Script::when(move |asked| (asked.order % 4 == 3).then(|| Fault::RateLimited(second.clone()))),
        ),
        ("flaky", Script::when(|asked| (asked.order % 5 == 4).then_some(Fault::Status(503)))),
        ("down", Script::always(Fault::Status(503))),
        ("no-key", Script::always(Fault::Unauthorized)),
        ("no-quota", Script::always(Fault::Quota)),
        ("no-model", Script::always(Fault::UnknownModel)),
        ("reset", Script::each(1, Fault::Reset)),
        ("slow", Script::always(Fault::Drip { bytes: 200, pause: Duration::from_millis(200) })),
        ("stall", Script::each(1, Fault::Stall)),
        ("truncate", Script::when(|asked| (asked.rows > 100).then_some(Fault::Truncated))),
        ("refuse", Script::always(Fault::Refused)),
        ("fenced", Script::always(Fault::Fenced)),
        ("bad-item", Script::always(Fault::BadItem)),
        ("shifted", Script::always(Fault::Untrue(Untruth::Shifted(7)))),
        ("inventive", Script::always(Fault::Untrue(Untruth::InventedParagraph { quoted: true }))),
        ("obedient", Script::always(Fault::Untrue(Untruth::Obedient))),
        ("forgetful", Script::always(Fault::Untrue(Untruth::Forgetful))),
    ]
}

fn main() -> ExitCode {
    match options() {
        Ok(options) => {
            let fake = FakeProvider::start(options);
            println!("{}", fake.base_url());
            loop {
                std::thread::park();
            }
        }
        Err(error) => {
            eprintln!("fake-provider: {error}");
            ExitCode::FAILURE
        }
    }
}

fn options() -> Result<FakeOptions, String> {
    let mut options = FakeOptions::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let value = arguments.next().ok_or(format!("`{argument}` needs a value"))?;
        match argument.as_str() {
            "--port" => options.port = value.parse().map_err(|_| format!("`{value}` is no port"))?,
            "--script" => {
                let names = || scripts().iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
                let found = scripts().into_iter().find(|(name, _)| *name == value);
                options.script = found.ok_or_else(|| format!("there is no `{value}` among {}", names()))?.1;
            }
            "--latency" => {
                let latency = value.parse().map_err(|_| format!("`{value}` is no number of milliseconds"))?;
                options.latency = Latency::Fixed(Duration::from_millis(latency));
            }
            "--count" if value == "no" => options.tokenizer = None,
            "--count" if value == "yes" => {}
            "--count" => return Err(format!("`{value}` is neither yes nor no")),
            other => return Err(format!("`{other}` is none of --port, --script, --latency and --count")),
        }
    }
    Ok(options)
}
