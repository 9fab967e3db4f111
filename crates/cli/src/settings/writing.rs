//! Which settings change what is written, so that a document made under others is not up to date.

use super::resolve::Settings;
use super::scribe::{Provider, ScribeSettings};
use super::source::SourceSettings;
use war_rig_template::DocumentHeader;
use war_rig_text::ContentHash;

impl Settings {
    /// The hash of all settings that change a document, and of how its page leads to its source: by the path from the output folder to the
    /// folder of the sources, or, where the sources are shown on the web, by that folder's path in their repository. What changes how sources are read and
    /// parsed is counted with the sources.
    ///
    /// Every setting is named here, so that a new one cannot be forgotten.
    pub fn writing(&self, sources: &str) -> ContentHash {
        // What a check lets pass changes no document, nor does the way that messages take.
        let Self { scribe, source, output: _, check: _, broker: _, targets: _, said: _ } = self;
        let ScribeSettings {
            provider,
            model,
            max_prompt_tokens,
            max_completion_tokens,
            temperature,
            encoding,
            send_temperature,
            token_ratio,
            reconcile,
            // The limits themselves are above.
            limits_set: _,
            // Where and how a model is reached is not what it says.
            base_url: _,
            api_key_env: _,
            api_version: _,
            headers: _,
            proxy: _,
            ca_file: _,
            // These decide when an answer comes, and whether one does, which its ticket knows.
            concurrency: _,
            requests_per_minute: _,
            tokens_per_minute: _,
            timeout: _,
            idle_timeout: _,
            max_wait: _,
            outage: _,
            budget: _,
            // The same question in other words for the wire.
            answer_limit: _,
            answer_format: _,
            // Of a model's entry, what changes a document is the ratio of its tokens, and that an answer may correct too: a plan that was
            // made under another is as good, and its answers are paid for.
            models: _,
        } = scribe;
        let SourceSettings {
            // Where a run begins says nothing about its sources.
            here: _,
            // Which files are sources, and what they find, shows in the sources.
            include: _,
            exclude: _,
            types: _,
            copybooks: _,
            // These are counted with each source.
            format: _,
            encoding: _,
            pointer_bytes: _,
            secrets: _,
            url,
        } = source;
        let asked = match provider {
            Provider::Static => String::new(),
            Provider::OpenAi | Provider::Replay => format!(
                "{model} {max_completion_tokens} {:?} {send_temperature} {token_ratio:?} {reconcile}",
                temperature.get()
            ),
        };
        // The static Scribe takes the same road, and its documents list the same chunks.
        let cut = format!("{max_prompt_tokens} {max_completion_tokens} {}", encoding.as_str());
        // What is written in another form is written anew.
        let version = format!("{} {}", env!("CARGO_PKG_VERSION"), DocumentHeader::VERSION);
        let sources = match url {
            Some(url) => format!("{}\n{sources}", url.as_str()),
            None => sources.to_owned(),
        };
        ContentHash::of(format!("{version}\n{asked}\n{cut}\n{sources}").as_bytes())
    }
}
