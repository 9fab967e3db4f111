//! The output folder: a document a source, the index, and the run's report.
//!
//! A file is written beside its place and then renamed, so that what stands there is absent, old and whole, or new and whole.

use crate::failure::Failure;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use war_rig_pool::{DocumentSink, SourceId};
use war_rig_template::{Document, document_name};

use crate::sources::{Inventory, normal};

/// The folder that documents are written to.
pub struct OutputFolder {
    root: PathBuf,
    sources: Arc<Inventory>,
    storage_failed: AtomicBool,
}

impl OutputFolder {
    /// Makes the folder and tries whether it can be written, so that a full or read-only one is found before the work.
    ///
    /// # Errors
    /// A storage failure when it cannot be made or written.
    pub fn open(root: &Path, sources: Arc<Inventory>) -> Result<Self, Failure> {
        let fail = |error| {
            Failure::cannot_write(root, error)
                .with_hint("name a folder that can be written with -o; nothing was done")
        };
        std::fs::create_dir_all(root).map_err(fail)?;
        tempfile::Builder::new().prefix(".war-rig-").tempfile_in(root).map_err(fail)?;
        // Links are reckoned from names without `..`, as those of the sources are.
        let root = normal(&std::path::absolute(root).map_err(fail)?);
        Ok(Self { root, sources, storage_failed: AtomicBool::new(false) })
    }

    /// Whether some document could not be written.
    pub fn storage_failed(&self) -> bool {
        self.storage_failed.load(Ordering::Acquire)
    }

    /// Writes a file of the run itself.
    ///
    /// # Errors
    /// A storage failure.
    pub fn write_own(&self, name: &str, text: &str) -> Result<(), Failure> {
        let path = self.root.join(name);
        replace(&path, |file| file.write_all(text.as_bytes())).map_err(|error| {
            Failure::cannot_write(&path, error)
                .with_hint("the documents written so far are whole; run again once there is room")
        })
    }

    /// The path of a source's document below the folder, without extension of ours.
    pub fn document_name(file: &str) -> PathBuf {
        document_name(file).split('/').collect()
    }
}

impl DocumentSink for OutputFolder {
    fn holds(&self, source: &SourceId) -> bool {
        self.root.join(with_suffix(&Self::document_name(&source.0), "json")).exists()
    }

    fn write(&self, document: &Document) -> io::Result<()> {
        let name = Self::document_name(&document.header.file_name);
        let page = self.root.join(with_suffix(&name, "md"));
        let source = self.sources.path(&SourceId(document.header.file_name.clone()));
        let link = source.map(|source| relative(page.parent().unwrap_or(&self.root), source));
        let link = link.unwrap_or_else(|| document.header.file_name.clone());
        let json = self.root.join(with_suffix(&name, "json"));
        let written = replace(&json, |file| document.write_json(file))
            .and_then(|()| replace(&page, |file| file.write_all(document.to_markdown(&link).as_bytes())));
        if written.is_err() {
            self.storage_failed.store(true, Ordering::Release);
        }
        written
    }
}

fn with_suffix(name: &Path, suffix: &str) -> PathBuf {
    let mut name = name.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    PathBuf::from(name)
}

fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new().prefix(".war-rig-").tempfile_in(folder)?;
    let mut buffer = BufWriter::new(&mut file);
    write(&mut buffer)?;
    buffer.flush()?;
    drop(buffer);
    // Temporary files are private; a document has the rights that other new files have.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// The path from a folder to a file, with `/` between folders.
fn relative(folder: &Path, file: &Path) -> String {
    let common = folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(common).map(|_| "..".to_owned());
    let down = file.components().skip(common).map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_links_to_its_source_from_where_it_stands() {
        assert_eq!(relative(Path::new("/a/docs/cbl"), Path::new("/a/src/cbl/X.cbl")), "../../src/cbl/X.cbl");
    }
}
