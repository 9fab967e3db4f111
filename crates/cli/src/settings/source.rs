//! The sections `[source]`, `[secrets]` and `[output]`: the options, and the typed settings for the commands.

use super::globs::Globs;
use super::table::section;
use super::validate::{Setting, set};
use crate::failure::Failure;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use war_rig_cobol::PointerSize;
use war_rig_estate::{PinnedFunction, SourceKind};
use war_rig_pool::SecretPolicy;
use war_rig_secrets::SecretRules;
use war_rig_template::SourceUrl;
use war_rig_text::{Encoding, ReadOptions, SourceFormat};

section! {
    /// What is read, and how.
    SourceOptions => SourceSettings at "source" {
        /// The folders and files that `document`, `plan`, `facts` and `check` read when none is named, beside this file, such as ["src"].
        paths: Vec<String> = [] => paths: Vec<PathBuf> = folders;
        /// The files that are sources, by their path below the folder that holds them all; letters match in either case.
        include: Vec<String> = usual_names() => include: Globs = globs;
        /// Files that are left out all the same.
        exclude: Vec<String> = [] => exclude: Globs = globs;
        /// What files without extensions are (cobol, copybook, jcl, bms, csd, ddl, ims, asm, ignore), such as { "cbl/*" = "cobol" }.
        types: BTreeMap<String, String> = BTreeMap::new() => types: TypeRules = types;
        /// Folders of copybooks beside this file, searched in order, such as ["cpy"].
        copybooks: Vec<String> = [] => copybooks: Vec<PathBuf> = folders,
            flag("--copybooks DIR", "A folder of copybooks; repeat for more, the first match wins");
        /// The reference format: `auto`, `fixed`, `free`, or `terminal` for free format with comments that begin with `*` in column 1.
        format: String = "auto" => format: Option<SourceFormat> = named(&FORMATS),
            flag("--source-format FORMAT", "The reference format of the sources",
                value_parser(FORMATS.map(|(name, _)| name)));
        /// The encoding of the sources: `auto`, `utf-8`, `iso-8859-1`, or an EBCDIC code page such as `ibm037`.
        encoding: String = "auto" => encoding: Option<Encoding> = encoding,
            flag("--source-encoding NAME", "The encoding of the sources: auto, utf-8, iso-8859-1, or an EBCDIC code page such as ibm037");
        /// The bytes of a pointer: 4 or 8.
        pointer_bytes: i64 = 4 => pointer_bytes: PointerSize = pointer_bytes;
        /// The address under which the repository of the sources is shown, such as "https://github.com/OWNER/NAME/blob/main": pages link
        /// there and not to the files. One with {path}, {start} and {end} says itself where path and lines belong.
        url: String = "" => url: Option<SourceUrl> = source_url,
            flag("--source-url URL", "Link pages to the sources at URL, where their repository is shown, such as `https://github.com/OWNER/NAME/blob/main`");
    }
    derived {
        /// The folder that the run begins in, as an absolute path.
        here: PathBuf = here,
    }
}

section! {
    /// What is done with secrets in the sources.
    SecretOptions => SecretSettings at "secrets" {
        /// What is done with a source that holds what looks like a password or a key: `redact` shows it as a row of X wherever the
        /// source is shown, `block` refuses the source, `warn` only says so.
        policy: String = "redact" => policy: SecretPolicy = named(&SecretPolicy::NAMES);
        /// Words that say, in the name of an item, a column, a field or a parameter, that its value is a password, beside those that are known: such as
        /// ["ZUGANG", "MA-KENNZ"]. Parts of a name have a hyphen between them.
        words: Vec<String> = [];
        /// Forms of secrets, beside those that are known, by names of your own: a regular expression with one group around the secret, such as
        /// { badge = 'BDG-([0-9]{6})' }.
        shapes: BTreeMap<String, String> = BTreeMap::new();
    }
    derived {
        /// How a secret is known.
        table: Arc<SecretRules> = secret_table,
    }
}

section! {
    /// What is done with the files of an output folder.
    OutputOptions => OutputSettings at "output" {
        /// The folder of the documents, beside this file, such as "docs": `document` writes to it and `check` reads it, unless they are told another.
        folder: String = "" => folder: Option<PathBuf> = file;
        /// What becomes of a page that a person has changed: "keep" leaves it and warns, "beside" writes the new one to NAME.md.new, "stop" ends the
        /// run before anything is written. The JSON beside it is always written.
        edited: String = "keep" => edited: EditedPagePolicy = named(&EditedPagePolicy::NAMES);
        /// Business functions that you name, with the programs that belong to each, such as { "Card maintenance" = "COCRD* CBACT02C" }: `*` stands for
        /// any characters, `?` for one. What is most like these programs joins them; programs of two functions under one name become one.
        functions: BTreeMap<String, String> = BTreeMap::new() => functions: Vec<PinnedFunction> = functions;
    }
}

/// The endings that sources usually have.
pub const USUAL_ENDINGS: &str = "cbl cob cobol sqb pco ccp cpy copy dcl jcl prc proc bms csd rdo transaction program urimap ddl sql psb dbd pcb asm mlc hlasm";

/// Endings of texts about sources, which may quote some.
pub const ENDINGS_OF_DOCUMENTS: [&str; 16] = [
    "csv", "htm", "html", "json", "lis", "log", "lst", "markdown", "md", "pdf", "rst", "svg", "toml", "xml", "yaml",
    "yml",
];

/// The names that sources usually have.
fn usual_names() -> Vec<String> {
    USUAL_ENDINGS.split(' ').map(|ending| format!("**/*.{ending}")).collect()
}

const FORMATS: [(&str, Option<SourceFormat>); 4] = [
    ("auto", None),
    ("fixed", Some(SourceFormat::Fixed)),
    ("free", Some(SourceFormat::Free)),
    ("terminal", Some(SourceFormat::Terminal)),
];

/// What a rule says of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileType {
    /// It is a source of this kind.
    Source(SourceKind),
    /// It is nothing to read.
    Ignore,
}

/// Kinds of files by glob, which win over the usual extensions.
#[derive(Debug, Clone)]
pub struct TypeRules {
    globs: Globs,
    rules: Vec<(usize, FileType)>,
}

impl TypeRules {
    /// The kind that a rule gives to this path. Of several rules that match, the longest glob says most about the file and wins.
    pub fn kind(&self, path: &str) -> Option<FileType> {
        let matching = self.globs.matching(path).into_iter().map(|index| self.rules[index]);
        matching.max_by_key(|(length, _)| *length).map(|(_, kind)| kind)
    }
}

impl SourceSettings {
    /// How the bytes of a source are read.
    pub fn read_options(&self) -> ReadOptions {
        ReadOptions { format: self.format, encoding: self.encoding }
    }
}

/// The policy for a page that a person has edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditedPagePolicy {
    /// Keep it.
    Keep,
    /// Keep it, and write the new one beside it.
    Beside,
    /// Stop the run before anything is written.
    Stop,
}

impl EditedPagePolicy {
    /// Every value with its name in the settings.
    pub const NAMES: [(&'static str, EditedPagePolicy); 3] =
        [("keep", EditedPagePolicy::Keep), ("beside", EditedPagePolicy::Beside), ("stop", EditedPagePolicy::Stop)];
}

impl Setting<'_> {
    fn here(&self, _: &SourceOptions) -> Result<PathBuf, Failure> {
        let here = std::path::absolute(&self.places.here).or_else(|_| std::env::current_dir());
        Ok(here.unwrap_or_default())
    }

    fn encoding(&self, name: &str) -> Result<Option<Encoding>, Failure> {
        if name.eq_ignore_ascii_case("auto") {
            return Ok(None);
        }
        Encoding::from_name(name).map(Some).ok_or_else(|| {
            // Each of them has further spellings.
            let known: Vec<&str> = Encoding::all().map(Encoding::as_str).collect();
            self.failure(format_args!("unknown encoding `{name}`"))
                .with_hint(format!("the encodings are auto, {}", known.join(", ")))
        })
    }

    fn pointer_bytes(&self, bytes: &i64) -> Result<PointerSize, Failure> {
        match bytes {
            4 => Ok(PointerSize::Four),
            8 => Ok(PointerSize::Eight),
            other => Err(self.must("4 or 8", other)),
        }
    }

    fn secret_table(&self, secrets: &SecretOptions) -> Result<Arc<SecretRules>, Failure> {
        let words = set(&secrets.words);
        let shapes: Vec<_> = secrets.shapes.clone().unwrap_or_default().into_iter().collect();
        // Separately, so that the message names the invalid setting.
        SecretRules::with(words, &[]).map_err(|error| self.below("words").fails(error))?;
        SecretRules::with(words, &shapes).map_err(|error| self.below("shapes").fails(error))
    }

    fn source_url(&self, url: &str) -> Result<Option<SourceUrl>, Failure> {
        if url.is_empty() {
            return Ok(None);
        }
        // The address appears on every page, so it may not contain a password; the message does not repeat it.
        SourceUrl::parse(url).map(Some).map_err(|bad| {
            self.fails(bad).with_hint(
                "name the address of a branch or commit, such as https://github.com/OWNER/NAME/blob/main; only links stand on it",
            )
        })
    }

    fn types(&self, types: &BTreeMap<String, String>) -> Result<TypeRules, Failure> {
        let sources = SourceKind::ALL.iter().map(|kind| (kind.as_str(), FileType::Source(*kind)));
        let names: Vec<_> = sources.chain([("ignore", FileType::Ignore)]).collect();
        let rule = |(glob, name): (&String, &String)| Ok((glob.len(), self.below(glob).named(name, &names)?));
        let rules = types.iter().map(rule).collect::<Result<_, Failure>>()?;
        let globs: Vec<String> = types.keys().cloned().collect();
        let globs = Globs::compile(&globs).map_err(|bad| {
            self.below(&bad.glob).failure(format_args!("`{}` is no glob", bad.glob)).with_source(bad.reason)
        })?;
        Ok(TypeRules { globs, rules })
    }

    fn functions(&self, functions: &BTreeMap<String, String>) -> Result<Vec<PinnedFunction>, Failure> {
        let pinned = |(name, programs): (&String, &String)| {
            let programs: Vec<String> =
                programs.split([' ', ',']).filter(|name| !name.is_empty()).map(str::to_owned).collect();
            if name.trim().is_empty() || programs.is_empty() {
                return Err(self.below(name).must("the names of programs, with blanks between them, under a name", ""));
            }
            Ok(PinnedFunction { name: name.trim().to_owned(), programs })
        };
        functions.iter().map(pinned).collect()
    }

    fn folders(&self, folders: &[String]) -> Result<Vec<PathBuf>, Failure> {
        if let Some(index) = folders.iter().position(String::is_empty) {
            return Err(self.element(index).must("the path of a folder", ""));
        }
        Ok(folders.iter().map(|folder| self.places.folder(&self.path).join(folder)).collect())
    }
}
