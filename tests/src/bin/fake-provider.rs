//! Serves a fake provider until it is ended:
//!
//! ```text
//! fake-provider [--port N] [--script NAME] [--latency MILLISECONDS] [--count yes|no]
//! ```
//! With `--count no` it counts no tokens and reports none, so that whoever measures another program does not measure this one.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a command")]

use std::process::ExitCode;
use std::time::Duration;
use war_rig_tests::fake::{CallFault, FakeOptions, FakeProvider, FalseClaim, FaultScript, Latency};

/// What goes wrong, by the names that it can be asked for.
fn scripts() -> Vec<(&'static str, FaultScript)> {
    let second = Some("1".to_owned());
    vec![
        ("perfect", FaultScript::default()),
        (
            "busy",
            FaultScript::when(move |asked| (asked.order % 4 == 3).then(|| CallFault::RateLimited(second.clone()))),
        ),
        ("flaky", FaultScript::when(|asked| (asked.order % 5 == 4).then_some(CallFault::Status(503)))),
        ("down", FaultScript::always(CallFault::Status(503))),
        ("no-key", FaultScript::always(CallFault::Unauthorized)),
        ("no-quota", FaultScript::always(CallFault::Quota)),
        ("no-model", FaultScript::always(CallFault::UnknownModel)),
        ("reset", FaultScript::each(1, CallFault::Reset)),
        ("slow", FaultScript::always(CallFault::Drip { bytes: 200, pause: Duration::from_millis(200) })),
        ("stall", FaultScript::each(1, CallFault::Stall)),
        ("truncate", FaultScript::when(|asked| (asked.rows > 100).then_some(CallFault::Truncated))),
        ("refuse", FaultScript::always(CallFault::Refused)),
        ("fenced", FaultScript::always(CallFault::Fenced)),
        ("bad-item", FaultScript::always(CallFault::BadItem)),
        ("shifted", FaultScript::always(CallFault::Untrue(FalseClaim::Shifted(7)))),
        ("inventive", FaultScript::always(CallFault::Untrue(FalseClaim::InventedParagraph { quoted: true }))),
        ("obedient", FaultScript::always(CallFault::Untrue(FalseClaim::Obedient))),
        ("forgetful", FaultScript::always(CallFault::Untrue(FalseClaim::Forgetful))),
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
