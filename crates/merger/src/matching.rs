//! Finds the parser's entries that an item of an answer is about.

use crate::claims::claims;
use crate::merge_chunk::ChunkMerge;
use crate::skeleton::{DraftItem, DraftItems};
use foldhash::{HashSet, HashSetExt};
use war_rig_template::{
    BlockCitation, CalledProgram, CicsOperation, CopybookUse, DliOperation, Interface, ItemBody, PartialItem,
    SqlOperation, is_word,
};
use war_rig_text::LineRange;

impl ChunkMerge<'_> {
    /// Finds the parser's entry for an item: the one of its name that begins where the item cites; else one whose part it cites;
    /// else the only one of the name. Two paragraphs, calls or operations of one name remain two. On request only among the entries
    /// in the chunk: a model cannot describe one that it did not see.
    pub(crate) fn among<B: ItemBody>(
        &self,
        entries: &DraftItems<B>,
        in_chunk: bool,
        name: &str,
        detail: Option<&str>,
        citations: &[BlockCitation],
    ) -> Option<usize> {
        let cited: Vec<LineRange> = claims(citations, self.map).into_iter().map(|claim| claim.lines).collect();
        let fits = |index: &usize| {
            let own = entries.list[*index].body.detail();
            detail.is_none() || own.is_none() || same(own, detail)
        };
        let stands_here = |index: &usize| !in_chunk || self.is_in_chunk(&entries.list[*index]);
        // Nearly every item begins where the parser's entry begins.
        let there = cited.iter().flat_map(|lines| entries.indices_at(name, lines.start())).copied();
        let there: Vec<usize> = there.filter(stands_here).collect();
        if let Some(found) = there.iter().find(|index| fits(index)).or(there.first()) {
            return Some(*found);
        }
        let named: Vec<usize> = entries.parsed_by_name(name).filter(stands_here).collect();
        // Among several of one name, a slightly wrong citation could touch the wrong one.
        let touches = |own: LineRange, cited: LineRange| match named.len() {
            1 => own.intersection(cited).is_some(),
            _ => own.covers(cited) || cited.covers(own),
        };
        let overlaps = |index: &usize| {
            let own = &entries.list[*index].claims;
            own.iter().any(|own| cited.iter().any(|lines| touches(own.lines, *lines)))
        };
        let candidates: Vec<usize> = named.iter().copied().filter(fits).collect();
        let over = |among: &[usize]| among.iter().copied().find(|index| overlaps(index));
        match (over(&candidates).or_else(|| over(&named)), candidates.as_slice(), named.as_slice()) {
            (Some(found), _, _) => Some(found),
            (None, [only], _) | (None, _, [only]) => Some(*only),
            (None, _, _) => None,
        }
    }

    /// Like [`ChunkMerge::among`], and otherwise what an earlier chunk wrote about a thing that the parser does not know.
    pub(crate) fn by_name<B: ItemBody>(
        &self,
        entries: &DraftItems<B>,
        name: &str,
        detail: Option<&str>,
        citations: &[BlockCitation],
    ) -> Option<usize> {
        let unknown = || entries.indices_by_name(name).iter().copied().find(|index| !entries.list[*index].parsed);
        self.among(entries, false, name, detail, citations).or_else(unknown)
    }

    /// Finds the parser's entries that an item is about: on the cited lines those of its name, or the one that stands there alone if
    /// the name is nowhere in the chunk; otherwise the only one of its name.
    pub(crate) fn sites<B: ParserOwned>(&self, entries: &DraftItems<B>, item: &PartialItem<B>) -> Vec<usize> {
        let name = item.plain_name();
        let is_named = |index: &usize| {
            let own = &entries.list[*index];
            own.body.name().eq_ignore_ascii_case(name) || own.body.matches_name(name)
        };
        let fits = |index: &usize| {
            let (own, detail) = (entries.list[*index].body.detail(), item.detail());
            !B::IS_TOLD_APART || detail.is_none_or(str::is_empty) || same(own, detail)
        };
        let cited: Vec<Vec<usize>> =
            claims(&item.citations, self.map).iter().map(|claim| entries.indices_in(claim.lines)).collect();
        let best = |named: Vec<usize>| -> Vec<usize> {
            let fitting: Vec<usize> = named.iter().copied().filter(fits).collect();
            if fitting.is_empty() { named } else { fitting }
        };
        let there = best(unique(cited.iter().flatten().copied().filter(is_named)));
        if !there.is_empty() {
            return there;
        }
        let named: Vec<usize> = entries
            .indices_by_name(name)
            .iter()
            .copied()
            .filter(|index| self.is_in_chunk(&entries.list[*index]))
            .collect();
        if named.is_empty() {
            // The rows say what is meant, whatever it is called.
            let alone =
                unique(cited.iter().filter_map(|found| <[usize; 1]>::try_from(found.as_slice()).ok()).flatten());
            return if alone.is_empty() { self.only_mentioned(entries, name).into_iter().collect() } else { alone };
        }
        let named = best(named.into_iter().filter(|index| entries.list[*index].parsed).collect());
        if named.len() == 1 { named } else { Vec::new() }
    }

    fn is_in_chunk<B>(&self, entry: &DraftItem<B>) -> bool {
        entry.claims.iter().any(|claim| claim.lines.intersection(self.lines).is_some())
    }

    /// Whether a name is written like one of COBOL's and is nowhere in the chunk: it was made up, and rows do not make it right.
    fn is_foreign(&self, name: &str) -> bool {
        let is_cobol = !name.contains(|c: char| c.is_whitespace() || c.is_lowercase());
        !name.is_empty() && is_cobol && !self.stands_in_chunk(name)
    }

    /// Finds the only entry of a name in the file, for a chunk that mentions it.
    pub(crate) fn only_mentioned<B: ItemBody>(&self, entries: &DraftItems<B>, name: &str) -> Option<usize> {
        let mut named = entries.parsed_by_name(name);
        let only = named.next().filter(|_| self.stands_in_chunk(name))?;
        named.next().is_none().then_some(only)
    }

    /// Finds the only entry that begins where an item without a known name begins.
    pub(crate) fn beginning_at<B: ItemBody>(&self, entries: &DraftItems<B>, item: &PartialItem<B>) -> Option<usize> {
        let first = claims(&item.citations, self.map).first()?.lines.start();
        let name = item.plain_name();
        let is_free = entries.indices_by_name(name).is_empty() && !self.is_foreign(name);
        <[usize; 1]>::try_from(entries.indices_at_line(first)).ok().filter(|_| is_free).map(|[only]| only)
    }

    /// Finds the resources that an item with another name is about: those that its name mentions, else the only one on its lines.
    pub(crate) fn resources(&self, entries: &DraftItems<Interface>, item: &PartialItem<Interface>) -> Vec<usize> {
        let words: Vec<String> = item.name.split(|c| !is_word(c)).map(str::to_uppercase).collect();
        let is_mentioned = |(_, entry): &(usize, &DraftItem<Interface>)| {
            let mut names = entry.known_as.iter().chain([&entry.body.name]);
            entry.parsed && names.any(|name| words.iter().any(|word| word.eq_ignore_ascii_case(name)))
        };
        let mentioned: Vec<usize> =
            entries.list.iter().enumerate().filter(is_mentioned).map(|(index, _)| index).collect();
        if !mentioned.is_empty() {
            return mentioned;
        }
        let cited = claims(&item.citations, self.map);
        let on_lines = unique(cited.iter().flat_map(|claim| entries.indices_in(claim.lines)));
        let is_title = !words.iter().any(|word| self.stands_in_chunk(word) && word.contains('-'));
        if on_lines.len() == 1 && is_title { on_lines } else { Vec::new() }
    }
}

/// A kind of thing, besides paragraphs, of which the parser knows all.
pub(crate) trait ParserOwned: ItemBody {
    /// Whether the second part of its name distinguishes two of one name.
    const IS_TOLD_APART: bool = true;

    /// Whether the parser leaves out a thing of this name on purpose.
    fn is_known_elsewhere(_name: &str) -> bool {
        false
    }

    /// Whether another name than the parser's may mean it: a command with fewer or more words.
    fn matches_name(&self, name: &str) -> bool {
        let first = |text: &str| text.split_whitespace().next().map(str::to_uppercase);
        first(self.name()) == first(name)
    }
}

impl ParserOwned for SqlOperation {}
impl ParserOwned for CicsOperation {}
impl ParserOwned for DliOperation {}

impl ParserOwned for CalledProgram {
    // How a program is called does not distinguish two calls.
    const IS_TOLD_APART: bool = false;

    /// A dynamic call is matched by the program that it reaches.
    fn matches_name(&self, _: &str) -> bool {
        self.call_type == "dynamic"
    }
}

impl ParserOwned for CopybookUse {
    /// The communication areas of DB2 are included, but the source has no copybook of them.
    fn is_known_elsewhere(name: &str) -> bool {
        ["SQLCA", "SQLDA"].iter().any(|area| area.eq_ignore_ascii_case(name))
    }

    /// `COPY "BANKREC.CPY"` names a file; the parser names the copybook in it.
    fn matches_name(&self, name: &str) -> bool {
        let file = name.rsplit('/').next();
        let stem = file.and_then(|file| file.split('.').next());
        stem.is_some_and(|stem| stem.eq_ignore_ascii_case(&self.copybook_name))
    }
}

/// Returns each index once, in order.
fn unique(indices: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut seen = HashSet::new();
    indices.filter(|index| seen.insert(*index)).collect()
}

fn same(a: Option<&str>, b: Option<&str>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.eq_ignore_ascii_case(b.trim_matches(['\'', '"'])),
        _ => false,
    }
}
