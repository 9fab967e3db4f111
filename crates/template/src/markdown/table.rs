//! Tables without their empty columns.

/// A table under construction. Cells are Markdown already.
#[derive(Debug, Clone)]
pub struct MarkdownTable<const N: usize> {
    headings: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl<const N: usize> MarkdownTable<N> {
    /// Makes a table without rows.
    pub fn new(headings: [&'static str; N]) -> Self {
        Self { headings: headings.to_vec(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: [String; N]) {
        self.rows.push(cells.to_vec());
    }

    /// Returns the number of its rows.
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the table as Markdown, or nothing if it has no rows.
    pub fn render(&self) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let printed: Vec<usize> =
            (0..self.headings.len()).filter(|at| self.rows.iter().any(|row| !row[*at].is_empty())).collect();
        let line = |cell: &dyn Fn(usize) -> String| {
            let cells: Vec<String> = printed.iter().map(|at| cell(*at)).collect();
            format!("| {} |", cells.join(" | "))
        };
        let rule = format!("|{}", "---|".repeat(printed.len()));
        let mut lines = vec![line(&|at| self.headings[at].to_owned()), rule];
        lines.extend(self.rows.iter().map(|row| line(&|at| row[at].clone())));
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_columns_and_empty_tables_are_left_out() {
        let mut table = MarkdownTable::new(["a", "b", "c"]);
        assert_eq!(table.render(), "");
        table.row(["1".to_owned(), String::new(), String::new()]);
        table.row(["2".to_owned(), String::new(), "3".to_owned()]);
        assert_eq!(table.render(), "| a | c |\n|---|---|\n| 1 |  |\n| 2 | 3 |");
    }
}
