//! Why a command failed, in the words the user reads.

use crate::exit::ExitStatus;
use std::error::Error;
use std::io;
use std::path::Path;

/// A failure that ends the program.
///
/// The message is lowercase, without a full stop, file and line first and the offending value in backticks. A lower layer's error goes into the
/// source, never into the message as well; advice goes into the hint.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    status: ExitStatus,
    message: String,
    excerpt: Vec<String>,
    hint: Option<String>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl Failure {
    /// Creates a failure that ends the program with `status`.
    pub fn new(status: ExitStatus, message: impl Into<String>) -> Self {
        Failure { status, message: message.into(), excerpt: Vec::new(), hint: None, source: None }
    }

    /// Creates the failure for invalid arguments or settings.
    pub fn usage(message: impl Into<String>) -> Self {
        Failure::new(ExitStatus::Usage, message)
    }

    /// Creates the failure for a bug in this program.
    pub fn internal(message: impl Into<String>) -> Self {
        Failure::new(ExitStatus::Internal, message)
    }

    /// Creates the failure for a file or folder, named by the user, that cannot be read.
    pub fn cannot_read(path: &Path, error: io::Error) -> Self {
        Failure::usage(format!("cannot read `{}`", path.display())).with_source(error)
    }

    /// Creates the failure for a file or folder that cannot be written.
    pub fn cannot_write(path: &Path, error: io::Error) -> Self {
        Failure::new(ExitStatus::Storage, format!("cannot write `{}`", path.display())).with_source(error)
    }

    /// Adds a hint.
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        self.with_optional_hint(Some(hint))
    }

    /// Adds a hint, if there is one.
    pub fn with_optional_hint(mut self, hint: Option<impl Into<String>>) -> Self {
        self.hint = hint.map(Into::into).or(self.hint);
        self
    }

    /// Adds lines that show where the error is.
    pub fn with_excerpt(mut self, excerpt: Vec<String>) -> Self {
        self.excerpt = excerpt;
        self
    }

    /// Adds the error that caused it.
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Returns the exit status.
    pub fn status(&self) -> ExitStatus {
        self.status
    }

    /// Returns the lines that show where the error is, if any.
    pub fn excerpt(&self) -> &[String] {
        &self.excerpt
    }

    /// Returns the hint, if any.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Returns the message followed by its causes, outermost first, on one line.
    pub fn line(&self) -> String {
        let causes = std::iter::successors(self.source(), |error| (**error).source());
        causes.fold(self.message.clone(), |line, cause| format!("{line}: {cause}"))
    }
}

/// Why a command stops early.
#[derive(Debug)]
pub enum CommandError {
    /// The reader of standard output has exited, as `head` does. That is not a failure.
    OutputClosed,
    /// Something failed.
    Failed(Failure),
}

impl From<Failure> for CommandError {
    fn from(failure: Failure) -> Self {
        CommandError::Failed(failure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_follow_the_message_on_its_line() {
        let inner = Failure::internal("the disk is gone");
        let failure = Failure::usage("cannot read `a`").with_source(inner).with_hint("look under the desk");
        assert_eq!(failure.to_string(), "cannot read `a`");
        assert_eq!(failure.line(), "cannot read `a`: the disk is gone");
        assert_eq!(failure.hint(), Some("look under the desk"));
        assert_eq!(failure.status(), ExitStatus::Usage);
    }
}
