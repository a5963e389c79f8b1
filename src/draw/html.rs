//! HTML: the pictures of [`super::svg()`] in one file that needs nothing else, to move around in.

use std::fmt::Write as _;

use super::catalog::{Catalog, Channel};
use super::layout::Detail;
use super::svg::{DEFINITIONS, Panel, STYLE, TooManyMarks, Way, escaped, legend};

const PAGE_STYLE: &str = "
body { margin: 0; font: 14px system-ui, sans-serif; color: #1b1f24; background: #ffffff; }
header { position: sticky; top: 0; display: flex; flex-wrap: wrap; gap: .6em; align-items: center; padding: .6em 1em;
  background: #f6f8fa; border-bottom: 1px solid #d0d7de; z-index: 1; }
header h1 { font-size: 1em; margin: 0 1em 0 0; }
section { border-bottom: 1px solid #d0d7de; padding: .5em 1em; overflow: auto; }
section.hidden, .hidden { display: none; }
svg { display: block; transform-origin: 0 0; }
.dim { opacity: .15; }
.node { cursor: pointer; }
.chosen .box { stroke-width: 3; }
";

const SCRIPT: &str = r#"
"use strict";
let zoom = 1;
const pictures = () => document.querySelectorAll("section svg");
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
const all = document.getElementById("all");
all.onchange = () => {
  for (const it of document.querySelectorAll(".short")) it.classList.toggle("hidden", all.checked);
  for (const it of document.querySelectorAll(".full")) it.classList.toggle("hidden", !all.checked);
};
const find = document.getElementById("find");
find.oninput = () => {
  const words = find.value.trim().toLowerCase();
  for (const it of document.querySelectorAll("section")) {
    const isFound = words === "" || it.textContent.toLowerCase().includes(words);
    it.classList.toggle("hidden", !isFound);
  }
};
const numbers = text => text.split(" ").map(Number);
function touches(edge, from, to) {
  const targets = numbers(edge.dataset.to);
  if (targets.some(it => from <= it && it < to)) return true;
  const sources = numbers(edge.dataset.from);
  for (let at = 0; at < sources.length; at += 2) if (sources[at] < to && from < sources[at + 1]) return true;
  return false;
}
for (const picture of pictures()) {
  picture.addEventListener("click", event => {
    const node = event.target.closest(".node");
    const isSame = node !== null && node.classList.contains("chosen");
    for (const it of picture.querySelectorAll(".chosen")) it.classList.remove("chosen");
    for (const it of picture.querySelectorAll(".dim")) it.classList.remove("dim");
    if (node === null || isSame) return;
    node.classList.add("chosen");
    const [from, to] = numbers(node.dataset.rows);
    for (const it of picture.querySelectorAll(".edge")) it.classList.toggle("dim", !touches(it, from, to));
  });
}
"#;

/// Draws a catalog's channels as a page: with a search, zoom, the long chains to open, and the edges of a bundle to pick
/// out. As in [`super::svg()`], edges may have so many ends.
///
/// # Errors
/// [`TooManyMarks`] if they have more.
pub fn html(catalog: &Catalog, way: &Way, max_ends: usize) -> Result<String, TooManyMarks> {
    let mut n_left = max_ends;
    let mut channels: Vec<&Channel> = catalog.channels.iter().collect();
    channels.sort_by(|a, b| (&a.package, &a.name).cmp(&(&b.package, &b.name)));
    let mut packages: Vec<&str> = channels.iter().map(|it| it.package.as_str()).collect();
    packages.dedup();
    let title = match packages.as_slice() {
        [only] => format!("Upgrades of {only}"),
        all => format!("Upgrades of {} packages", all.len()),
    };
    let title = escaped(&title);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>{PAGE_STYLE}{STYLE}</style>\n</head>\n<body>\n<header><h1>{title}</h1>\n\
         <input id=\"find\" type=\"search\" placeholder=\"package, channel or bundle\" aria-label=\"Find\">\n\
         <label><input id=\"all\" type=\"checkbox\"> every entry</label>\n\
         <button id=\"in\">larger</button> <button id=\"out\">smaller</button> <button id=\"whole\">1:1</button>\n\
         <span>Click a bundle to see only its edges; Ctrl and the wheel zoom.</span></header>\n"
    );
    // Writing into a text cannot fail.
    let _ = writeln!(page, "<svg width=\"0\" height=\"0\" aria-hidden=\"true\">{DEFINITIONS}</svg>");
    let mut has_mutual = false;
    for channel in channels {
        page.push_str("<section>\n");
        let short = Panel::new(catalog, channel, way, Detail::Collapsed, &mut n_left)?;
        has_mutual |= short.has_mutual;
        let is_full = short.is_full;
        write_picture(&mut page, &short, if is_full { "" } else { "short" });
        if !is_full {
            let full = Panel::new(catalog, channel, way, Detail::Full, &mut n_left)?;
            write_picture(&mut page, &full, "full hidden");
        }
        page.push_str("</section>\n");
    }
    page.push_str("<section>\n");
    write_picture(&mut page, &legend(has_mutual), "");
    let _ = writeln!(page, "</section>\n<script>{SCRIPT}</script>\n</body>\n</html>");
    Ok(page)
}

fn write_picture(page: &mut String, Panel { body, width, height, .. }: &Panel, class: &str) {
    let _ = writeln!(
        page,
        "<svg class=\"{class}\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n\
         {body}</svg>"
    );
}
