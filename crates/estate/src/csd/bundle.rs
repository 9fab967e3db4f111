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
pub(super) fn parse(source: &SourceText, lines: LineRange) -> CsdSource {
    let mut csd = CsdSource { file: source.name().to_owned(), ..CsdSource::default() };
    let text = source.lines().map(|line| line.text()).collect::<Vec<_>>().join("\n");
    let mut reader = Reader::from_str(&text);
    loop {
        match reader.read_event() {
            Ok(Event::Start(element) | Event::Empty(element)) => csd.definitions.extend(definition(&element, lines)),
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(error) => {
                let message = format!("this is no well-formed XML: {error}");
                csd.diagnostics.push(Diagnostic::warning("malformed-xml", LineNumber::FIRST, message));
                break;
            }
        }
    }
    csd
}

fn definition(element: &BytesStart<'_>, lines: LineRange) -> Option<CsdDefinition> {
    let name = element.local_name();
    let resource_type = name.as_ref().strip_prefix(DEFINITION)?.to_uppercase();
    let mut definition = CsdDefinition {
        resource_type: resource_type.parse().unwrap_or(CsdResourceType::Other(resource_type)),
        name: String::new(),
        group: None,
        attributes: Vec::new(),
        lines,
    };
    for attribute in element.attributes().flatten() {
        let key = attribute.key.local_name().as_ref().to_uppercase();
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).ok()?.into_owned();
        match key.as_str() {
            "NAME" => definition.name = value.to_uppercase(),
            "XMLNS" => {}
            _ => definition.attributes.push(CsdAttribute { name: key, value: Some(value) }),
        }
    }
    Some(definition).filter(|definition| !definition.name.is_empty())
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
}
