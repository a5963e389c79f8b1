//! The fewest edits that strand nobody, as tables with the commands that make them.

use std::io::Write;

use crate::ask::RepairAnswers;
use crate::cli::args::formats::OutputFormat;
use crate::cli::print::table::write_table;
use crate::cli::terminal::error::CommandError;
use crate::diag::counted;
use crate::edit::{LeftUser, PackageRepair, RepairEdit};
use crate::upgrade::Olm;
use crate::version::first_of;

/// The columns that move below a row if the terminal has no room for them.
const BELOW: &[&[&str]] = &[&["EDIT"], &["BECAUSE"]];

/// Prints edits, and the users who stay stranded, with their number.
pub(crate) fn print(format: OutputFormat, answers: &RepairAnswers, out: &mut impl Write) -> Result<(), CommandError> {
    let edits: Vec<(&PackageRepair, &RepairEdit)> =
        answers.items.iter().flat_map(|it| it.edits.iter().map(move |edit| (it, edit))).collect();
    let has_catalogs = answers.items.iter().any(|it| it.catalog != answers.items[0].catalog);
    let catalog = |it: &PackageRepair| has_catalogs.then(|| it.catalog.clone());
    let row = |(package, edit): &(&PackageRepair, &RepairEdit)| {
        let cells =
            [package.package.clone(), edit.channel.clone(), edit.entry.clone(), words(edit), edit.freed.to_string()];
        catalog(package).into_iter().chain(cells).collect::<Vec<String>>()
    };
    let catalog_header = has_catalogs.then_some("CATALOG");
    let headers = |rest: &[&'static str]| catalog_header.into_iter().chain(rest.iter().copied()).collect::<Vec<_>>();
    write(format, &headers(&["PACKAGE", "CHANNEL", "ENTRY", "EDIT", "FREES"]), edits.iter().map(row).collect(), out)?;
    let left: Vec<(&PackageRepair, &LeftUser, bool)> = answers.items.iter().flat_map(left).collect();
    if !left.is_empty() {
        writeln!(
            out,
            "{}",
            if edits.is_empty() {
                "Stranded after every possible edit:"
            } else {
                "\nStranded after every possible edit:"
            }
        )?;
        let row = |(package, user, is_both): &(&PackageRepair, &LeftUser, bool)| {
            let olm = if *is_both { "both" } else { user.olm.as_str() };
            let cells = [&package.package, &user.channel, &user.installed, &olm.to_owned(), &user.reason];
            catalog(package).into_iter().chain(cells.into_iter().cloned()).collect::<Vec<String>>()
        };
        let headers = headers(&["PACKAGE", "CHANNEL", "INSTALLED", "OLM", "BECAUSE"]);
        write(format, &headers, left.iter().map(row).collect(), out)?;
    }
    if !edits.is_empty() {
        let fence = if format == OutputFormat::Markdown { "```\n" } else { "" };
        writeln!(
            out,
            "\nCommands:\n{fence}{}",
            edits.iter().map(|it| it.1.command.as_str()).collect::<Vec<_>>().join("\n")
        )?;
        writeln!(out, "{fence}")?;
    }
    Ok(writeln!(out, "{}", summary(answers, edits.len()))?)
}

/// The users who stay stranded; a user in both generations of OLM with the same reason counts once.
fn left(package: &PackageRepair) -> Vec<(&PackageRepair, &LeftUser, bool)> {
    let is_same =
        |a: &LeftUser, b: &LeftUser| (&a.channel, &a.installed, &a.version) == (&b.channel, &b.installed, &b.version);
    let has_other = |it: &LeftUser, olm: Olm| package.left.iter().any(|other| other.olm == olm && is_same(it, other));
    let is_first = |it: &&LeftUser| it.olm == Olm::Classic || !has_other(it, Olm::Classic);
    package
        .left
        .iter()
        .filter(is_first)
        .map(|it| (package, it, it.olm == Olm::Classic && has_other(it, Olm::V1)))
        .collect()
}

fn summary(answers: &RepairAnswers, n_edits: usize) -> String {
    let n_before: usize = answers.items.iter().map(|it| it.stranded_before).sum();
    let n_after: usize = answers.items.iter().map(|it| it.stranded_after).sum();
    let checked = counted(answers.n_packages as u64, "package");
    if n_before == 0 {
        return format!("no version is stranded in {checked}");
    }
    let versions = counted(n_before as u64, "version");
    let packages = counted(answers.items.len() as u64, "package");
    let mut text = format!("{versions} stranded in {packages} of {}; ", answers.n_packages);
    text.push_str(&match (n_edits, n_after) {
        (0, _) => "olmdex found no edit that frees any".to_owned(),
        (n, 0) => format!("after {}, none: olmdex followed every upgrade again", counted(n as u64, "edit")),
        (n, left) => format!("after {}, only {left}: olmdex followed every upgrade again", counted(n as u64, "edit")),
    });
    let unproven: Vec<&str> = answers.items.iter().filter(|it| !it.is_fewest).map(|it| it.package.as_str()).collect();
    if n_edits > 0 {
        text.push_str(&match unproven.len() {
            0 => "; fewer edits free fewer versions".to_owned(),
            n => format!("; fewer edits may be enough in {}", first_of(unproven.iter(), n)),
        });
    }
    text
}

/// An edit in words.
fn words(edit: &RepairEdit) -> String {
    let replaces = edit.replaces_no_more.as_ref().map(|it| format!("no longer replaces {it}"));
    let skips =
        (!edit.skips.is_empty()).then(|| format!("skips {} too", first_of(edit.skips.iter(), edit.skips.len())));
    let range = edit.skip_range.as_ref().map(|it| match it.as_str() {
        "" => "no longer has a skipRange".to_owned(),
        range => format!("has the skipRange `{range}`"),
    });
    let olm = (edit.olm == [Olm::Classic]).then(|| "for OLM Classic".to_owned());
    replaces.into_iter().chain(skips).chain(range).chain(olm).collect::<Vec<_>>().join(", ")
}

fn write(
    format: OutputFormat,
    headers: &[&str],
    rows: Vec<Vec<String>>,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    if rows.is_empty() {
        return Ok(());
    }
    let headers = headers.iter().map(|it| (*it).to_owned()).collect();
    Ok(write_table(format, Some(headers), rows, BELOW, out)?)
}
