//! The settings that affect the documents; a document written under other settings is not up to date.

use super::resolve::Settings;
use super::scribe::{Provider, ScribeSettings};
use super::source::SourceSettings;
use war_rig_template::DocumentHeader;
use war_rig_text::ContentHash;

impl Settings {
    /// Returns the hash of all settings that affect a document, and of its page's link to the source. `sources` is the path from the output folder to
    /// the sources or, when the sources are published on the web, their folder's path in the repository. Settings that affect reading and parsing are
    /// hashed with the sources.
    ///
    /// Every setting is named here, so that a new one cannot be forgotten.
    pub fn writing(&self, sources: &str) -> ContentHash {
        // Secrets are screened where a source is read, and hashed with it. What a check tolerates affects no document, and neither do the settings for messages.
        let Self { scribe, source, secrets: _, output: _, check: _, broker: _, targets: _, said: _ } = self;
        let ScribeSettings {
            provider,
            model,
            max_prompt_tokens,
            max_completion_tokens,
            temperature,
            encoding,
            send_temperature,
            reasoning_effort,
            token_ratio,
            reconcile,
            overview_model,
            // The limits themselves are above.
            limits_set: _,
            // How a model is reached does not affect its answers.
            base_url: _,
            api_key_env: _,
            api_version: _,
            headers: _,
            proxy: _,
            ca_file: _,
            // These affect when an answer arrives, and whether one does, which the ticket records.
            concurrency: _,
            requests_per_minute: _,
            tokens_per_minute: _,
            timeout: _,
            idle_timeout: _,
            max_wait: _,
            outage: _,
            budget: _,
            // What is written about functions stands on pages of its own, which a run compares by itself.
            functions: _,
            // The tier affects the price of an answer, and when it comes; so do batches.
            service_tier: _,
            batch_requests: _,
            batch_megabytes: _,
            batch_tokens: _,
            batch_poll: _,
            batch_again: _,
            // The same question, encoded differently in the request.
            answer_limit: _,
            answer_format: _,
            // Of a model's entry, the token ratio affects a document, and an answer may correct the ratio, too. A plan that was made with another
            // ratio is as good, and its answers are paid for.
            models: _,
        } = scribe;
        let SourceSettings {
            // Where a run starts says nothing about its sources.
            here: _,
            paths: _,
            // The sources themselves show which files they are and what they find.
            include: _,
            exclude: _,
            types: _,
            copybooks: _,
            // These are hashed with each source.
            format: _,
            encoding: _,
            pointer_bytes: _,
            url,
        } = source;
        let temperature = temperature.get();
        let asked = format!(
            "{model} {max_completion_tokens} {temperature:?} {send_temperature} {reasoning_effort:?} {token_ratio:?} {reconcile} {overview_model:?}"
        );
        let asked = if *provider == Provider::Static { String::new() } else { asked };
        // The static Scribe follows the same plan, and its documents list the same chunks.
        let cut = format!("{max_prompt_tokens} {max_completion_tokens} {}", encoding.as_str());
        // A new document format requires new documents.
        let version = format!("{} {}", env!("CARGO_PKG_VERSION"), DocumentHeader::VERSION);
        let sources = match url {
            Some(url) => format!("{}\n{sources}", url.as_str()),
            None => sources.to_owned(),
        };
        ContentHash::of(format!("{version}\n{asked}\n{cut}\n{sources}").as_bytes())
    }
}
