"use strict";
// Search, the range of a cited place, and the switch of colours. Pages can be read without any of it.
const warRig = (() => {
  let root = "";
  // What can be found, as the script of the search says; names, words and texts are loaded when needed.
  let index = null;
  let isServed = false;
  const names = new Map();
  const words = new Map();
  const texts = new Map();
  const waiting = new Map();
  const NAMES = 40;
  const TEXTS = 20;

  function load(path, then, failed) {
    if (waiting.has(path)) { waiting.get(path).push(then); return; }
    waiting.set(path, [then]);
    const script = document.createElement("script");
    script.src = root + path;
    script.onload = () => { const all = waiting.get(path); waiting.set(path, { push: (next) => next() }); all.forEach((next) => next()); };
    script.onerror = () => { waiting.delete(path); if (failed) failed(); };
    document.head.append(script);
  }

  function loadAll(paths, then) {
    let left = paths.length;
    if (!left) { then(); return; }
    paths.forEach((path) => load(path, () => { left -= 1; if (!left) then(); }));
  }

  // The scripts that hold the words that begin with what was typed.
  function scriptsOf(prefixes, word) {
    const found = [];
    prefixes.forEach((prefix, number) => {
      if (prefix.startsWith(word) || (word + " ").startsWith(prefix) || word.startsWith(prefix)) found.push(number);
    });
    return found.slice(0, 60);
  }

  const partsOf = (text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);

  // The name is what was typed, begins with it, has a word that is it, has one that begins with it.
  function rank(name, typed, parts) {
    const lower = name.toLowerCase();
    const own = partsOf(name);
    if (!parts.every((word) => lower.startsWith(word) || own.some((part) => part.startsWith(word)))) return -1;
    if (lower === typed) return 0;
    if (lower.startsWith(typed)) return 1;
    return parts.every((word) => own.includes(word)) ? 2 : 3;
  }

  // What was typed: words, and perhaps `in:PROGRAM`, which leaves only what is said of it.
  function asked(typed) {
    let within = "";
    const whole = typed.replace(/(^|\s)in:(\S*)/giu, (all, blank, name) => { within = name.toLowerCase(); return " "; }).trim().toLowerCase().replace(/\s+/g, " ");
    return { whole, parts: partsOf(whole), within };
  }

  const isWithin = (what, within) => !within || what.toLowerCase().replace(/^in /, "").startsWith(within);

  function findNames(question, kind, then) {
    const longest = question.parts.reduce((one, other) => (other.length > one.length ? other : one));
    const numbers = scriptsOf(index.names, longest);
    loadAll(numbers.map((number) => "_search/names/" + number + ".js"), () => {
      const rows = new Map();
      numbers.forEach((number) => (names.get(number) || []).forEach((entry) => {
        const place = rank(entry[0], question.whole, question.parts);
        if (place < 0 || (kind && entry[3] !== kind) || !isWithin(entry[1], question.within)) return;
        const before = rows.get(entry[2]);
        if (!before || before[0] > place) rows.set(entry[2], [place, entry]);
      }));
      const sorted = [...rows.values()].sort((one, other) => one[0] - other[0] || one[1][0].length - other[1][0].length || (one[1][0] + one[1][1] < other[1][0] + other[1][1] ? -1 : 1));
      then(sorted.slice(0, NAMES).map((row) => row[1]));
    });
  }

  // The numbers of the texts that have a word that begins so.
  function numbersOf(part) {
    const found = new Set();
    scriptsOf(index.words, part).forEach((number) => Object.entries(words.get(number) || {}).forEach(([word, steps]) => {
      if (!word.startsWith(part)) return;
      let at = 0;
      steps.forEach((step) => { at += step; found.add(at); });
    }));
    return found;
  }

  function findTexts(question, kind, then) {
    const scripts = new Set();
    question.parts.forEach((part) => scriptsOf(index.words, part).forEach((number) => scripts.add("_search/words/" + number + ".js")));
    loadAll([...scripts], () => {
      const sets = question.parts.map(numbersOf).sort((one, other) => one.size - other.size);
      const all = [...sets[0]].filter((number) => sets.every((set) => set.has(number)));
      const kindOf = (number) => index.textKinds[number % 16];
      const sorted = all.filter((number) => !kind || kindOf(number) === kind).sort((one, other) => one % 16 - other % 16 || one - other);
      const first = sorted.slice(0, question.within ? 400 : TEXTS);
      const blockOf = (number) => Math.floor(Math.floor(number / 16) / index.block);
      loadAll([...new Set(first.map(blockOf))].map((block) => "_search/texts/" + block + ".js"), () => {
        const rows = first.map((number) => {
          const [text, what, place] = texts.get(blockOf(number))[Math.floor(number / 16) % index.block];
          return [text, what, place, kindOf(number)];
        }).filter((row) => isWithin(row[1], question.within));
        const hasPhrase = (row) => row[0].toLowerCase().includes(question.whole);
        then([...rows.filter(hasPhrase), ...rows.filter((row) => !hasPhrase(row))].slice(0, TEXTS), sorted.length);
      });
    });
  }

  // Shows names at once, texts below them when they are there.
  function search(typed, kind, show) {
    const question = asked(typed);
    if (!question.parts.length) { show([], 0); return; }
    load("_search/begin.js", () => {
      if (isServed) { ask(typed, kind, show); return; }
      const isOfTexts = index.textKinds.includes(kind);
      const withNames = (rows) => {
        if (kind && !isOfTexts) { show(rows, rows.length); return; }
        if (rows.length) show(rows, rows.length);
        findTexts(question, kind, (more, count) => show([...rows, ...more], rows.length + count));
      };
      findNames(question, kind, withNames);
    });
  }

  // A server that knows the documents finds more: it answers with a script too, so that nothing but scripts is ever loaded.
  const answers = new Map();
  function ask(typed, kind, show) {
    const path = "_search/ask.js?words=" + encodeURIComponent(typed) + "&kind=" + encodeURIComponent(kind);
    // The next time it is asked anew.
    const then = () => { waiting.delete(path); const answer = answers.get(typed + "\n" + kind); if (answer) show(answer[0], answer[1]); };
    load(path, then, () => show([], 0, "The search failed; the server says why."));
  }

  function light() {
    const range = /^#L(\d+)(?:-L(\d+))?$/.exec(location.hash);
    document.querySelectorAll(".block > .lit").forEach((line) => line.classList.remove("lit"));
    if (!range || !document.body.classList.contains("source")) return;
    const first = Number(range[1]);
    for (let number = first; number <= Math.min(Number(range[2] || first), first + 5000); number += 1) {
      const line = document.getElementById("L" + number);
      if (line) line.classList.add("lit");
    }
    const line = document.getElementById("L" + first);
    // Not with scrollIntoView, which would move the page around a frame too.
    if (line) scrollTo(0, line.getBoundingClientRect().top + scrollY - innerHeight / 3);
  }

  const stored = (value) => { try { if (value !== undefined) localStorage.setItem("war-rig-colours", value); return localStorage.getItem("war-rig-colours"); } catch { return null; } };
  const colours = (name) => { document.documentElement.classList.remove("dark", "light"); if (name) document.documentElement.classList.add(name); };
  // Before anything is drawn, so that nothing flashes or moves.
  document.documentElement.classList.add("js");
  colours(stored());

  function start() {
    // Not as written, which a page with a base would take for something else.
    root = new URL(document.body.dataset.root || "./", location.href).href;
    light();
    addEventListener("hashchange", light);
    addEventListener("message", (event) => { if (event.source === parent && event.data === "war-rig: " + location.hash) light(); });
    addEventListener("storage", () => colours(stored()));
    const button = document.getElementById("_colours");
    if (button) {
      button.hidden = false;
      button.addEventListener("click", () => {
        const now = document.documentElement.classList;
        const isDark = now.contains("dark") || (!now.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
        colours(isDark ? "light" : "dark");
        stored(isDark ? "light" : "dark");
      });
    }
    // A line's number makes the address of the page that of the line; with the shift key, that of all lines from the one before.
    document.addEventListener("click", (event) => {
      const line = event.target.closest(".block b");
      if (!line) return;
      const first = event.shiftKey && /^#(L\d+)/.exec(location.hash);
      location.hash = first ? first[1] + "-" + line.parentElement.id : line.parentElement.id;
    });
    const columns = document.querySelector(".columns");
    const closer = document.querySelector(".close");
    if (closer) {
      closer.hidden = false;
      closer.addEventListener("click", () => columns.classList.remove("open"));
      addEventListener("keydown", (event) => { if (event.key === "Escape") columns.classList.remove("open"); });
    }
    addEventListener("beforeprint", () => document.querySelectorAll("main details").forEach((part) => { part.open = true; }));
    document.addEventListener("click", (event) => {
      const link = event.target.closest('a[target="source"], .places a');
      if (!link || !link.getAttribute("href").includes("_source/")) return;
      link.target = "source";
      const before = link.getBoundingClientRect().top;
      columns.classList.add("open");
      // The text became narrower: what was clicked stays where it was.
      scrollBy(0, link.getBoundingClientRect().top - before);
      document.querySelectorAll(".cited.lit").forEach((lit) => lit.classList.remove("lit"));
      link.classList.add("lit");
      const end = link.dataset.end;
      if (end && link.hash !== "#L" + end && !link.hash.endsWith("-L" + end)) link.hash += "-L" + end;
      copyOf(link);
      // The same place a second time is no new address to the frame.
      document.querySelector("iframe").contentWindow.postMessage("war-rig: " + link.hash, "*");
    });
    document.querySelectorAll(".drawing").forEach(zoom);
    const input = document.getElementById("_search");
    if (!input || self !== top) return;
    const results = document.getElementById("_results");
    const kinds = document.getElementById("_kind");
    input.parentElement.hidden = false;
    const fillKinds = () => load("_search/begin.js", () => {
      if (kinds.options.length > 1) return;
      index.kinds.forEach((kind) => kinds.add(new Option(kind.replace(/-/g, " "), kind)));
    });
    let chosen = -1;
    const choose = (next) => {
      const items = [...results.querySelectorAll("li[role=option]")];
      if (!items.length) return;
      chosen = (next + items.length) % items.length;
      items.forEach((item, number) => item.setAttribute("aria-selected", String(number === chosen)));
      input.setAttribute("aria-activedescendant", items[chosen].id);
      items[chosen].scrollIntoView({ block: "nearest" });
    };
    const close = () => { results.hidden = true; input.setAttribute("aria-expanded", "false"); input.removeAttribute("aria-activedescendant"); };
    const show = (typed, kind) => (rows, count, problem) => {
      if (input.value !== typed || kinds.value !== kind) return;
      results.replaceChildren(...rows.map((row, number) => {
        const item = document.createElement("li");
        item.id = "result-" + number;
        item.setAttribute("role", "option");
        const link = document.createElement("a");
        link.href = root + row[2];
        const what = document.createElement("span");
        what.className = "quiet";
        what.textContent = (row[3] === "pages" ? "" : row[3].replace(/-/g, " ").replace(/s$/, "") + " ") + row[1];
        link.append(what, row[0]);
        item.append(link);
        return item;
      }));
      results.setAttribute("role", "listbox");
      if (!rows.length) results.textContent = problem || "Nothing has words that begin so.";
      if (count > rows.length) {
        const more = document.createElement("li");
        more.className = "quiet";
        more.textContent = count - rows.length + " more; more words, a kind or in:PROGRAM narrow it down";
        results.append(more);
      }
      results.hidden = false;
      input.setAttribute("aria-expanded", "true");
      if (rows.length) choose(0);
    };
    const find = () => { chosen = -1; const typed = input.value; const kind = kinds.value; if (typed.trim()) search(typed, kind, show(typed, kind)); else close(); };
    input.addEventListener("input", find);
    input.addEventListener("focus", fillKinds);
    kinds.addEventListener("focus", fillKinds);
    kinds.addEventListener("change", find);
    input.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown") { choose(chosen + 1); event.preventDefault(); }
      if (event.key === "ArrowUp") { choose(chosen - 1); event.preventDefault(); }
      if (event.key === "Escape") { close(); input.blur(); }
      const item = document.getElementById("result-" + chosen);
      if (event.key === "Enter" && !results.hidden && item) item.querySelector("a").click();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "/" && !/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) { input.focus(); event.preventDefault(); }
    });
    document.addEventListener("click", (event) => { if (!event.target.closest(".search")) close(); });
  }

  // Larger and smaller, with buttons and with the keys + and -; the arrow keys move a drawing that has the focus, as browsers have it.
  function zoom(figure) {
    const canvas = figure.querySelector(".canvas");
    const drawing = canvas.querySelector("svg");
    const width = Number(drawing.getAttribute("width"));
    let factor = 0;
    const set = (next) => {
      const now = factor || drawing.getBoundingClientRect().width / width || 1;
      factor = next && Math.min(4, Math.max(0.2, now * next));
      drawing.style.maxWidth = factor ? "none" : "";
      drawing.style.width = factor ? width * factor + "px" : "";
    };
    const bar = document.createElement("div");
    bar.className = "zoom";
    [["+", "Larger", 1.25], ["\u2212", "Smaller", 0.8], ["\u25a1", "As wide as the page", 0]].forEach(([sign, label, next]) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = sign;
      button.title = label;
      button.setAttribute("aria-label", label);
      button.addEventListener("click", () => set(next));
      bar.append(button);
    });
    figure.prepend(bar);
    canvas.addEventListener("keydown", (event) => {
      const next = { "+": 1.25, "=": 1.25, "-": 0.8, "0": 0 }[event.key];
      if (next !== undefined && !event.ctrlKey && !event.metaKey) { set(next); event.preventDefault(); }
    });
  }

  // Beside the source stands what was cited, to be copied as `file:line`.
  function copyOf(link) {
    const button = document.querySelector(".copy-place");
    const file = decodeURIComponent(link.pathname.split("/_source/").pop()).replace(/\.html$/, "");
    const lines = link.hash.replace(/^#/, "").replace(/L/g, "");
    button.hidden = false;
    button.textContent = "Copy " + file + (lines ? ":" + lines : "");
    button.onclick = () => {
      const text = button.textContent.replace(/^Copy /, "");
      const done = () => { button.textContent = "Copied"; setTimeout(() => { button.textContent = "Copy " + text; }, 1200); };
      if (navigator.clipboard) { navigator.clipboard.writeText(text).then(done); return; }
      const field = document.createElement("textarea");
      field.value = text;
      document.body.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
      done();
    };
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start); else start();
  return {
    begin: (ofNames, ofWords, textKinds, kinds, block) => { index = { names: ofNames, words: ofWords, textKinds, kinds, block }; },
    served: (kinds) => { isServed = true; index = { kinds }; },
    names: (number, rows) => { names.set(number, rows); },
    words: (number, ofWords) => { words.set(number, ofWords); },
    texts: (number, rows) => { texts.set(number, rows); },
    answer: (typed, kind, rows, count) => { answers.set(typed + "\n" + kind, [rows, count]); },
  };
})();
