"use strict";
// What pages can do besides: copy a command, and narrow a list that is a file. Everything is there without it.

// On phones a row is a card, whose cells stand without their headers.
for (const table of document.querySelectorAll(".stack table")) {
  const names = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  for (const cell of table.querySelectorAll("tbody td:not(.whole)")) cell.dataset.header = names[cell.cellIndex] ?? "";
}

// Lists that are files are narrowed here: by words, those of the address first, and by what is chosen beside.
const narrowing = [];
for (const label of document.querySelectorAll("label.filter")) {
  const input = label.querySelector("input");
  const rows = [...document.querySelectorAll(`#${input.dataset.filter} tbody tr`)];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const narrow = (isChosen = narrow.isChosen ?? (() => true)) => {
    narrow.isChosen = isChosen;
    const words = input.value.toLowerCase().split(/\s+/);
    rows.forEach((row, at) => { row.hidden = !(words.every((word) => texts[at].includes(word)) && isChosen(row)); });
  };
  input.value ||= new URLSearchParams(location.search).get("q") ?? "";
  // Words that a row does not show, such as keywords, find it too.
  narrow.know = (hidden) => {
    rows.forEach((row, at) => { texts[at] += ` ${(hidden.get(row.dataset.name) ?? []).join(" ").toLowerCase()}`; });
    narrow();
  };
  input.addEventListener("input", () => narrow());
  label.hidden = false;
  narrow();
  narrowing.push(narrow);
}

// What packages can be told apart by, on the list that is a file.
function showFacets(packages) {
  const place = document.querySelector("aside[data-facets]");
  if (!place) return;
  const values = new Map(packages.map(([name, , facets]) => [name, facets]));
  const counts = {};
  for (const [, , facets] of packages) {
    for (const [label, all] of Object.entries(facets)) {
      for (const value of all) (counts[label] ??= new Map()).set(value, (counts[label].get(value) ?? 0) + 1);
    }
  }
  const choices = [];
  for (const [label, all] of Object.entries(counts)) {
    const field = document.createElement("label");
    const select = document.createElement("select");
    field.append(Object.assign(document.createElement("span"), { textContent: label }), select);
    select.append(new Option("any", ""));
    for (const [value, n] of [...all].sort((a, b) => b[1] - a[1])) select.append(new Option(`${value} (${n})`, value));
    select.addEventListener("change", () => narrowing.forEach((narrow) => narrow((row) => {
      const facets = values.get(row.dataset.name) ?? {};
      return choices.every(([label, select]) => !select.value || (facets[label] ?? []).includes(select.value));
    })));
    choices.push([label, select]);
    place.append(field);
  }
  place.hidden = false;
}

// In files, the versions to choose from are a script of the package.
const versions = document.querySelector(".switch[data-versions]");
if (versions) {
  const script = Object.assign(document.createElement("script"), { src: versions.dataset.versions });
  globalThis.olmdexVersions = (lists) => {
    const [, all] = lists.find(([catalogs]) => catalogs.includes(versions.dataset.catalog)) ?? [];
    if (!all || all.length < 2) return;
    const form = document.createElement("form");
    const select = document.createElement("select");
    select.setAttribute("aria-label", "Version of the package");
    const here = location.href.replace(/[?#].*/, "");
    for (const [name, file] of all) {
      const address = new URL(file, script.src).href;
      select.add(new Option(name, address, false, address === here));
    }
    form.addEventListener("submit", (event) => { event.preventDefault(); location.assign(select.value); });
    form.append(select, Object.assign(document.createElement("button"), { textContent: "Go" }));
    versions.append(form);
  };
  document.head.append(script);
}

// The mirror list is kept as the query of its page while one goes from page to page. Its page has the list in its
// address, and is right.
const kept = {
  get: () => { try { return new URLSearchParams(localStorage.getItem("mirror-list") ?? ""); } catch { return new URLSearchParams(); } },
  set: (list) => { try { localStorage.setItem("mirror-list", list); } catch { /* Then each list begins anew. */ } },
};
const itemsOf = (list) => (list.get("p") ?? "").split(",").filter((item) => item);
const mirror = document.querySelector("nav[aria-label=Main] a[href$='/mirror']");
const showMirror = () => {
  const list = kept.get();
  const all = itemsOf(list);
  if (mirror) {
    mirror.textContent = all.length > 0 ? `Mirror list (${all.length})` : "Mirror list";
    mirror.search = all.length > 0 ? `?${list}` : "";
  }
  for (const link of document.querySelectorAll("a.add")) {
    link.textContent = all.includes(link.dataset.add) ? "✓ Mirror list" : "+ Mirror list";
    link.append(Object.assign(document.createElement("span"), { className: "away", textContent: `: ${link.dataset.add}` }));
    link.parentElement.querySelector(".open-list")?.remove();
    if (mirror && all.includes(link.dataset.add)) {
      link.after(Object.assign(document.createElement("a"), { className: "open-list", href: mirror.href, textContent: "Open the list" }));
    }
  }
};
const add = (item) => {
  const list = kept.get();
  const all = itemsOf(list);
  list.set("p", (all.includes(item) ? all.filter((other) => other !== item) : [...all, item]).join(","));
  kept.set(list);
  showMirror();
};
const listed = document.querySelector("[data-list]");
if (listed?.dataset.list) {
  const list = new URLSearchParams(location.search);
  if (listed.dataset.catalog) list.set("catalog", listed.dataset.catalog);
  kept.set(list);
} else if (listed && !location.search && itemsOf(kept.get()).length > 0) {
  location.replace(`${location.pathname}?${kept.get()}`);
} else if (!listed && mirror?.pathname === location.pathname) {
  // This index refuses the list.
  kept.set("");
}
document.addEventListener("click", (event) => {
  const target = event.target instanceof Element ? event.target : null;
  // The page of the empty list would restore the last item.
  if (target?.closest("[data-list] a") && itemsOf(kept.get()).length === 1) kept.set("");
  const link = target?.closest("a.add");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  add(link.dataset.add);
});
showMirror();

// As on other sites, a slash leads to the search.
document.addEventListener("keydown", (event) => {
  const at = event.target;
  const isTyping = at instanceof HTMLElement && (at.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(at.tagName));
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const search = document.querySelector("form[role=search] input");
  if (search) { event.preventDefault(); search.focus(); }
});

// The names of packages appear while one types; they are asked for once, when the search is first used.
function suggest(input, packages) {
  input.setAttribute("list", "names");
  if (document.getElementById("names")) return;
  const list = Object.assign(document.createElement("datalist"), { id: "names" });
  for (const [name, display] of new Map(packages)) {
    list.append(Object.assign(document.createElement("option"), { value: name, label: display }));
  }
  document.body.append(list);
}
for (const input of document.querySelectorAll("form[role=search] input[data-names]")) {
  const isFile = input.dataset.names.endsWith(".js");
  let isAsked = false;
  const load = async () => {
    if (isAsked) return;
    isAsked = true;
    try {
      // A file may not ask for another one, but a script of it may be loaded.
      if (isFile) {
        globalThis.olmdexPackages = (packages) => {
          suggest(input, packages);
          showFacets(packages);
          const keywords = new Map(packages.map(([name, , , words]) => [name, words]));
          narrowing.forEach((narrow) => narrow.know(keywords));
        };
        document.head.append(Object.assign(document.createElement("script"), { src: input.dataset.names }));
      } else {
        const { items } = await (await fetch(input.dataset.names)).json();
        suggest(input, items.map((it) => [it.package, it.displayName]));
      }
    } catch {
      // The search works without.
    }
  };
  if (document.querySelector("aside[data-facets]")) load();
  // A search that has the focus from the beginning waits for a letter.
  else for (const event of ["focus", "input"]) input.addEventListener(event, load);
}
