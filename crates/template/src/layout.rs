//! The layout of a document's JSON: each field and each list item on its own line, so that a line diff shows changes.

use serde_json::ser::Formatter;
use std::io::{self, Write};

/// Writes each field of an object and each item of a list on its own line, and an item without blanks, whatever it contains.
#[derive(Debug, Default)]
pub(crate) struct ItemPerLine {
    /// The number of open objects and lists.
    depth: usize,
    /// The number of them that are lists or inside a list.
    in_list: usize,
    has_any: bool,
}

impl ItemPerLine {
    fn begin<W: ?Sized + Write>(&mut self, out: &mut W, is_list: bool, open: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.in_list += usize::from(is_list || self.in_list > 0);
        self.has_any = false;
        out.write_all(open)
    }

    fn end<W: ?Sized + Write>(&mut self, out: &mut W, is_list: bool, close: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        let is_on_lines = self.is_on_lines(is_list);
        self.in_list = self.in_list.saturating_sub(1);
        if self.has_any && is_on_lines {
            self.indent(out)?;
        }
        self.has_any = true;
        out.write_all(close)
    }

    /// Returns whether the parts of the innermost object or list are on their own lines.
    fn is_on_lines(&self, is_list: bool) -> bool {
        self.in_list == usize::from(is_list)
    }

    fn part<W: ?Sized + Write>(&mut self, out: &mut W, is_list: bool, first: bool) -> io::Result<()> {
        if !first {
            out.write_all(b",")?;
        }
        if self.is_on_lines(is_list) { self.indent(out) } else { Ok(()) }
    }

    fn indent<W: ?Sized + Write>(&self, out: &mut W) -> io::Result<()> {
        out.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| out.write_all(b"  "))
    }
}

impl Formatter for ItemPerLine {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, true, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out, true, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.part(out, true, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_any = true;
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, false, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out, false, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.part(out, false, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(if self.in_list == 0 { b": " } else { b":" })
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_any = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Serialize;
    use serde_json::{Serializer, json};

    #[test]
    fn each_field_and_each_item_has_its_line() {
        let value = json!({
            "header": {"file": "A", "notes": []},
            "rules": [{"id": 1, "cited": [{"line": 1}, {"line": 2}]}, {"id": 2, "of": {"a": [], "b": {}}}],
            "flow": {"reads": [1, 2], "writes": []},
            "none": {},
        });
        let mut out = Vec::new();
        value.serialize(&mut Serializer::with_formatter(&mut out, ItemPerLine::default())).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            r#"{
  "header": {
    "file": "A",
    "notes": []
  },
  "rules": [
    {"id":1,"cited":[{"line":1},{"line":2}]},
    {"id":2,"of":{"a":[],"b":{}}}
  ],
  "flow": {
    "reads": [
      1,
      2
    ],
    "writes": []
  },
  "none": {}
}"#
        );
    }
}
