//! Parses the parts of CICS bundles that define resources: a file of XML for each, such as `MENU.transaction`.
//!
//! ```text
//! <cicsdefinitiontransaction name="MENU" program="MENUPGM" .../>
//! ```
//! The element is named after the type of the resource, and its attributes are those of DEFINE.

use super::{CsdAttribute, CsdDefinition, CsdResourceType, CsdSource};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use war_rig_cobol::Diagnostic;
use war_rig_text::{LineNumber, LineRange, SourceText};

/// How the names of elements begin that define resources.
const DEFINITION: &str = "cicsdefinition";

/// Whether a source is XML and no commands of DFHCSDUP.
pub(super) fn is_xml(source: &SourceText) -> bool {
    let first = source.lines().find(|line| !line.is_blank());
    first.is_some_and(|line| line.text().trim_start_matches('\u{feff}').trim_start().starts_with('<'))
}

/// Parses a part of a bundle. What is no XML is reported, and what was read before it stays.
pub(super) fn parse(source: &SourceText) -> CsdSource {
    let mut csd = CsdSource { file: source.name().to_owned(), ..CsdSource::default() };
    let text = source.lines().map(|line| line.text()).collect::<Vec<_>>().join("\n");
    let mut reader = Reader::from_str(&text);
    let mut lines = LinesRead { text: &text, end: 0, index: 0 };
    loop {
        let event = reader.read_event();
        let first = lines.last();
        lines.read_to(reader.buffer_position());
        match event {
            Ok(Event::Start(element) | Event::Empty(element)) => {
                add_definition(&mut csd, &element, LineRange::spanning(first, lines.last()));
            }
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(error) => {
                report(&mut csd, lines.last(), &format!("this is no well-formed XML: {error}"));
                break;
            }
        }
    }
    csd
}

/// How far a text is read.
struct LinesRead<'a> {
    text: &'a str,
    /// The end of what is read, in bytes.
    end: usize,
    /// The index of the line that it is in.
    index: usize,
}

impl LinesRead<'_> {
    fn read_to(&mut self, end: u64) {
        let end = usize::try_from(end).unwrap_or(usize::MAX).min(self.text.len());
        let read = self.text.as_bytes().get(self.end..end).unwrap_or_default();
        self.index += read.iter().filter(|byte| **byte == b'\n').count();
        self.end = end;
    }

    fn last(&self) -> LineNumber {
        LineNumber::from_index(self.index)
    }
}

/// Adds the resource that an element defines. A value or an attribute that is no XML is reported; a value stays as written.
fn add_definition(csd: &mut CsdSource, element: &BytesStart<'_>, lines: LineRange) {
    let name = element.local_name();
    let Some(resource_type) = name.as_ref().strip_prefix(DEFINITION).map(str::to_uppercase) else { return };
    let mut definition = CsdDefinition {
        resource_type: resource_type.parse().unwrap_or(CsdResourceType::Other(resource_type)),
        name: String::new(),
        group: None,
        attributes: Vec::new(),
        lines,
    };
    for attribute in element.attributes() {
        let attribute = match attribute {
            Ok(attribute) if attribute.key.as_namespace_binding().is_some() => continue,
            Ok(attribute) => attribute,
            Err(error) => {
                report(csd, lines.start(), &format!("an attribute is no well-formed XML: {error}"));
                continue;
            }
        };
        let key = attribute.key.local_name().as_ref().to_uppercase();
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).unwrap_or_else(|error| {
            report(csd, lines.start(), &format!("the value of `{key}` is no well-formed XML: {error}"));
            attribute.value.clone()
        });
        match key.as_str() {
            "NAME" => definition.name = value.to_uppercase(),
            _ => definition.attributes.push(CsdAttribute { name: key, value: Some(value.into_owned()) }),
        }
    }
    if definition.name.is_empty() {
        let message = format!("this {} has no name", definition.resource_type.as_str());
        csd.diagnostics.push(Diagnostic::warning("unnamed-resource", lines.start(), message));
    } else {
        csd.definitions.push(definition);
    }
}

fn report(csd: &mut CsdSource, line: LineNumber, message: &str) {
    csd.diagnostics.push(Diagnostic::warning("malformed-xml", line, message));
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;
    use war_rig_text::ReadOptions;

    fn read(text: &str) -> CsdSource {
        parse(&SourceText::read("MENU.transaction", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap())
    }

    #[test]
    fn a_part_of_a_bundle_defines_its_resource() {
        let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
        let csd = read(&format!(
            "{head}<cicsdefinitiontransaction name=\"menu\" program=\"MENUPGM\"\n description=\"The &lt;menu&gt;\" xmlns=\"http://x\"/>\n"
        ));
        let [menu] = csd.definitions.as_slice() else { panic!("{csd:?}") };
        assert_eq!((&menu.resource_type, menu.name.as_str()), (&CsdResourceType::Transaction, "MENU"));
        assert_eq!((menu.upper("PROGRAM").as_deref(), menu.description()), (Some("MENUPGM"), Some("The <menu>")));
        assert_eq!(menu.attributes.len(), 2);
        let uri = read(&format!("{head}<cicsdefinitionurimap name=\"U1\" path=\"/a\"/>"));
        assert_eq!(uri.definitions[0].resource_type.as_str(), "URIMAP");
    }

    #[test]
    fn other_xml_defines_nothing_and_broken_xml_is_reported() {
        assert_eq!(read("<provider_pipeline><service/></provider_pipeline>").definitions, []);
        let broken = read("<cicsdefinitionprogram name=\"A\"/><a></b>");
        assert_eq!((broken.definitions.len(), broken.diagnostics[0].code), (1, "malformed-xml"));
    }

    #[test]
    fn a_definition_is_on_the_lines_of_its_element() {
        let csd = read(
            "<?xml version=\"1.0\"?>\n\n<!-- One\n of two. -->\n  <cicsdefinitionprogram name=\"A\"\n  language=\"COBOL\"/>\n<cicsdefinitionprogram name=\"B\"/>\n",
        );
        let lines = csd.definitions.iter().map(|found| (found.lines.start().get(), found.lines.end().get()));
        assert_eq!(lines.collect::<Vec<_>>(), [(5, 6), (7, 7)]);
    }

    #[test]
    fn namespaces_are_no_attributes() {
        let csd =
            read("<d:cicsdefinitionfile xmlns=\"http://x\" xmlns:d=\"http://y\" name=\"A\" d:status=\"ENABLED\"/>");
        let names: Vec<&str> = csd.definitions[0].attributes.iter().map(|found| found.name.as_str()).collect();
        assert_eq!(names, ["STATUS"]);
    }

    #[test]
    fn a_value_that_is_no_xml_is_reported_and_kept() {
        let csd = read("<a>\n<cicsdefinitionprogram name=\"A\" description=\"Us &them;\" language=\"COBOL\"/>\n</a>");
        let [program] = csd.definitions.as_slice() else { panic!("{csd:?}") };
        assert_eq!((program.description(), program.attribute("LANGUAGE")), (Some("Us &them;"), Some("COBOL")));
        let [found] = csd.diagnostics.as_slice() else { panic!("{csd:?}") };
        assert_eq!((found.code, found.line.unwrap().get()), ("malformed-xml", 2));
        assert!(found.message.starts_with("the value of `DESCRIPTION` "), "{}", found.message);
        let unquoted = read("<cicsdefinitionprogram name=\"A\" status=ON/>");
        assert_eq!((unquoted.definitions.len(), unquoted.diagnostics[0].code), (1, "malformed-xml"));
        let unnamed = read("<cicsdefinitionprogram status=\"ON\"/>");
        assert_eq!((unnamed.definitions.len(), unnamed.diagnostics[0].code), (0, "unnamed-resource"));
    }
}
