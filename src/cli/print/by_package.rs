//! Packages of several catalogs for people: a row for each, with the catalogs that have it, and its heads there.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, BufWriter, Write as _};

use crate::cli::args::formats::OutputFormat;
use crate::cli::print::fit::wrap;
use crate::cli::print::table::write_table;
use crate::cli::terminal::report::paint;
use crate::cli::terminal::screen::screen;
use crate::diag::printable_line;

/// A package in a catalog.
#[derive(Clone, Copy)]
pub(in crate::cli) struct InCatalog<'r> {
    pub(in crate::cli) package: &'r str,
    pub(in crate::cli) catalog: &'r str,
    /// The version of its default head.
    pub(in crate::cli) head: &'r str,
    pub(in crate::cli) status: &'r str,
    pub(in crate::cli) display_name: &'r str,
}

/// Prints a row for each package, in the order of their first rows.
pub(in crate::cli) fn print_by_package(rows: &[InCatalog<'_>]) -> io::Result<()> {
    let catalogs: Vec<&str> = rows.iter().map(|row| row.catalog).collect::<BTreeSet<_>>().into_iter().collect();
    let mut packages: Vec<Vec<InCatalog<'_>>> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for row in rows {
        let place = *places.entry(row.package).or_insert(packages.len());
        match packages.get_mut(place) {
            Some(known) => known.push(*row),
            None => packages.push(vec![*row]),
        }
    }
    let number =
        |catalog: &str| (catalogs.iter().position(|name| *name == catalog).unwrap_or_default() + 1).to_string();
    let line = |package: &Vec<InCatalog<'_>>| {
        let mut heads: Vec<(&str, Vec<String>)> = Vec::new();
        for InCatalog { catalog, head, .. } in package {
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
        let first = |field: fn(&InCatalog<'_>) -> String| {
            package.iter().map(field).find(|text| !text.is_empty()).unwrap_or_default()
        };
        let [name, status] = [first(|row| row.package.to_owned()), first(|row| row.status.to_owned())];
        vec![name, head, places, status, first(|row| row.display_name.to_owned())]
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
