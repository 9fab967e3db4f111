//! DD statements: parses what their operands allocate.
//!
//! ```text
//! dd = "//" [ [ step "." ] name ] "DD" [ operands ]
//! dataset = ( "DSN" | "DSNAME" ) "=" ( name [ "(" ( member | generation ) ")" ] | "&&" name | "*." reference | "NULLFILE" )
//! disp = "DISP" "=" ( status | "(" [ status ] [ "," [ normal ] [ "," abnormal ] ] ")" )
//! ```

use super::model::{Allocation, AllocationKind, DdUsage, Disposition, InStreamData, JclOperand, SymbolicText, find};
use super::operands::{list, unquoted};
use std::sync::Arc;
use war_rig_text::LineRange;

/// The keywords and words that state what is allocated; a statement has one of them.
pub(super) const SOURCES: [&str; 10] =
    ["DSN", "DSNAME", "SYSOUT", "PATH", "DDNAME", "SUBSYS", "*", "DATA", "DUMMY", "DYNAM"];

/// Returns the name of an operand: its keyword, or the operand itself if it is a word such as DUMMY.
pub(super) fn name_of(parameter: &JclOperand) -> &str {
    parameter.name.as_deref().unwrap_or(&parameter.value.resolved)
}

/// Returns whether in-stream data follows a statement with these operands, whether `//` ends it, and its delimiter.
pub(super) fn announces_data(operands: &[JclOperand]) -> Option<(bool, Option<String>)> {
    let word = operands.iter().find(|operand| operand.name.is_none() && matches!(name_of(operand), "*" | "DATA"))?;
    let delimiter = find(operands, "DLM").map(|dlm| unquoted(&dlm.value.resolved)).filter(|dlm| !dlm.is_empty());
    Some((name_of(word) == "*", delimiter))
}

impl Allocation {
    /// Returns the allocation of a statement with these operands.
    pub(super) fn of(
        operands: Vec<JclOperand>,
        in_stream: Option<InStreamData>,
        lines: LineRange,
        file: Option<Arc<str>>,
    ) -> Self {
        let has = |word: &str| operands.iter().any(|operand| operand.name.is_none() && name_of(operand) == word);
        let dsn = find(&operands, "DSN").or_else(|| find(&operands, "DSNAME"));
        let sysout = find(&operands, "SYSOUT").map(|sysout| sysout.value.resolved.clone());
        let path = find(&operands, "PATH");
        let disposition = find(&operands, "DISP").map(|disp| disposition(&disp.value.resolved));
        let mut allocation = Self {
            kind: AllocationKind::Other,
            dataset: None,
            member: None,
            generation: None,
            refers_to: None,
            disposition,
            usage: DdUsage::Unknown,
            sysout: None,
            in_stream: None,
            operands: Vec::new(),
            lines,
            file,
        };
        if has("*") || has("DATA") || in_stream.is_some() {
            allocation.kind = AllocationKind::InStream;
            allocation.in_stream = in_stream;
        } else if has("DUMMY") {
            allocation.kind = AllocationKind::Dummy;
            // Its dataset is recorded anyway: it is what the step would use without DUMMY.
            if let Some(dsn) = dsn {
                allocation.name(&dsn.value);
                allocation.kind = AllocationKind::Dummy;
            }
        } else if let Some(dsn) = dsn {
            allocation.name(&dsn.value);
        } else if let Some(path) = path {
            allocation.kind = AllocationKind::Path;
            let resolved = unquoted(&path.value.resolved);
            allocation.dataset = Some(SymbolicText { written: path.value.written.clone(), resolved });
        } else if let Some(sysout) = sysout {
            allocation.kind = AllocationKind::Sysout;
            allocation.sysout = Some(sysout);
        } else if operands.is_empty() {
            allocation.kind = AllocationKind::Nothing;
        } else if !operands.iter().any(|operand| SOURCES.contains(&name_of(operand)) || name_of(operand) == "TERM") {
            allocation.kind = AllocationKind::Temporary;
        }
        allocation.operands = operands;
        allocation.usage = allocation.judge();
        allocation
    }

    /// Parses `DSN=`.
    fn name(&mut self, value: &SymbolicText) {
        let resolved = unquoted(&value.resolved).trim().to_ascii_uppercase();
        if let Some(reference) = resolved.strip_prefix("*.") {
            self.kind = AllocationKind::Reference;
            self.refers_to = Some(reference.to_owned());
            return;
        }
        self.kind = match resolved.as_str() {
            "NULLFILE" => AllocationKind::Dummy,
            temporary if temporary.starts_with("&&") => AllocationKind::Temporary,
            _ => AllocationKind::Dataset,
        };
        if self.kind == AllocationKind::Dummy {
            return;
        }
        let (name, inner) = match resolved.split_once('(') {
            Some((name, inner)) => (name, Some(inner.strip_suffix(')').unwrap_or(inner).trim())),
            None => (resolved.as_str(), None),
        };
        let inner = inner.filter(|inner| !inner.is_empty());
        self.generation = inner.and_then(generation);
        self.member = inner.filter(|_| self.generation.is_none()).map(str::to_owned);
        self.dataset = Some(SymbolicText { written: value.written.clone(), resolved: name.to_owned() });
    }

    fn judge(&self) -> DdUsage {
        match self.kind {
            AllocationKind::InStream => DdUsage::Read,
            AllocationKind::Sysout => DdUsage::Written,
            AllocationKind::Dummy | AllocationKind::Nothing => DdUsage::Nothing,
            AllocationKind::Other => DdUsage::Unknown,
            AllocationKind::Path => self.judge_path(),
            // A subsystem gives or takes the data, such as a pipe; without DISP only the program knows which.
            _ if self.disposition.is_none() && self.operand("SUBSYS").is_some() => DdUsage::Unknown,
            AllocationKind::Dataset | AllocationKind::Temporary | AllocationKind::Reference => {
                // Without a status or without DISP, a dataset is new.
                match self.disposition.as_ref().and_then(|disposition| disposition.status.as_deref()) {
                    None | Some("NEW") => DdUsage::Created,
                    Some("MOD") => DdUsage::Extended,
                    Some("OLD") => DdUsage::Exclusive,
                    Some("SHR") => DdUsage::Shared,
                    Some(_) => DdUsage::Unknown,
                }
            }
        }
    }

    fn judge_path(&self) -> DdUsage {
        let options = self.operand("PATHOPTS").map(|options| list(&options.value.resolved)).unwrap_or_default();
        let has = |name: &str| options.iter().any(|option| option == name);
        match () {
            () if has("ORDONLY") => DdUsage::Read,
            () if has("OAPPEND") => DdUsage::Extended,
            () if has("OWRONLY") => DdUsage::Written,
            () => DdUsage::Unknown,
        }
    }
}

fn generation(text: &str) -> Option<i32> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

fn disposition(value: &str) -> Disposition {
    let mut words = list(value).into_iter().map(|word| Some(word.trim().to_owned()).filter(|word| !word.is_empty()));
    let mut next = || words.next().flatten();
    Disposition { status: next(), normal: next(), abnormal: next() }
}

#[cfg(test)]
mod tests {
    use super::super::symbols::Symbols;
    use super::super::values::parameters;
    use super::*;
    use war_rig_text::LineNumber;

    fn of(operands: &str) -> Allocation {
        let line = LineRange::single(LineNumber::FIRST);
        Allocation::of(parameters(operands, |_| line, &Symbols::default()), None, line, None)
    }

    fn check(operands: &str, kind: AllocationKind, name: &str, usage: DdUsage) {
        let found = of(operands);
        let dataset = found.dataset.as_ref().map_or("", |dataset| dataset.resolved.as_str());
        let generation = found.generation.map(|g| format!("({g:+})")).unwrap_or_default();
        let member = found.member.as_ref().map(|member| format!("({member})")).unwrap_or_default();
        let whole = format!("{dataset}{member}{generation}");
        assert_eq!((found.kind, whole.as_str(), found.usage), (kind, name, usage), "{operands}");
    }

    #[test]
    fn datasets_have_members_generations_and_dispositions() {
        use AllocationKind::{Dataset, Temporary};
        check("DSN=A.B,DISP=SHR", Dataset, "A.B", DdUsage::Shared);
        check("dsname=a.b,disp=(old,delete)", Dataset, "A.B", DdUsage::Exclusive);
        check("DISP=(,CATLG),DSN=A(+1)", Dataset, "A(+1)", DdUsage::Created);
        check("DISP=(MOD,DELETE,DELETE),DSN=A(0)", Dataset, "A(+0)", DdUsage::Extended);
        check("DSN='A.B(MEM)',DISP=SHR", Dataset, "A.B(MEM)", DdUsage::Shared);
        check("DSN=<SOURCEX>(&MEM),DISP=&D", Dataset, "<SOURCEX>(&MEM)", DdUsage::Unknown);
        check("DSN=@HLQ@.X", Dataset, "@HLQ@.X", DdUsage::Created);
        check("DSN=A.PIPE,SUBSYS=BP01", Dataset, "A.PIPE", DdUsage::Unknown);
        check("DSN=&&T,DISP=(OLD,PASS)", Temporary, "&&T", DdUsage::Exclusive);
        check("UNIT=SYSDA,SPACE=(CYL,1)", Temporary, "", DdUsage::Created);
    }

    #[test]
    fn a_dataset_is_deleted_where_the_step_creates_it_and_says_nothing_else() {
        let check = |operands, expected| assert_eq!(of(operands).is_deleted(), expected, "{operands}");
        check("DSN=A,DISP=(OLD,DELETE)", true);
        check("DSN=A,DISP=SHR", false);
        check("DSN=A,DISP=OLD", false);
        check("DSN=A,DISP=(,CATLG)", false);
        check("DSN=A", true);
        check("DSN=&&A,DISP=(NEW,PASS)", false);
        check("UNIT=SYSDA,SPACE=(TRK,1)", true);
        check("SYSOUT=*", false);
        check("DUMMY", false);
    }

    #[test]
    fn what_is_no_dataset_says_so() {
        check("", AllocationKind::Nothing, "", DdUsage::Nothing);
        check("DUMMY", AllocationKind::Dummy, "", DdUsage::Nothing);
        check("DUMMY,DSN=A", AllocationKind::Dummy, "A", DdUsage::Nothing);
        check("DSN=NULLFILE,DISP=SHR", AllocationKind::Dummy, "", DdUsage::Nothing);
        check("SYSOUT=(A,,CLAM)", AllocationKind::Sysout, "", DdUsage::Written);
        check("DDNAME=SYSIN", AllocationKind::Other, "", DdUsage::Unknown);
        check("*", AllocationKind::InStream, "", DdUsage::Read);
        check("PATH='/u/a',PATHOPTS=(ORDONLY)", AllocationKind::Path, "/u/a", DdUsage::Read);
        check("PATH='/u/a',PATHOPTS=(OWRONLY,OCREAT)", AllocationKind::Path, "/u/a", DdUsage::Written);
        let reference = of("DSN=*.STEP1.DD1,DISP=SHR");
        assert_eq!(reference.refers_to.as_deref(), Some("STEP1.DD1"));
    }
}
