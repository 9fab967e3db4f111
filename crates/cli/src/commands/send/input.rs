//! Reads the input of a message.

use crate::args::SendArgs;
use crate::failure::Failure;
use std::io::Read;
use std::path::Path;
use war_rig_envelope::Payload;
use war_rig_transport::question::MAX_INPUT_SIZE;

/// The name of an input from standard input.
const STANDARD_INPUT: &str = "standard input";

/// The extensions of text inputs, even when the content starts like JSON.
const TEXTS: [&str; 7] = ["txt", "log", "md", "jsonl", "ndjson", "csv", "tsv"];

/// Reads the whole input; returns its name and its payload.
///
/// # Errors
/// A usage failure when it cannot be read, is empty, is too large for a message, or is named JSON and is not.
pub(super) fn read(args: &SendArgs) -> Result<(String, Payload), Failure> {
    let (name, bytes) = match args.file() {
        Some(file) => (name_of(file), bytes_of(file)?),
        None => {
            let bytes = up_to_limit(std::io::stdin().lock(), STANDARD_INPUT)
                .map_err(|error| Failure::usage("standard input cannot be read").with_source(error))?;
            (STANDARD_INPUT.to_owned(), bytes?)
        }
    };
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Failure::usage(format!("{name}: there is nothing in it")));
    }
    let payload = payload(&name, bytes)?;
    Ok((name, payload))
}

fn name_of(file: &Path) -> String {
    file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned()
}

fn bytes_of(file: &Path) -> Result<Vec<u8>, Failure> {
    let cannot = |error| Failure::cannot_read(file, error);
    // Even opening a pipe would block the command.
    let known = std::fs::metadata(file).map_err(cannot)?;
    if !known.is_file() {
        return Err(cannot(std::io::Error::other("it is no regular file"))
            .with_hint("a pipe is read with `--input -`: COMMAND | war-rig send ... --input -"));
    }
    let opened = std::fs::File::open(file).map_err(cannot)?;
    up_to_limit(opened, &name_of(file)).map_err(cannot)?
}

/// Reads everything, or fails at the size limit.
fn up_to_limit(reader: impl Read, name: &str) -> std::io::Result<Result<Vec<u8>, Failure>> {
    let mut bytes = Vec::new();
    reader.take(MAX_INPUT_SIZE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 <= MAX_INPUT_SIZE {
        return Ok(Ok(bytes));
    }
    Ok(Err(Failure::usage(format!("{name}: an input may have {MAX_INPUT_SIZE} bytes, and this one has more"))
        .with_hint("war-rig extract reads inputs of any size on this machine")))
}

/// Returns JSON when the name or the content says so, otherwise text or bytes.
fn payload(name: &str, bytes: Vec<u8>) -> Result<Payload, Failure> {
    let ending = Path::new(name).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let ending = ending.to_ascii_lowercase();
    let is_json = ending == "json";
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    let may_be_json = !TEXTS.contains(&ending.as_str()) && matches!(first, Some(b'[' | b'{'));
    if is_json || may_be_json {
        match Payload::json(bytes.clone()) {
            Ok(payload) => return Ok(payload),
            Err(error) if is_json => return Err(Failure::usage(format!("{name}: {error}"))),
            Err(_) => {}
        }
    }
    Ok(Payload::text(bytes.clone()).unwrap_or_else(|_| Payload::bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_envelope::PayloadKind;

    #[test]
    fn an_input_is_what_its_name_and_its_bytes_say() {
        let kind = |name: &str, bytes: &[u8]| payload(name, bytes.to_vec()).unwrap().kind();
        assert_eq!(kind("a.json", b"3"), PayloadKind::Json);
        assert_eq!(kind("a", b" [1]"), PayloadKind::Json);
        assert_eq!(kind("a.JSONL", b"{}"), PayloadKind::Text);
        assert_eq!(kind("a", b"[1"), PayloadKind::Text);
        assert_eq!(kind("a.txt", b"\xff"), PayloadKind::Bytes);
        let refused = payload("a.json", b"[1,\n".to_vec()).unwrap_err();
        assert_eq!(refused.line(), "a.json: the payload is no JSON: line 2, column 0");
    }

    #[test]
    fn too_much_is_refused() {
        let more = std::io::repeat(b'x').take(MAX_INPUT_SIZE + 1);
        let refused = up_to_limit(more, "a").unwrap().unwrap_err();
        assert!(refused.line().starts_with("a: an input may have 134217728 bytes"), "{}", refused.line());
    }
}
