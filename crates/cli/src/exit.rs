//! The exit codes: one closed list, from which `--help` prints its table.

use std::fmt::Write;
use std::process::ExitCode;
use strum::VariantArray;

/// The exit status of the program. Scripts branch on these numbers, so none ever changes its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray)]
#[repr(u8)]
pub enum ExitStatus {
    /// Everything that was requested is done.
    Ok = 0,
    /// A bug in this program.
    Internal = 1,
    /// The arguments or the settings are invalid; nothing was done.
    Usage = 2,
    /// The run finished, but not every file has its document.
    TicketsFailed = 3,
    /// A gate requested with `--fail-on` failed.
    GateFailed = 4,
    /// Questions wait in batches; the same command goes on when they are answered.
    Waiting = 5,
    /// The store cannot be used.
    StoreUnusable = 10,
    /// Another process has locked the store.
    Locked = 11,
    /// The provider rejects the key, or its quota is exhausted.
    Authentication = 12,
    /// The spending limit is reached.
    SpendCap = 13,
    /// The provider or the broker does not answer.
    Unavailable = 14,
    /// A file cannot be written.
    Storage = 15,
    /// Ctrl-C: 128 and the number of the signal, as shells report it.
    Interrupted = 130,
    /// A termination request, in the same way.
    Terminated = 143,
}

impl ExitStatus {
    /// Every status, ordered by code.
    pub const ALL: &[ExitStatus] = ExitStatus::VARIANTS;

    /// The exit code of the process.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The description of the status, used in `--help` and in the README.
    pub fn meaning(self) -> &'static str {
        match self {
            ExitStatus::Ok => "ok",
            ExitStatus::Internal => "internal error",
            ExitStatus::Usage => "usage or configuration",
            ExitStatus::TicketsFailed => "finished, some tickets failed",
            ExitStatus::GateFailed => "a gate failed (--fail-on)",
            ExitStatus::Waiting => "questions wait in batches, run again later",
            ExitStatus::StoreUnusable => "store missing, corrupt or newer",
            ExitStatus::Locked => "locked by another process",
            ExitStatus::Authentication => "authentication or quota",
            ExitStatus::SpendCap => "spend cap reached",
            ExitStatus::Unavailable => "provider or broker unavailable",
            ExitStatus::Storage => "storage (disk full, read-only)",
            ExitStatus::Interrupted => "interrupted (Ctrl-C)",
            ExitStatus::Terminated => "interrupted (terminated)",
        }
    }

    /// Returns the table of all codes, one per line, indented like help texts.
    pub fn table() -> String {
        let mut table = String::from("Exit codes:\n");
        for status in ExitStatus::ALL {
            writeln!(table, "  {:<4} {}", status.code(), status.meaning()).expect("a string takes every write");
        }
        table
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        ExitCode::from(status.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_rise_and_none_is_used_twice() {
        assert!(ExitStatus::ALL.windows(2).all(|pair| pair[0].code() < pair[1].code()));
    }

    #[test]
    fn the_table_has_a_line_for_every_code() {
        let table = ExitStatus::table();
        assert_eq!(table.lines().count(), ExitStatus::ALL.len() + 1);
        assert!(table.contains("  0    ok\n"), "{table}");
        assert!(table.contains("  15   storage (disk full, read-only)\n"), "{table}");
    }
}
