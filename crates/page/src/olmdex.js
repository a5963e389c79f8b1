"use strict";
// What pages can do besides: copy a command, and narrow a list that is a file. Everything is there without it.

for (const command of document.querySelectorAll("pre.command")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    const text = command.querySelector("code").textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      // Without a secure connection a page may not write there: what is marked can be copied by hand.
      getSelection().selectAllChildren(command.querySelector("code"));
      button.textContent = "Marked";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  command.append(button);
}

for (const label of document.querySelectorAll("label.filter")) {
  const input = label.querySelector("input");
  const rows = [...document.querySelectorAll(`#${input.dataset.filter} tbody tr`)];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const narrow = () => {
    const words = input.value.toLowerCase().split(/\s+/);
    rows.forEach((row, at) => { row.hidden = !words.every((word) => texts[at].includes(word)); });
  };
  input.addEventListener("input", narrow);
  label.hidden = false;
  narrow();
}

// As on other sites, a slash leads to the search.
document.addEventListener("keydown", (event) => {
  const at = event.target;
  const isTyping = at instanceof HTMLElement && (at.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(at.tagName));
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const search = document.querySelector("form[role=search] input");
  if (search) { event.preventDefault(); search.focus(); }
});

// The names of packages appear while one types; they are asked for once, when the search is first used.
for (const input of document.querySelectorAll("form[role=search] input[data-names]")) {
  input.addEventListener("focus", async () => {
    try {
      const answer = await fetch(input.dataset.names);
      const list = document.createElement("datalist");
      list.id = "names";
      const seen = new Set();
      for (const { package: name, displayName } of (await answer.json()).items) {
        if (seen.has(name)) continue;
        seen.add(name);
        const option = document.createElement("option");
        option.value = name;
        option.label = displayName;
        list.append(option);
      }
      document.body.append(list);
      input.setAttribute("list", list.id);
    } catch {
      // The search works without.
    }
  }, { once: true });
}
