//! Parses the macros of PSBs and DBDs.
//!
//! ```text
//! name   PCB    TYPE=DB,DBDNAME=database,PROCOPT=options,KEYLEN=n
//!        SENSEG NAME=segment,PARENT=segment|0
//!        PSBGEN LANG=COBOL,PSBNAME=name
//!
//!        DBD    NAME=database,ACCESS=(HIDAM,VSAM)
//!        DATASET DD1=name
//!        SEGM   NAME=segment,PARENT=segment|0,BYTES=n
//!        FIELD  NAME=(field,SEQ,U),START=n,BYTES=n,TYPE=C
//!        LCHILD NAME=(segment,database)
//!        XDFLD  NAME=field,SRCH=(field,field)
//!        DBDGEN
//! ```

use super::{
    DatabaseDescription, ImsSegment, ImsSource, IndexField, Pcb, ProgramSpecification, RelatedSegment, SegmentField,
    SensitiveSegment,
};
use crate::macros::{self, MacroStatement};
use war_rig_cobol::Diagnostic;
use war_rig_text::{LineRange, SourceText};

/// Parses the source of a PSB or a DBD. Any input yields the facts that were understood, and diagnostics for the rest.
///
/// ```
/// use war_rig_estate::ims::parse;
/// use war_rig_text::{ReadOptions, SourceText};
///
/// let code = "         PCB   TYPE=DB,DBDNAME=POLDB,PROCOPT=G\n         SENSEG NAME=POLICY,PARENT=0\n         PSBGEN LANG=COBOL,PSBNAME=POLPSB\n";
/// let source = SourceText::read("POLPSB.psb", code.into(), &ReadOptions::default()).unwrap();
/// let psb = &parse(&source).program_specifications[0];
/// assert_eq!((psb.name.as_deref(), psb.pcbs[0].database.as_deref()), (Some("POLPSB"), Some("POLDB")));
/// ```
pub fn parse(source: &SourceText) -> ImsSource {
    let mut diagnostics = Vec::new();
    let macros = macros::parse_macros(source, &mut diagnostics);
    let ims = ImsSource { file: source.name().to_owned(), diagnostics, ..ImsSource::default() };
    let mut reader = ImsParser { ims, psb: None, is_in_database: false };
    for read in &macros {
        match read.operation.as_str() {
            "PCB" => reader.pcb(read),
            "SENSEG" => reader.sensitive_segment(read),
            "SENFLD" => reader.sensitive_field(read),
            "PSBGEN" => reader.end_psb(read),
            "DBD" => reader.database(read),
            "DATASET" => reader.data_set(read),
            "SEGM" => reader.segment(read),
            "FIELD" => reader.field(read),
            "LCHILD" => reader.related(read),
            "XDFLD" => reader.index_field(read),
            "DBDGEN" => reader.end_database(read),
            _ => {}
        }
    }
    reader.ims.program_specifications.extend(reader.psb.take());
    let mut ims = reader.ims;
    if let (true, true, Some(all)) =
        (ims.program_specifications.is_empty(), ims.databases.is_empty(), source.line_range())
    {
        ims.diagnostics.push(Diagnostic::warning("no-psb-or-dbd", all.start(), "nothing here defines a PSB or a DBD"));
    }
    ims.diagnostics.sort_by_key(|diagnostic: &Diagnostic| diagnostic.line);
    ims
}

struct ImsParser {
    ims: ImsSource,
    /// The PSB before its PSBGEN.
    psb: Option<ProgramSpecification>,
    /// Whether the last DBD has not ended.
    is_in_database: bool,
}

impl ImsParser {
    fn pcb(&mut self, read: &MacroStatement) {
        let pcb = Pcb {
            name: read.name.clone().or_else(|| read.word("PCBNAME")),
            pcb_type: read.word("TYPE").unwrap_or_default(),
            database: read.word("DBDNAME").or_else(|| read.word("NAME")).or_else(|| read.word("LTERM")),
            processing_options: read.word("PROCOPT"),
            key_length: number(read, "KEYLEN"),
            index: read.word("PROCSEQ"),
            segments: Vec::new(),
            lines: read.lines,
        };
        let new = || ProgramSpecification { name: None, language: None, pcbs: Vec::new(), lines: read.lines };
        let psb = self.psb.get_or_insert_with(new);
        reach(&mut psb.lines, read);
        psb.pcbs.push(pcb);
    }

    fn sensitive_segment(&mut self, read: &MacroStatement) {
        let Some(name) = self.name(read) else { return };
        let Some(psb) = self.psb.as_mut() else { return self.outside(read, "PCB") };
        reach(&mut psb.lines, read);
        if let Some(pcb) = psb.pcbs.last_mut() {
            reach(&mut pcb.lines, read);
            let (parent, processing_options) = (parent(read), read.word("PROCOPT"));
            let (fields, lines) = (Vec::new(), read.lines);
            pcb.segments.push(SensitiveSegment { name, parent, processing_options, fields, lines });
        }
    }

    fn sensitive_field(&mut self, read: &MacroStatement) {
        let Some(name) = self.name(read) else { return };
        let pcb = self.psb.as_mut().and_then(|psb| psb.pcbs.last_mut());
        match pcb.and_then(|pcb| pcb.segments.last_mut()) {
            Some(segment) => segment.fields.push(name),
            None => self.outside(read, "SENSEG"),
        }
    }

    fn end_psb(&mut self, read: &MacroStatement) {
        // A PSB may have no PCB: its program uses no database.
        let mut psb = self.psb.take().unwrap_or_else(|| ProgramSpecification {
            name: None,
            language: None,
            pcbs: Vec::new(),
            lines: read.lines,
        });
        psb.name = read.word("PSBNAME");
        psb.language = read.word("LANG");
        reach(&mut psb.lines, read);
        self.ims.program_specifications.push(psb);
    }

    fn database(&mut self, read: &MacroStatement) {
        let Some(name) = self.name(read) else { return };
        let (access, lines) = (read.words("ACCESS"), read.lines);
        let (dd_names, segments) = (Vec::new(), Vec::new());
        self.ims.databases.push(DatabaseDescription { name, access, dd_names, records: None, segments, lines });
        self.is_in_database = true;
    }

    fn data_set(&mut self, read: &MacroStatement) {
        let Some(database) = self.open_database(read) else { return };
        database.dd_names.extend(["DD1", "DD2"].iter().filter_map(|keyword| read.word(keyword)));
        let lengths = read.words("RECORD");
        if !lengths.is_empty() && database.records.is_none() {
            let format = read.word("RECFM").map(|format| format!(", format {format}")).unwrap_or_default();
            database.records = Some(format!("{} bytes{format}", lengths.join(" or ")));
        }
    }

    fn segment(&mut self, read: &MacroStatement) {
        let Some(name) = self.name(read) else { return };
        let Some(database) = self.open_database(read) else { return };
        let (parent, bytes) = (parent(read), number(read, "BYTES"));
        let (fields, related, index_fields) = (Vec::new(), Vec::new(), Vec::new());
        let lines = read.lines;
        database.segments.push(ImsSegment { name, parent, bytes, fields, related, index_fields, lines });
    }

    fn field(&mut self, read: &MacroStatement) {
        let Some(name) = self.name(read) else { return };
        let words = read.words("NAME");
        let is = |word: &str| words.iter().skip(1).any(|other| other == word);
        let field = SegmentField {
            name,
            is_key: is("SEQ"),
            // A key is unique by default.
            is_unique: is("SEQ") && !is("M"),
            start: number(read, "START"),
            bytes: number(read, "BYTES"),
            field_type: read.word("TYPE"),
            lines: read.lines,
        };
        if let Some(segment) = self.open_segment(read) {
            segment.fields.push(field);
        }
    }

    fn related(&mut self, read: &MacroStatement) {
        let Some(segment) = self.name(read) else { return };
        let database = read.words("NAME").into_iter().nth(1).filter(|name| !name.is_empty());
        if let Some(open) = self.open_segment(read) {
            open.related.push(RelatedSegment { segment, database });
        }
    }

    fn index_field(&mut self, read: &MacroStatement) {
        let Some(name) = self.name(read) else { return };
        let (fields, lines) = (read.words("SRCH"), read.lines);
        if let Some(open) = self.open_segment(read) {
            open.index_fields.push(IndexField { name, fields, lines });
        }
    }

    fn end_database(&mut self, read: &MacroStatement) {
        self.open_database(read);
        self.is_in_database = false;
    }

    fn open_database(&mut self, read: &MacroStatement) -> Option<&mut DatabaseDescription> {
        if !self.is_in_database {
            self.outside(read, "DBD");
            return None;
        }
        let database = self.ims.databases.last_mut()?;
        reach(&mut database.lines, read);
        Some(database)
    }

    fn open_segment(&mut self, read: &MacroStatement) -> Option<&mut ImsSegment> {
        if self.open_database(read)?.segments.is_empty() {
            self.outside(read, "SEGM");
            return None;
        }
        let segment = self.ims.databases.last_mut()?.segments.last_mut()?;
        reach(&mut segment.lines, read);
        Some(segment)
    }

    /// Returns the first value of NAME, and reports a missing NAME.
    fn name(&mut self, read: &MacroStatement) -> Option<String> {
        let name = read.word("NAME");
        if name.is_none() {
            let message = format!("this {} has no NAME", read.operation);
            self.ims.diagnostics.push(Diagnostic::warning("missing-name", read.lines.start(), message));
        }
        name
    }

    fn outside(&mut self, read: &MacroStatement, above: &str) {
        let message = format!("no {above} stands before this {}", read.operation);
        self.ims.diagnostics.push(Diagnostic::warning("misplaced-macro", read.lines.start(), message));
    }
}

fn reach(lines: &mut LineRange, read: &MacroStatement) {
    *lines = LineRange::spanning(lines.start(), read.lines.end());
}

fn number(read: &MacroStatement, keyword: &str) -> Option<u32> {
    read.word(keyword)?.parse().ok()
}

/// Parses the parent: `PARENT=0` is none; `PARENT=((SEGMENT,SNGL),(LOGICAL,V,DATABASE))` names the physical parent first.
fn parent(read: &MacroStatement) -> Option<String> {
    let word = read.word("PARENT")?;
    let first = macros::list(&word).first().map(|first| (*first).to_owned())?;
    Some(first).filter(|parent| parent != "0" && !parent.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_text::ReadOptions;

    fn read(text: &str) -> ImsSource {
        parse(&SourceText::read("T.psb", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap())
    }

    fn codes(text: &str) -> Vec<&'static str> {
        read(text).diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
    }

    #[test]
    fn a_psb_has_pcbs_with_segments() {
        let found = read(
            "IOPCB  PCB TYPE=TP,LTERM=X\nP1     PCB TYPE=DB,DBDNAME=D,PROCOPT=AP,KEYLEN=14,PROCSEQ=I\n  SENSEG NAME=A,PARENT=0\n  SENSEG NAME=B,PARENT=A,PROCOPT=G\n  SENFLD NAME=F,START=1\n  PSBGEN LANG=COBOL,PSBNAME=P\n  END\n",
        );
        let [psb] = found.program_specifications.as_slice() else { panic!("one PSB") };
        assert_eq!((psb.name.as_deref(), psb.language.as_deref()), (Some("P"), Some("COBOL")));
        assert_eq!(psb.lines.to_string(), "1-6");
        let pcb = &psb.pcbs[1];
        assert_eq!((pcb.name.as_deref(), pcb.pcb_type.as_str(), pcb.key_length), (Some("P1"), "DB", Some(14)));
        assert_eq!((pcb.index.as_deref(), pcb.lines.to_string().as_str()), (Some("I"), "2-4"));
        let segments: Vec<_> = pcb.segments.iter().map(|s| (s.name.as_str(), s.parent.as_deref())).collect();
        assert_eq!(segments, [("A", None), ("B", Some("A"))]);
        assert_eq!(pcb.segments[1].fields, ["F"]);
        assert_eq!(psb.pcbs[0].database.as_deref(), Some("X"));
        assert_eq!(found.diagnostics, []);
    }

    #[test]
    fn a_dbd_has_segments_with_fields() {
        let found = read(
            "  DBD NAME=D,ACCESS=(HIDAM,VSAM),PASSWD=NO\nG DATASET DD1=DD,DD2=EE,RECORD=(200),RECFM=F\n  SEGM NAME=A,PARENT=0,BYTES=(100,50)\n  FIELD NAME=(K,SEQ,U),START=1,BYTES=6,TYPE=P\n  LCHILD NAME=(X,IX),POINTER=INDX\n  XDFLD NAME=Y,SRCH=(K)\n  SEGM NAME=B,PARENT=((A,)),BYTES=20\n  FIELD NAME=(L,SEQ,M),START=1,BYTES=8\n  FIELD NAME=M,START=9,BYTES=2\n  DBDGEN\n  FINISH\n",
        );
        let [database] = found.databases.as_slice() else { panic!("one DBD") };
        assert_eq!((database.access.join(" "), database.dd_names.join(" ")), ("HIDAM VSAM".into(), "DD EE".into()));
        assert_eq!(database.records.as_deref(), Some("200 bytes, format F"));
        assert_eq!(database.lines.to_string(), "1-10");
        let [a, b] = database.segments.as_slice() else { panic!("two segments") };
        assert_eq!((a.bytes, a.parent.as_deref(), b.parent.as_deref()), (Some(100), None, Some("A")));
        let related = RelatedSegment { segment: "X".into(), database: Some("IX".into()) };
        assert_eq!(a.related, [related]);
        assert_eq!(
            (a.index_fields[0].name.as_str(), a.index_fields[0].fields.as_slice()),
            ("Y", ["K".to_owned()].as_slice())
        );
        let fields =
            |s: &ImsSegment| s.fields.iter().map(|f| (f.name.clone(), f.is_key, f.is_unique)).collect::<Vec<_>>();
        assert_eq!(fields(a), [("K".to_owned(), true, true)]);
        assert_eq!(fields(b), [("L".to_owned(), true, false), ("M".to_owned(), false, false)]);
        assert_eq!(found.diagnostics, []);
    }

    #[test]
    fn what_is_misplaced_or_unnamed_is_told() {
        assert_eq!(codes("  SENSEG NAME=A\n"), ["misplaced-macro", "no-psb-or-dbd"]);
        assert_eq!(codes("  PCB TYPE=TP\n  SENFLD NAME=A\n"), ["misplaced-macro"]);
        assert_eq!(codes("  DBD NAME=D\n  FIELD NAME=A\n  SEGM BYTES=1\n"), ["misplaced-macro", "missing-name"]);
        assert_eq!(codes("  DBD NAME=D\n  DBDGEN\n  SEGM NAME=A\n"), ["misplaced-macro"]);
        assert_eq!(codes("       MOVE A TO B.\n"), ["no-psb-or-dbd"]);
        assert_eq!(codes(""), [""; 0]);
        assert_eq!(read("  PCB TYPE=TP\n").program_specifications[0].name, None);
    }
}
