//! Packages of several catalogs for people: a row for each, with the catalogs that have it, and its heads there.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, BufWriter, Write as _};

use crate::cli::args::formats::OutputFormat;
use crate::cli::print::fit::wrap;
use crate::cli::print::table::write_table;
use crate::cli::terminal::report::paint;
use crate::cli::terminal::screen::screen;
use crate::diag::printable_line;

/// A package in a catalog: both names, its default head, its status and its display name.
pub(in crate::cli) type InCatalog<'r> = [&'r str; 5];

/// Prints a row for each package, in the order of their first rows.
pub(in crate::cli) fn print_by_package(rows: &[InCatalog<'_>]) -> io::Result<()> {
    let catalogs: Vec<&str> = rows.iter().map(|row| row[1]).collect::<BTreeSet<_>>().into_iter().collect();
    let mut packages: Vec<Vec<InCatalog<'_>>> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for row in rows {
        let place = *places.entry(row[0]).or_insert(packages.len());
        match packages.get_mut(place) {
            Some(known) => known.push(*row),
            None => packages.push(vec![*row]),
        }
    }
    let number =
        |catalog: &str| (catalogs.iter().position(|name| *name == catalog).unwrap_or_default() + 1).to_string();
    let line = |package: &Vec<InCatalog<'_>>| {
        let mut heads: Vec<(&str, Vec<String>)> = Vec::new();
        for [_, catalog, head, ..] in package {
            match heads.iter_mut().find(|known| known.0 == *head) {
                Some((_, numbers)) => numbers.push(number(catalog)),
                None => heads.push((head, vec![number(catalog)])),
            }
        }
        let head = match heads.as_slice() {
            [(only, _)] => (*only).to_owned(),
            all => all.iter().map(|(head, at)| format!("{head} ({})", at.join(" "))).collect::<Vec<_>>().join(", "),
        };
        let places: BTreeSet<String> = heads.into_iter().flat_map(|it| it.1).collect();
        let places = match places.len() {
            _ if catalogs.len() < 2 => String::new(),
            n if n == catalogs.len() => "all".to_owned(),
            _ => places.into_iter().collect::<Vec<_>>().join(" "),
        };
        let first = |at: usize| package.iter().map(|row| row[at]).find(|text| !text.is_empty()).unwrap_or_default();
        vec![first(0).to_owned(), head, places, first(3).to_owned(), first(4).to_owned()]
    };
    let mut out = BufWriter::new(io::stdout().lock());
    if catalogs.len() > 1 {
        let named: Vec<String> =
            catalogs.iter().map(|name| format!("{} {}", number(name), printable_line(name))).collect();
        let legend = format!("Catalogs: {}; `-o wide` has a row for each", named.join(", "));
        for line in wrap(&legend, screen().width.unwrap_or(usize::MAX)) {
            writeln!(out, "{}", paint(screen().color, "2", &line))?;
        }
    }
    let headers = ["PACKAGE", "DEFAULT HEAD", "IN", "STATUS", "DISPLAY NAME"].map(str::to_owned).to_vec();
    write_table(OutputFormat::Table, Some(headers), packages.iter().map(line).collect(), &[], &mut out)?;
    out.flush()
}
