//! Describes IMS databases and what programs may do with them.

use super::statements::some;
use super::writer::NonCobolWriter;
use super::{comments, purpose};
use crate::phrases::list;
use war_rig_estate::ims::{DatabaseDescription, ImsSegment, ImsSource, Pcb, ProgramSpecification};
use war_rig_estate::{EdgeKind, NodeId, NodeKind};
use war_rig_template::{DatabaseUnit, Document, PcbUnit, PsbUnit, SegmentUnit};
use war_rig_text::{LineRange, member_name};

impl NonCobolWriter<'_> {
    /// Describes an IMS source.
    pub(super) fn ims(&self, source: &ImsSource, document: &mut Document) {
        document.program_specifications = source.program_specifications.iter().map(|psb| self.psb(psb)).collect();
        document.databases = source.databases.iter().map(|database| self.database(database)).collect();
        let mut sentences = Vec::new();
        sentences
            .extend(comments::at_the_top(self.source, &["*"]).map(|said| comments::quoted(&said, "its own comment")));
        for psb in &document.program_specifications {
            let databases = psb.pcbs.iter().filter_map(|pcb| Some(pcb.database.as_ref()?.name.clone()));
            let databases: Vec<String> = databases.collect();
            sentences.push(match databases.is_empty() {
                true => format!("the PSB {}", psb.psb_name),
                false => format!("the PSB {} gives access to {}", psb.psb_name, some(&databases)),
            });
        }
        for database in &document.databases {
            let segments: Vec<String> = database.segments.iter().map(|segment| segment.segment_name.clone()).collect();
            sentences.push(match segments.is_empty() {
                true => format!("the database {} ({})", database.database_name, database.access),
                false => format!(
                    "the database {} ({}) holds the segments {}",
                    database.database_name,
                    database.access,
                    some(&segments)
                ),
            });
        }
        let psbs = document.program_specifications.iter().map(|psb| &psb.citations);
        let first = psbs.chain(document.databases.iter().map(|database| &database.citations)).next();
        let citations = first.cloned().unwrap_or_default();
        let kind = if source.databases.is_empty() { "program specification" } else { "database description" };
        document.purpose = purpose(sentences, kind, citations);
    }

    fn psb(&self, psb: &ProgramSpecification) -> PsbUnit {
        let name = psb.name.clone().unwrap_or_else(|| member_name(self.source.name()).to_uppercase());
        let id = NodeId::new(NodeKind::Psb, &name);
        let users = self.graph.incoming_edges(&id).filter(|edge| edge.relation == EdgeKind::UsesPsb);
        PsbUnit {
            used_by: self.users(users, |edge| Some(edge.from.kind.in_words().0.to_owned())),
            lines: psb.lines,
            pcbs: psb.pcbs.iter().map(|pcb| self.pcb(pcb)).collect(),
            citations: self.cite(LineRange::single(psb.lines.end()), &[&name, "PSBGEN", "PCB", "SENSEG"]),
            psb_name: name,
        }
    }

    fn pcb(&self, pcb: &Pcb) -> PcbUnit {
        let segment = |segment: &war_rig_estate::ims::SensitiveSegment| {
            let under = segment.parent.as_ref().map(|parent| format!(" under {parent}")).unwrap_or_default();
            let may = segment.processing_options.as_deref().map(|may| format!(" ({})", options(may)));
            format!("{}{under}{}", segment.name, may.unwrap_or_default())
        };
        let database = pcb.database.as_ref().filter(|_| pcb.pcb_type != "TP");
        PcbUnit {
            pcb_type: pcb.pcb_type.clone(),
            database: database.map(|name| {
                let by = pcb.index.as_ref().map(|index| format!("by the index {index}"));
                self.mention(NodeKind::Database, name, by)
            }),
            may: pcb.processing_options.as_deref().map(options).unwrap_or_default(),
            segments: pcb.segments.iter().map(segment).collect(),
            citations: self.cite(LineRange::single(pcb.lines.start()), &["PCB"]),
        }
    }

    fn database(&self, database: &DatabaseDescription) -> DatabaseUnit {
        let id = NodeId::new(NodeKind::Database, &database.name);
        let users = self.graph.incoming_edges(&id).filter(|edge| edge.relation != EdgeKind::Contains);
        DatabaseUnit {
            database_name: database.name.clone(),
            lines: database.lines,
            access: database.access.join(" "),
            dd_names: database.dd_names.clone(),
            records: database.records.clone(),
            segments: database.segments.iter().map(|segment| self.segment(segment)).collect(),
            used_by: self.users(users, |edge| Some(edge.from.kind.in_words().0.to_owned())),
            citations: self.cite(LineRange::single(database.lines.start()), &[&database.name, "DBD"]),
        }
    }

    fn segment(&self, segment: &ImsSegment) -> SegmentUnit {
        let field = |field: &war_rig_estate::ims::SegmentField| {
            let place = match (field.start, field.bytes) {
                (Some(start), Some(1)) => Some(format!("byte {start}")),
                (Some(start), Some(bytes)) if bytes > 0 => {
                    Some(format!("bytes {start}-{}", start.saturating_add(bytes - 1)))
                }
                _ => None,
            };
            let key = match (field.is_key, field.is_unique) {
                (true, true) => Some("unique key".to_owned()),
                (true, false) => Some("key".to_owned()),
                (false, _) => None,
            };
            let parts = [Some(field.name.clone()), place, key];
            parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
        };
        let related = |found: &war_rig_estate::ims::RelatedSegment| match &found.database {
            Some(database) => format!("{} of {database}", found.segment),
            None => found.segment.clone(),
        };
        SegmentUnit {
            segment_name: segment.name.clone(),
            parent: segment.parent.clone(),
            bytes: segment.bytes,
            fields: segment.fields.iter().map(field).collect(),
            related: segment.related.iter().map(related).collect(),
            citations: self.cite(LineRange::single(segment.lines.start()), &[&segment.name, "SEGM"]),
        }
    }
}

/// Words PROCOPT.
fn options(written: &str) -> String {
    let all = [('A', "get, insert, replace and delete"), ('L', "load")];
    if let Some((_, words)) = all.iter().find(|(letter, _)| written.contains(*letter)) {
        return (*words).to_owned();
    }
    let single = [('G', "get"), ('I', "insert"), ('R', "replace"), ('D', "delete")];
    let words = single.iter().filter(|(letter, _)| written.contains(*letter));
    let words = words.map(|(_, word)| (*word).to_owned()).collect::<Vec<_>>();
    if words.is_empty() { format!("PROCOPT={written}") } else { list(&words) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processing_options_are_told_in_words() {
        assert_eq!(options("A"), "get, insert, replace and delete");
        assert_eq!(options("GO"), "get");
        assert_eq!(options("GIR"), "get, insert and replace");
        assert_eq!(options("LS"), "load");
        assert_eq!(options("K"), "PROCOPT=K");
    }
}
