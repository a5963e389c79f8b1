//! HTML: the pictures of [`super::svg()`] in one file that needs nothing else, to move around in.
//!
//! Everything can be seen without the script: what is folded opens, and a catalog's packages are led to by links. The
//! script adds a search, zoom, and the edges of one bundle.

use std::fmt::Write as _;

use super::catalog::{Catalog, Channel};
use super::layout::Detail;
use super::legend::legend;
use super::markup::escaped;
use super::order::in_version_order;
use super::overview::{Overview, overview};
use super::panel::{Fold, Panel, TooManyMarks, View, Way};
use super::style::{DEFINITIONS, page_style, style};
use super::svg::MAX_LINES;

const PAGE_STYLE: &str = "
body { margin: 0; font: 14px system-ui, -apple-system, \"Segoe UI\", Roboto, Arial, sans-serif; }
header { position: sticky; top: 0; display: flex; flex-wrap: wrap; gap: .6em; align-items: center; padding: .4em 1em;
  border-bottom: 1px solid; z-index: 1; }
header h1, h2 { font-size: 1em; margin: 0 1em 0 0; overflow-wrap: anywhere; }
section { border-bottom: 1px solid; padding: .5em 1em; overflow: auto; scroll-margin-top: 3em; }
section.hidden, [hidden] { display: none; }
svg { display: block; transform-origin: 0 0; }
svg.overview { width: 100%; height: auto; }
#overview { padding: 0; border: 0; }
section.package, #legend { display: none; }
section.package:target, section.package:has(:target) { display: block; }
body:has(section.package:target, section.package :target) #legend { display: block; }
body:has(section.package:target, section.package :target) #overview { display: none; }
.channels { display: flex; flex-wrap: wrap; gap: 1em; align-items: flex-start; }
main section { border: 0; max-width: 100%; box-sizing: border-box; }
.full { display: none; }
body:has(#all:checked) .full { display: block; }
body:has(#all:checked) .short { display: none; }
details { margin: .2em 0 .2em 18px; max-width: 60em; }
details ul { columns: 18em; margin: .3em 0; font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  scroll-margin-top: 6em; }
li { overflow-wrap: anywhere; }
.dim { opacity: .15; }
.node { cursor: pointer; }
.chosen .box { stroke-width: 3; }
";

const SCRIPT: &str = r#"
"use strict";
let zoom = 1;
const pictures = () => document.querySelectorAll("section svg.channel");
function resize(factor) {
  zoom = factor === 0 ? 1 : Math.min(8, Math.max(.1, zoom * factor));
  for (const it of pictures()) {
    it.setAttribute("width", it.viewBox.baseVal.width * zoom);
    it.setAttribute("height", it.viewBox.baseVal.height * zoom);
  }
}
document.getElementById("in").onclick = () => resize(1.25);
document.getElementById("out").onclick = () => resize(.8);
document.getElementById("whole").onclick = () => resize(0);
document.addEventListener("wheel", event => {
  if (!event.ctrlKey) return;
  event.preventDefault();
  resize(event.deltaY < 0 ? 1.1 : .9);
}, { passive: false });
document.getElementById("tools").hidden = false;
const find = document.getElementById("find");
find.oninput = () => {
  const words = find.value.trim().toLowerCase();
  const has = it => words === "" || it.textContent.toLowerCase().includes(words);
  for (const it of document.querySelectorAll("section:not([id])")) it.classList.toggle("hidden", !has(it));
  for (const it of document.querySelectorAll("g.package")) {
    const section = document.querySelector(it.querySelector("a").getAttribute("href"));
    it.classList.toggle("dim", !has(it) && !has(section));
  }
};
const numbers = text => text.split(" ").map(Number);
function touches(edge, line) {
  if (numbers(edge.dataset.to).includes(line)) return true;
  const sources = numbers(edge.dataset.from);
  for (let at = 0; at < sources.length; at += 2) if (sources[at] <= line && line < sources[at + 1]) return true;
  return false;
}
for (const picture of pictures()) {
  picture.addEventListener("click", event => {
    if (event.target.closest("a") !== null) return;
    const node = event.target.closest(".node");
    const isSame = node !== null && node.classList.contains("chosen");
    for (const it of picture.querySelectorAll(".chosen")) it.classList.remove("chosen");
    for (const it of picture.querySelectorAll(".dim")) it.classList.remove("dim");
    if (node === null || isSame) return;
    node.classList.add("chosen");
    const line = Number(node.dataset.line);
    for (const it of picture.querySelectorAll(".edge")) it.classList.toggle("dim", !touches(it, line));
  });
}
"#;

/// Draws a catalog's channels as a page: what is folded to open, a search, zoom, and the edges of a bundle to pick out. As
/// in [`super::svg()`], edges may have so many ends. A catalog of several packages begins with an overview, which leads to
/// each of them.
///
/// # Errors
/// [`TooManyMarks`] if they have more.
pub fn html(catalog: &Catalog, way: &Way, detail: Detail, max_ends: usize) -> Result<String, TooManyMarks> {
    let mut page = Page { catalog, way, detail, n_left: max_ends, has_mutual: false, has_folds: false };
    let channels = in_version_order(catalog);
    let is_catalog = catalog.packages.len() > 1;
    let main = if is_catalog { page.packages(&channels)? } else { page.channels(&channels)? };
    let title = match channels.first() {
        _ if is_catalog => format!("Upgrades of {} packages", catalog.packages.len()),
        Some(channel) => format!("Upgrades of {}", channel.package),
        None => "Upgrades".to_owned(),
    };
    let title = escaped(&title);
    let (checked, placeholder) = (if detail == Detail::Full { " checked" } else { "" }, "package, channel or bundle");
    let every = format!("<label><input id=\"all\" type=\"checkbox\"{checked}> every entry</label>\n");
    let every = if is_catalog { "" } else { &every };
    let how = match is_catalog {
        true => "listed below the channels",
        false => "listed below the channel, drawn with a tick at \u{201c}every entry\u{201d}",
    };
    let legend = legend(page.has_mutual, page.has_folds.then_some(how));
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>{PAGE_STYLE}{}{}</style>\n</head>\n<body>\n<header><h1>{title}</h1>\n{every}\
         <span id=\"tools\" hidden><input id=\"find\" type=\"search\" placeholder=\"{placeholder}\" aria-label=\"Find\">\n\
         <button id=\"in\">larger</button> <button id=\"out\">smaller</button> <button id=\"whole\">1:1</button>\n\
         Click a bundle to see only its edges; Ctrl and the wheel zoom.</span></header>\n\
         <svg width=\"0\" height=\"0\" aria-hidden=\"true\">{DEFINITIONS}</svg>\n{main}",
        page_style(),
        style(),
    );
    // Writing into a text cannot fail.
    let id = if is_catalog { " id=\"legend\"" } else { "" };
    let _ = writeln!(text, "<section{id}>\n{}</section>", picture(&legend));
    let _ = writeln!(text, "<script>{SCRIPT}</script>\n</body>\n</html>");
    Ok(text)
}

/// A page while it grows.
struct Page<'p> {
    catalog: &'p Catalog,
    way: &'p Way,
    detail: Detail,
    n_left: usize,
    has_mutual: bool,
    has_folds: bool,
}

impl Page<'_> {
    /// The channels of a package, each in a section, with every entry too.
    fn channels(&mut self, channels: &[&Channel]) -> Result<String, TooManyMarks> {
        let mut text = "<main class=\"channels\">\n".to_owned();
        for (number, channel) in channels.iter().enumerate() {
            text.push_str("<section>\n");
            let id = format!("c{number}");
            let short = View { max_lines: Some(MAX_LINES[0]), id: Some(&id) };
            let short = self.panel(channel, short)?;
            let before = self.n_left;
            let full = self.panel(channel, View { max_lines: None, id: None });
            // Where there is too much to draw all of it, the lists have all of it.
            match full {
                Err(error) if self.detail == Detail::Full => return Err(error),
                Ok(full) if short.n_folded > 0 => {
                    let _ = writeln!(text, "<div class=\"short\">\n{}{}</div>", picture(&short), lists(&short.folds));
                    let _ = writeln!(text, "<div class=\"full\">\n{}</div>", picture(&full));
                }
                _ => {
                    self.n_left = before;
                    text.push_str(&picture(&short));
                    text.push_str(&lists(&short.folds));
                }
            }
            text.push_str("</section>\n");
        }
        text.push_str("</main>\n");
        Ok(text)
    }

    /// An overview, and each package in a section of its own, which is shown when it is asked for.
    fn packages(&mut self, channels: &[&Channel]) -> Result<String, TooManyMarks> {
        let Overview { body, width, height } = overview(self.catalog, |number| Some(format!("#p{number}")));
        let mut text = format!(
            "<section id=\"overview\">\n<svg class=\"overview\" style=\"max-width: {width}px\" \
             viewBox=\"0 0 {width} {height}\">\n{body}</svg>\n</section>\n"
        );
        let n_channels = |package: &str| channels.partition_point(|it| it.package.as_str() < package);
        for (number, package) in self.catalog.packages.keys().enumerate() {
            let first = n_channels(package);
            let of_package = channels[first..].iter().take_while(|it| it.package == *package);
            let _ = writeln!(
                text,
                "<section class=\"package\" id=\"p{number}\">\n<h2><a href=\"#overview\">all packages</a> › \
                 <bdi>{}</bdi></h2>\n<div class=\"channels\">",
                escaped(package)
            );
            for (at, channel) in of_package.enumerate() {
                let id = format!("p{number}c{at}");
                let max_lines = if self.detail == Detail::Full { None } else { Some(MAX_LINES[1]) };
                let panel = self.panel(channel, View { max_lines, id: Some(&id) })?;
                let _ = writeln!(text, "<div>\n{}{}</div>", picture(&panel), lists(&panel.folds));
            }
            text.push_str("</div>\n</section>\n");
        }
        Ok(text)
    }

    fn panel(&mut self, channel: &Channel, view: View<'_>) -> Result<Panel, TooManyMarks> {
        let panel = Panel::new(self.catalog, channel, self.way, view, &mut self.n_left)?;
        self.has_mutual |= panel.has_mutual;
        self.has_folds |= panel.n_folded > 0;
        Ok(panel)
    }
}

fn picture(Panel { body, width, height, .. }: &Panel) -> String {
    format!(
        "<svg class=\"channel\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n\
         {body}</svg>\n"
    )
}

/// What is folded, to open.
fn lists(folds: &[Fold]) -> String {
    let mut text = String::new();
    for Fold { id, name, marks, names } in folds {
        let _ = write!(
            text,
            "<details><summary><bdi>{}</bdi> <small>{}</small></summary><ul id=\"{id}\">",
            escaped(name),
            escaped(marks)
        );
        for name in names {
            let _ = write!(text, "<li>{}</li>", escaped(name));
        }
        text.push_str("</ul></details>\n");
    }
    text
}
