//! HTML: the pictures of [`super::svg()`] in one self-contained file, to move around in.
//!
//! Everything is visible without the script: lines of several versions open. The script adds a search and a zoom, and
//! highlights a channel or a version.

use std::fmt::Write as _;

use super::catalog::{Catalog, Channel};
use super::layout::Detail;
use super::markup::escaped;
use super::order::in_version_order;
use super::picture::{Picture, TooManyMarks, View};
use super::strip::{MarkedPath, PictureLinks};
use super::style::{page_style, style};
use super::svg::{MAX_LINES, maps, markup};

const PAGE_STYLE: &str = "
body { margin: 0; font: 14px system-ui, -apple-system, \"Segoe UI\", Roboto, Arial, sans-serif; }
header { position: sticky; top: 0; display: flex; flex-wrap: wrap; gap: .6em; align-items: center; padding: .4em 1em;
  border-bottom: 1px solid; z-index: 1; }
header h1 { font-size: 1em; margin: 0 1em 0 0; overflow-wrap: anywhere; }
#tools { display: flex; flex-wrap: wrap; gap: .4em; align-items: center; }
#tools[hidden] { display: none; }
button, input { font: inherit; color: inherit; background: none; border: 1px solid; border-radius: 6px; padding: .2em .6em; }
input { width: 15em; max-width: 60vw; }
section { padding: .5em 1em; overflow: auto; }
.dim { opacity: .15; }
.row { cursor: pointer; }
summary:focus-visible { outline: 3px solid; outline-offset: -3px; }
@media print { header { position: static; } #tools { display: none; } }
";

const SCRIPT: &str = r#"
"use strict";
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
let zoom = 1;
function resize(factor) {
  zoom = Math.min(8, Math.max(.1, factor));
  for (const it of all(".picture svg")) {
    it.setAttribute("width", it.viewBox.baseVal.width * zoom);
    it.setAttribute("height", it.viewBox.baseVal.height * zoom);
  }
  document.getElementById("whole").textContent = Math.round(zoom * 100) + " %";
}
const shown = () => all(".picture svg").find(it => it.getClientRects().length > 0);
document.getElementById("in").onclick = () => resize(zoom * 1.25);
document.getElementById("out").onclick = () => resize(zoom * .8);
document.getElementById("whole").onclick = () => resize(1);
document.getElementById("fit").onclick = () => {
  const it = shown();
  if (it) resize((document.documentElement.clientWidth - 40) / it.viewBox.baseVal.width);
};
const folds = document.getElementById("folds");
folds.onclick = () => {
  const open = all("details").some(it => !it.open);
  for (const it of all("details")) it.open = open;
};
folds.hidden = all("details").length === 0;
document.addEventListener("wheel", event => {
  if (!event.ctrlKey) return;
  event.preventDefault();
  resize(zoom * (event.deltaY < 0 ? 1.1 : .9));
}, { passive: false });
document.getElementById("tools").hidden = false;
const clear = () => all(".dim").forEach(it => it.classList.remove("dim"));
const find = document.getElementById("find");
find.oninput = () => {
  clear();
  const words = find.value.trim().toLowerCase();
  if (words === "") return;
  const has = it => it.textContent.toLowerCase().includes(words);
  for (const it of all(".picture .row, .picture .flag")) it.classList.toggle("dim", !has(it));
  for (const it of all("details")) if (all(":scope > svg .row", it).some(has)) it.open = true;
};
document.addEventListener("keydown", event => {
  if (event.key === "/" && document.activeElement !== find) { event.preventDefault(); find.focus(); }
  if (event.key === "Escape") { find.value = ""; clear(); chosen = null; }
});
let chosen = null;
for (const picture of all(".picture")) {
  picture.addEventListener("click", event => {
    if (event.target.closest("summary, a") !== null) return;
    const row = event.target.closest(".row");
    clear();
    if (row === null || row === chosen) { chosen = null; return; }
    chosen = row;
    for (const it of all(".row", picture)) it.classList.toggle("dim", it !== row);
  });
}
for (const section of all("section")) {
  let from = null;
  section.addEventListener("pointerdown", event => {
    if (event.pointerType === "mouse" && event.button === 0) from = [event.clientX + section.scrollLeft, event.clientY + scrollY];
  });
  addEventListener("pointermove", event => {
    if (from === null) return;
    section.scrollLeft = from[0] - event.clientX;
    scrollTo(scrollX, from[1] - event.clientY);
  });
  addEventListener("pointerup", () => { from = null; });
}
"#;

/// Draws a catalog's packages as a page: lines of several versions to open, a search, a zoom, and highlighting of a
/// channel. As in [`super::svg()`], packages are below each other, and pictures may have so many marks.
///
/// # Errors
/// [`TooManyMarks`] if they have more.
pub fn html(catalog: &Catalog, way: &MarkedPath, detail: Detail, max_marks: usize) -> Result<String, TooManyMarks> {
    let channels = in_version_order(catalog);
    let mut packages: Vec<&[&Channel]> = channels.chunk_by(|a, b| a.package == b.package).collect();
    let title = match packages[..] {
        [] => "Upgrades".to_owned(),
        [only] => format!("Upgrades of {}", only.first().map_or("", |channel| &channel.package)),
        [..] => format!("Upgrades of {} packages", packages.len()),
    };
    if packages.is_empty() {
        packages.push(&[]);
    }
    let title = escaped(&title);
    let view = View {
        way,
        max_lines: View::max_lines_of(detail, MAX_LINES),
        max_opened: usize::MAX,
        links: &PictureLinks::NONE,
    };
    let mut n_left = max_marks;
    let mut main = String::new();
    // Writing into a text cannot fail.
    for of_package in packages {
        let mut picture = String::new();
        if of_package.len() > 1 {
            picture.push_str(&maps(catalog, of_package, view, &mut n_left)?);
        }
        for channel in of_package.iter().filter(|_| of_package.len() == 1 || detail == Detail::Full) {
            picture.push_str(&markup(&Picture::new(catalog, channel, view, &mut n_left)?, ""));
        }
        let _ = writeln!(
            main,
            "<section tabindex=\"0\" role=\"region\" aria-label=\"Upgrade graph\">\n{picture}</section>"
        );
    }
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>{PAGE_STYLE}{}{}</style>\n</head>\n<body>\n<header><h1>{title}</h1>\n\
         <span id=\"tools\" hidden><input id=\"find\" type=\"search\" placeholder=\"Find (press /)\" aria-label=\"Find a channel or version\">\n\
         <button id=\"out\" aria-label=\"Smaller\">\u{2212}</button> <button id=\"whole\" title=\"Original size\">100 %</button> \
         <button id=\"in\" aria-label=\"Larger\">+</button> <button id=\"fit\">Fit</button> \
         <button id=\"folds\">Open or close folds</button>\n\
         Click a channel or a version to highlight it.</span></header>\n<main>\n{main}</main>\n",
        page_style(),
        style(),
    );
    let _ = writeln!(text, "<script>{SCRIPT}</script>\n</body>\n</html>");
    Ok(text)
}
