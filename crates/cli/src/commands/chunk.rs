//! `war-rig chunk`: prints the chunks of one file.
//!
//! The limit applies to the source that a chunk owns. Context is added to it, in the default proportion to a prompt's source: 500 tokens of hints and
//! 2000 of declarations for 8000 of source.

use crate::args::{ChunkArgs, OutputFormat};
use crate::commands::document::warn_of_secrets;
use crate::commands::facts::read_one;
use crate::exit::ExitStatus;
use crate::failure::{CommandError, Failure};
use crate::printer::{Printer, sanitize_line};
use crate::settings::Settings;
use serde::Serialize;
use war_rig_chunker::{
    ChunkContext, ChunkLimits, CodeChunk, ContextBlock, ContextIndex, ContextLimit, SourceMeasure, chunk,
};
use war_rig_cobol::comments::head_comment;
use war_rig_estimator::{ContextShares, TokenCount, TokenCounter};
use war_rig_pool::ParsedSource;
use war_rig_scribe::PromptRenderer;
use war_rig_text::SourceText;

/// Splits the file that the arguments name.
///
/// # Errors
/// A failure with status 3 when the file cannot be read or a single line exceeds the limit; usage failures.
pub fn run(args: &ChunkArgs, settings: &Settings, printer: &Printer) -> Result<ExitStatus, CommandError> {
    let (sources, prepared) = read_one(&args.file, settings, printer)?;
    drop(sources);
    warn_of_secrets(&args.file.display().to_string(), &prepared.secret_lines(), settings, printer);
    let counter = TokenCounter::new(settings.scribe.encoding);
    let measure = SourceMeasure::of(&prepared.source, prepared.analysis.parsed(), &counter);
    let limits = ChunkLimits::of_source(TokenCount::new(args.max_tokens.into()));
    let chunks = chunk(&prepared.source, &prepared.analysis, &measure, &limits);
    if let Some(over) = chunks.iter().find(|chunk| !chunk.fits) {
        let message = format!(
            "{}: line {}: {} tokens exceed the limit of {}",
            args.file.display(),
            over.lines.start(),
            over.estimated_tokens,
            args.max_tokens
        );
        return Err(Failure::new(ExitStatus::TicketsFailed, message)
            .with_hint("raise --max-tokens, or break the line")
            .into());
    }
    let encoding = counter.encoding().as_str();
    let contexts = contexts(&prepared, &chunks, counter, limits.source);
    let listing = ChunkListing {
        file: args.file.display().to_string(),
        encoding,
        max_tokens: args.max_tokens,
        total_lines: prepared.source.line_count(),
        source_tokens: measure.all_source_tokens().get(),
        chunks: chunks
            .iter()
            .zip(contexts)
            .map(|(chunk, context)| ListedChunk::of(chunk, &context, &prepared.source))
            .collect(),
    };
    let text = match args.print.format {
        OutputFormat::Text => listing.to_text(),
        OutputFormat::Json => {
            let json = serde_json::to_string_pretty(&listing)
                .map_err(|error| Failure::internal("the chunks cannot be printed").with_source(error))?;
            format!("{json}\n")
        }
    };
    printer.data(&text)?;
    Ok(ExitStatus::Ok)
}

/// Returns the context of each chunk, within the default shares for the source that it owns.
fn contexts(
    prepared: &ParsedSource,
    chunks: &[CodeChunk],
    counter: TokenCounter,
    source_limit: TokenCount,
) -> Vec<ChunkContext> {
    let ParsedSource { source, analysis, .. } = prepared;
    let frame = PromptRenderer::new(counter);
    let mut prices = frame.context_prices(source);
    let shares = ContextShares::for_source(source_limit);
    let limit = ContextLimit { shares, room: shares.total() };
    match chunks {
        [whole] => {
            vec![ContextIndex::for_whole_file(source, analysis, &limit, prices.for_chunk(whole.lines))]
        }
        chunks => {
            let comment = head_comment(source, analysis.parsed());
            let index = ContextIndex::of(source, analysis).with_comment(comment);
            let of = |chunk: &CodeChunk| index.for_chunk(chunk.lines, &limit, prices.for_chunk(chunk.lines));
            chunks.iter().map(of).collect()
        }
    }
}

#[derive(Serialize)]
struct ChunkListing {
    file: String,
    encoding: &'static str,
    max_tokens: u32,
    total_lines: usize,
    source_tokens: u64,
    chunks: Vec<ListedChunk>,
}

#[derive(Serialize)]
struct ListedChunk {
    chunk_id: String,
    start_line: u32,
    end_line: u32,
    context_type: &'static str,
    parent_context: String,
    estimated_tokens: u64,
    labels: Vec<String>,
    content: String,
    context: Vec<ContextBlock>,
}

impl ListedChunk {
    fn of(chunk: &CodeChunk, context: &ChunkContext, source: &SourceText) -> Self {
        Self {
            chunk_id: chunk.chunk_id.clone(),
            start_line: chunk.lines.start().get(),
            end_line: chunk.lines.end().get(),
            context_type: chunk.context_type.as_str(),
            parent_context: chunk.parent_context.clone(),
            estimated_tokens: chunk.estimated_tokens.get(),
            labels: chunk.labels.clone(),
            content: source.lines_in(chunk.lines).map(|line| line.visible()).collect::<Vec<_>>().join("\n"),
            context: context.blocks().to_vec(),
        }
    }
}

impl ChunkListing {
    fn to_text(&self) -> String {
        let mut text = format!(
            "{}: {} lines, {} tokens ({}), {} of at most {}\n",
            sanitize_line(&self.file),
            self.total_lines,
            self.source_tokens,
            self.encoding,
            if self.chunks.len() == 1 { "1 chunk".to_owned() } else { format!("{} chunks", self.chunks.len()) },
            self.max_tokens
        );
        for part in &self.chunks {
            let lines = format!("{}-{}", part.start_line, part.end_line);
            let labels = match part.labels.as_slice() {
                [] => part.parent_context.clone(),
                [only] => only.clone(),
                [first, .., last] => format!("{first} to {last}"),
            };
            let row = format!(
                "{}  lines {lines:13} {:>6} tokens  {:9}  {labels}",
                part.chunk_id, part.estimated_tokens, part.context_type
            );
            text.push_str(sanitize_line(row.trim_end()).as_ref());
            text.push('\n');
        }
        text
    }
}
