//! Databases of IMS, and what programs may do with them.

use super::statements::some;
use super::writer::Writer;
use super::{comments, purpose};
use war_rig_estate::ims::ImsSource;
use war_rig_estate::{NodeId, NodeKind, Relation};
use war_rig_template::Document;
use war_rig_text::LineRange;

impl Writer<'_> {
    /// A source of IMS.
    pub(super) fn ims(&self, source: &ImsSource, document: &mut Document) {
        let mut sentences = Vec::new();
        sentences.extend(
            comments::at_the_top(self.source, &["*"]).map(|said| comments::quoted(&said, "its own comment")),
        );
        let mut first: Option<(LineRange, String)> = None;
        for psb in &source.program_specifications {
            let name = psb.name.clone().unwrap_or_else(|| "without a name".to_owned());
            let databases: Vec<String> = psb.pcbs.iter().filter_map(|pcb| pcb.database.clone()).collect();
            let sees = if databases.is_empty() {
                String::new()
            } else {
                format!(" gives access to {}", some(&databases))
            };
            let id = NodeId::new(NodeKind::Psb, &name);
            let users = self.graph.leading_to(&id);
            let users = self.users(users.filter(|edge| edge.relation == Relation::UsesPsb), |_| None);
            let names: Vec<String> =
                users.named.iter().map(|user| format!("{} {}", user.kind, user.name)).collect();
            let used = if names.is_empty() { String::new() } else { format!("; used by {}", some(&names)) };
            sentences.push(format!("the PSB {name}{sees}{used}"));
            first.get_or_insert((psb.lines, "PCB".to_owned()));
        }
        for database in &source.databases {
            let segments: Vec<String> =
                database.segments.iter().map(|segment| segment.name.clone()).collect();
            let kept = database.access.join(" ");
            let holds = if segments.is_empty() {
                String::new()
            } else {
                format!(", with the segments {}", some(&segments))
            };
            sentences.push(format!("the database {} ({kept}){holds}", database.name));
            first.get_or_insert((database.lines, database.name.clone()));
        }
        let kind = if source.databases.is_empty() { "program specification" } else { "database description" };
        let citations = first.map(|(lines, anchor)| self.cite(lines, &[&anchor])).unwrap_or_default();
        document.purpose = purpose(sentences, kind, citations);
    }
}
