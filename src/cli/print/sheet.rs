//! One thing with all that is known of it, for people.

use std::io::{self, Write};

use crate::cli::print::table::write_aligned;
use crate::diag::printable;

/// Labelled lines, then tables, then long texts. What is empty is left out.
#[derive(Debug, Default)]
pub(crate) struct Sheet {
    lines: Vec<(String, String)>,
    tables: Vec<(String, Vec<String>, Vec<Vec<String>>)>,
    texts: Vec<(String, String)>,
}

impl Sheet {
    /// A value on one line, whatever white space it has.
    pub(crate) fn line(&mut self, label: &str, value: &str) {
        let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
        if !value.is_empty() {
            self.lines.push((label.to_owned(), value));
        }
    }

    /// A table without the columns in which nothing stands.
    pub(crate) fn table(&mut self, title: &str, headers: &[&str], rows: Vec<Vec<String>>) {
        if rows.is_empty() {
            return;
        }
        let is_used: Vec<bool> = (0..headers.len())
            .map(|idx| rows.iter().any(|row| row.get(idx).is_some_and(|it| !it.is_empty())))
            .collect();
        let keep = |cells: Vec<String>| -> Vec<String> {
            cells.into_iter().zip(&is_used).filter(|(_, used)| **used).map(|(cell, _)| cell).collect()
        };
        let headers = keep(headers.iter().map(|it| (*it).to_owned()).collect());
        self.tables.push((title.to_owned(), headers, rows.into_iter().map(keep).collect()));
    }

    pub(crate) fn text(&mut self, title: &str, text: &str) {
        if !text.trim().is_empty() {
            self.texts.push((title.to_owned(), text.to_owned()));
        }
    }

    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let width = self.lines.iter().map(|(label, _)| label.len()).max().unwrap_or(0) + 2;
        for (label, value) in &self.lines {
            writeln!(out, "{:width$}{}", format!("{label}:"), printable(value))?;
        }
        for (title, headers, rows) in &self.tables {
            writeln!(out, "\n{title}:")?;
            let indent = |cells: &Vec<String>| -> Vec<String> {
                cells
                    .iter()
                    .enumerate()
                    .map(|(idx, it)| if idx == 0 { format!("  {it}") } else { it.clone() })
                    .collect()
            };
            let rows: Vec<Vec<String>> = rows.iter().map(indent).collect();
            write_aligned(Some(indent(headers)), &rows, 3, out)?;
        }
        for (title, text) in &self.texts {
            writeln!(out, "\n{title}:")?;
            for line in text.trim_end().lines() {
                writeln!(out, "{}", format!("  {}", printable(line)).trim_end())?;
            }
        }
        Ok(())
    }
}
