"use strict";
// Search, the range of a cited place, and the switch of colours. Pages can be read without any of it.
const warRig = (() => {
  let root = "";
  let prefixes = null;
  const entries = new Map();
  const waiting = new Map();

  function load(path, then) {
    if (waiting.has(path)) { waiting.get(path).push(then); return; }
    waiting.set(path, [then]);
    const script = document.createElement("script");
    script.src = root + path;
    script.onload = () => { const all = waiting.get(path); waiting.set(path, { push: (next) => next() }); all.forEach((next) => next()); };
    script.onerror = () => waiting.delete(path);
    document.head.append(script);
  }

  // The scripts that hold the words that begin with what was typed.
  function scriptsOf(word) {
    const found = [];
    prefixes.forEach((prefix, number) => {
      if (prefix.startsWith(word) || (word + " ").startsWith(prefix) || word.startsWith(prefix)) found.push(number);
    });
    return found.slice(0, 60);
  }

  // The name is what was typed, begins with it, has a word that is it, has one that begins with it.
  function rank(name, typed, words) {
    const lower = name.toLowerCase();
    const parts = lower.split(/[^\p{L}\p{N}]+/u);
    if (!words.every((word) => lower.startsWith(word) || parts.some((part) => part.startsWith(word)))) return -1;
    if (lower === typed) return 0;
    if (lower.startsWith(typed)) return 1;
    return words.every((word) => parts.includes(word)) ? 2 : 3;
  }

  function search(typed, show) {
    const whole = typed.trim().toLowerCase().replace(/\s+/g, " ");
    const words = whole.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
    if (!words.length) { show([]); return; }
    load("_search/prefixes.js", () => {
      const longest = words.reduce((one, other) => (other.length > one.length ? other : one));
      const numbers = scriptsOf(longest);
      let left = numbers.length;
      if (!left) { show([]); return; }
      numbers.forEach((number) => load("_search/" + number + ".js", () => {
        left -= 1;
        if (left) return;
        const rows = new Map();
        numbers.forEach((which) => (entries.get(prefixes[which]) || []).forEach((entry) => {
          const place = rank(entry[0], whole, words);
          if (place >= 0) rows.set(entry[2], [place, entry]);
        }));
        const sorted = [...rows.values()].sort((one, other) => one[0] - other[0] || one[1][0].length - other[1][0].length || (one[1][0] + one[1][1] < other[1][0] + other[1][1] ? -1 : 1));
        show(sorted.slice(0, 50).map((row) => row[1]));
      }));
    });
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
    root = document.body.dataset.root || "";
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
      const link = event.target.closest('a[target="source"]');
      if (!link) return;
      const before = link.getBoundingClientRect().top;
      columns.classList.add("open");
      // The text became narrower: what was clicked stays where it was.
      scrollBy(0, link.getBoundingClientRect().top - before);
      document.querySelectorAll(".cited.lit").forEach((lit) => lit.classList.remove("lit"));
      link.classList.add("lit");
      const end = link.dataset.end;
      if (end && link.hash !== "#L" + end && !link.hash.endsWith("-L" + end)) link.hash += "-L" + end;
      // The same place a second time is no new address to the frame.
      document.querySelector("iframe").contentWindow.postMessage("war-rig: " + link.hash, "*");
    });
    const input = document.getElementById("_search");
    if (!input) return;
    const results = document.getElementById("_results");
    input.parentElement.hidden = false;
    let chosen = -1;
    const choose = (next) => {
      const items = [...results.children];
      if (!items.length) return;
      chosen = (next + items.length) % items.length;
      items.forEach((item, number) => item.setAttribute("aria-selected", String(number === chosen)));
      input.setAttribute("aria-activedescendant", items[chosen].id);
      items[chosen].scrollIntoView({ block: "nearest" });
    };
    const close = () => { results.hidden = true; input.setAttribute("aria-expanded", "false"); input.removeAttribute("aria-activedescendant"); };
    const show = (typed) => (rows) => {
      if (input.value !== typed) return;
      results.replaceChildren(...rows.map((row, number) => {
        const item = document.createElement("li");
        item.id = "result-" + number;
        item.setAttribute("role", "option");
        const link = document.createElement("a");
        link.href = root + row[2];
        const what = document.createElement("span");
        what.className = "quiet";
        what.textContent = row[1];
        link.append(what, row[0]);
        item.append(link);
        return item;
      }));
      results.setAttribute("role", "listbox");
      if (!rows.length) results.textContent = "No name has words that begin so.";
      results.hidden = false;
      input.setAttribute("aria-expanded", "true");
      if (rows.length) choose(0);
    };
    input.addEventListener("input", () => { chosen = -1; const typed = input.value; if (typed.trim()) search(typed, show(typed)); else close(); });
    input.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown") { choose(chosen + 1); event.preventDefault(); }
      if (event.key === "ArrowUp") { choose(chosen - 1); event.preventDefault(); }
      if (event.key === "Escape") { close(); input.blur(); }
      if (event.key === "Enter" && !results.hidden && results.children[chosen]) results.children[chosen].querySelector("a").click();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(event.target.tagName)) { input.focus(); event.preventDefault(); }
    });
    document.addEventListener("click", (event) => { if (!event.target.closest(".search")) close(); });
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start); else start();
  return {
    prefixes: (all) => { prefixes = all; },
    found: (prefix, rows) => { entries.set(prefix, rows); },
  };
})();
