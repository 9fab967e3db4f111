//! What happens with passwords and keys in a source, before anything is made from it.

use std::sync::Arc;
use war_rig_cobol::LexedSource;
use war_rig_secrets::{FoundSecret, KnownSecrets, SecretRules, find_secrets, find_secrets_in_text};
use war_rig_text::{ContentHash, LineNumber, SourceText};

/// What happens with a source that contains a suspected secret.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SecretPolicy {
    /// The secret is reported, and nothing else.
    Warn,
    /// The secret is shown as a row of X wherever the source is shown, in prompts and in documents.
    #[default]
    Redact,
    /// The source is refused.
    Block,
}

/// How secrets are detected and handled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screening {
    /// What happens with a source that contains one.
    pub policy: SecretPolicy,
    /// The words and patterns that identify them.
    pub table: Arc<SecretRules>,
}

impl Default for Screening {
    fn default() -> Self {
        Self { policy: SecretPolicy::default(), table: SecretRules::built_in() }
    }
}

/// A source that was searched for secrets.
#[derive(Debug, Clone)]
pub struct ScreenedSource {
    /// Its lines, masked if the policy requires it.
    pub source: SourceText,
    /// The same lines as tokens.
    pub lexed: Arc<LexedSource>,
    /// The secrets found, in line order.
    pub secrets: Vec<FoundSecret>,
}

impl Screening {
    /// Finds a source's own secrets and those known from elsewhere, and masks both if the policy requires it. The caller refuses the source.
    pub fn screen(&self, source: SourceText, known: &KnownSecrets) -> ScreenedSource {
        let lexed = LexedSource::of(&source);
        let secrets = find_secrets(&source, &lexed, &self.table, known);
        if self.policy != SecretPolicy::Redact || secrets.is_empty() {
            return ScreenedSource { source, lexed: Arc::new(lexed), secrets };
        }
        let source = masked(source, &secrets);
        ScreenedSource { lexed: Arc::new(LexedSource::of_masked(&source)), source, secrets }
    }

    /// Does the same for a source that is not COBOL.
    pub fn screen_text(&self, source: SourceText, known: &KnownSecrets) -> (SourceText, Vec<FoundSecret>) {
        let secrets = find_secrets_in_text(&source, &self.table, known);
        if self.policy != SecretPolicy::Redact || secrets.is_empty() {
            return (source, secrets);
        }
        (masked(source, &secrets), secrets)
    }
}

fn masked(source: SourceText, secrets: &[FoundSecret]) -> SourceText {
    let stretches: Vec<_> = secrets.iter().flat_map(|secret| secret.spans.iter().cloned()).collect();
    source.masked(&stretches)
}

/// Returns the digest of the known secrets in a source, which are masked wherever they are named; `None` if it contains none.
pub(crate) fn known_secrets_digest(source: &SourceText, known: &KnownSecrets) -> Option<ContentHash> {
    if !known.may_occur_in(source.characters()) {
        return None;
    }
    let lines: String = source.lines().flat_map(|line| [line.text(), "\n"]).collect();
    known.digest(&lines)
}

impl SecretPolicy {
    /// The names of the policies in settings.
    pub const NAMES: [(&'static str, SecretPolicy); 3] =
        [("warn", SecretPolicy::Warn), ("redact", SecretPolicy::Redact), ("block", SecretPolicy::Block)];

    /// Returns the notice about one secret, without its line.
    pub fn notice(self, secret: &FoundSecret) -> String {
        match self {
            SecretPolicy::Redact => format!("{secret} and is shown as XXXXXXXX"),
            SecretPolicy::Warn | SecretPolicy::Block => secret.to_string(),
        }
    }

    /// Returns a one-sentence warning about a file whose secrets begin on these lines.
    pub fn warning(self, lines: &[LineNumber]) -> String {
        let mut numbers: Vec<u32> = lines.iter().map(|line| line.get()).collect();
        numbers.dedup();
        let shown: Vec<String> = numbers.iter().take(LINES_NAMED).map(u32::to_string).collect();
        let more = match numbers.len() - shown.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let (line, verb) = if numbers.len() == 1 { ("line", "holds") } else { ("lines", "hold") };
        let done = match self {
            SecretPolicy::Warn => "it is shown as it is",
            SecretPolicy::Redact => "it is shown as XXXXXXXX",
            SecretPolicy::Block => "nothing of the file is used",
        };
        format!("{line} {}{more} {verb} what looks like a secret; {done}", shown.join(", "))
    }
}

/// How many lines a warning names, so that it fits on one line.
const LINES_NAMED: usize = 20;
