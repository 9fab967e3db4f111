//! Writes the ASCII tokens of each encoding to a file that the crate includes.
//!
//! The encoders build maps of hundreds of thousands of vectors when they are loaded, which takes longer than documenting a source. COBOL is ASCII
//! almost everywhere, so the crate counts ASCII by this list and needs the encoder for nothing else.

use std::env;
use std::error::Error;
use std::fs;
use std::path::Path;
use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = env::var_os("OUT_DIR").ok_or("cargo sets no OUT_DIR")?;
    let encoders = [("o200k_base", o200k_base_singleton()), ("cl100k_base", cl100k_base_singleton())];
    for (name, encoder) in encoders {
        fs::write(Path::new(&folder).join(format!("{name}.tokens")), ascii_tokens(encoder))?;
    }
    Ok(())
}

/// Returns the ASCII tokens in the order of their ranks, each after a byte with its length.
fn ascii_tokens(encoder: &CoreBPE) -> Vec<u8> {
    // Ranks are dense up to the first special token.
    let tokens = (0..).map_while(|rank| encoder.decode_bytes(&[rank]).ok());
    let short =
        tokens.filter(|token| token.is_ascii()).filter_map(|token| Some((u8::try_from(token.len()).ok()?, token)));
    short.flat_map(|(length, token)| [vec![length], token].concat()).collect()
}
