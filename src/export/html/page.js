/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a report says becomes text, never markup: elements are made by make() alone. */

"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const words = data.words;
const ROW = 23, LEGIBLE = 20; /* pixels */
const THINNEST = 0.0005, HEAVIEST = 15;
const states = ["computing", "preempted", "fault", "blocked", "unknown"];

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (key === "onclick" || key === "oninput") element[key] = value;
    else if (value !== null) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function place(element, from, to, least = 0) { /* shares of the width; the page's policy forbids style attributes */
  element.style.left = `min(${from * 100}%, 100% - ${least}px)`;
  element.style.width = `${(to - from) * 100}%`;
  return element;
}

function duration(ns) {
  const [size, unit] = [[60e9, "min"], [1e9, "s"], [1e6, "ms"], [1, "µs"]].find(([least]) => ns >= least) ?? [1e6, "ms"];
  const n = ns / (unit === "µs" ? 1e3 : size);
  return `${n.toFixed(size < 1e9 || n >= 100 ? 0 : n < 10 ? 2 : 1)} ${unit}`;
}

const percent = share => `${(share * 100).toFixed(share < 0.0995 && share > 0 ? 1 : 0)} %`;
const when = ns => new Date(data.began_ms + ns / 1e6).toLocaleString(data.lang);

/* All samples as a tree of functions, outermost first. */
function makeTree(reports) {
  const root = { function: -1, depth: 0, time: 0, self: 0, children: new Map(), parent: null };
  for (const report of reports)
    for (const [from, to, stack] of report.samples) {
      let node = root;
      root.time += to - from;
      for (const index of report.stacks[stack]) {
        if (!node.children.has(index))
          node.children.set(index, { function: index, depth: node.depth + 1, time: 0, self: 0, children: new Map(), parent: node });
        node = node.children.get(index);
        node.time += to - from;
      }
      node.self += to - from;
    }
  return root;
}

/* Per function, recursion counted once. */
function sumFunctions(reports) {
  const sums = new Map();
  for (const report of reports)
    for (const [from, to, stack] of report.samples) {
      const calls = report.stacks[stack];
      for (const index of new Set(calls)) {
        const sum = sums.get(index) ?? { total: 0, self: 0 };
        sum.total += to - from;
        sum.self += index === calls[calls.length - 1] ? to - from : 0;
        sums.set(index, sum);
      }
    }
  return [...sums].sort((a, b) => b[1].self - a[1].self || b[1].total - a[1].total);
}

const nameOf = node => node.function < 0 ? words.all : data.functions[node.function][0];
const classOf = node => node.function < 0 ? "nothing" : data.functions[node.function][1] === "" ? "nothing"
  : data.functions[node.function][3] ? "platform" : "program";

function makeFlame(reports) {
  const root = makeTree(reports);
  const flame = make("div", { class: "flame", role: "tree", "aria-label": words.flame });
  const about = make("p", { class: "about" });
  const reset = make("button", { type: "button", onclick: () => zoom(root) }, words.reset);
  const search = make("input", { type: "search", placeholder: words.search, "aria-label": words.search, oninput: find });
  let shown = root, cells = new Map(), current = root, width = 0;

  function tell(node) {
    const [, module, file] = node.function < 0 ? ["", "", ""] : data.functions[node.function];
    about.replaceChildren(make("b", {}, nameOf(node)), ` ${percent(node.time / root.time)}, ${duration(node.time)}; `
      + `${words.self} ${percent(node.self / root.time)}`, make("br"), file || module || "\u00a0");
  }

  function focus(node) {
    cells.get(current)?.setAttribute("tabindex", "-1");
    current = cells.has(node) ? node : shown;
    cells.get(current).setAttribute("tabindex", "0");
    cells.get(current).focus();
  }

  function find() {
    const text = search.value.toLowerCase();
    flame.classList.toggle("searching", text !== "");
    for (const [node, cell] of cells)
      cell.classList.toggle("found", text !== "" && nameOf(node).toLowerCase().includes(text));
  }

  function add(node, from, to) {
    if (to - from < THINNEST && node !== shown) return;
    const children = [...node.children.values()].sort((a, b) => b.time - a.time);
    const cell = place(make("div", {
      class: classOf(node) + ((to - from) * width < LEGIBLE ? " thin" : ""), role: "treeitem", tabindex: node === current ? "0" : "-1",
      "aria-level": node.depth + 1, "aria-expanded": children.length > 0 ? "true" : null,
      "aria-label": `${nameOf(node)}, ${percent(node.time / root.time)}, ${duration(node.time)}`,
      onclick: () => { zoom(node); },
    }, nameOf(node)), from, to);
    cell.style.top = `${node.depth * ROW}px`;
    cell.onfocus = cell.onmouseenter = () => tell(node);
    flame.append(cell);
    cells.set(node, cell);
    let at = from;
    for (const child of children) {
      const width = (to - from) * child.time / (node.time || 1);
      add(child, at, at + width);
      at += width;
    }
  }

  function zoom(node) {
    width = details.clientWidth;
    const had = flame.contains(document.activeElement);
    flame.replaceChildren();
    cells = new Map();
    shown = current = node;
    const above = [];
    for (let outer = node.parent; outer; outer = outer.parent) above.push(outer);
    for (const outer of above.reverse()) { /* the way back */
      const children = outer.children;
      outer.children = new Map();
      add(outer, 0, 1);
      outer.children = children;
    }
    add(node, 0, 1);
    flame.style.height = `${(Math.max(...[...cells.keys()].map(cell => cell.depth)) + 1) * ROW}px`;
    reset.disabled = node === root;
    find();
    tell(node);
    if (had) focus(node);
  }

  flame.onkeydown = event => {
    const siblings = current.parent ? [...current.parent.children.values()].filter(node => cells.has(node)).sort((a, b) => b.time - a.time) : [current];
    const children = [...current.children.values()].filter(node => cells.has(node)).sort((a, b) => b.time - a.time);
    const at = siblings.indexOf(current);
    const to = { ArrowUp: current.parent, ArrowDown: children[0], ArrowLeft: siblings[at - 1], ArrowRight: siblings[at + 1],
      Home: root }[event.key];
    if (event.key === "Enter" || event.key === " ") zoom(current);
    else if (event.key === "Escape") zoom(root);
    else if (to && cells.has(to)) focus(to);
    else if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
  };

  if (root.time === 0) return [make("p", { class: "empty" }, words.no_samples)];
  zoom(root);
  return [make("div", { class: "tools" }, search, reset), flame, about,
    make("ul", { class: "legend" }, ...[["program", words.of_program], ["platform", words.of_platform]].map(
      ([name, text]) => make("li", {}, make("i", { class: name }), text)))];
}

function makeLane(label, length, ...bars) {
  const track = make("div", { class: "track" });
  for (const { from, to, name, text, choose } of bars) {
    const attributes = { class: name, title: text, "aria-label": text };
    track.append(place(choose ? make("button", { ...attributes, type: "button", onclick: choose }) : make("div", { ...attributes, role: "img" }),
      Math.max(from / length, 0), Math.min(to / length, 1), choose ? 6 : 2));
  }
  return make("div", { class: "lane" }, make("span", { title: label }, label), track);
}

function makeAxis(texts) {
  return make("div", { class: "axis", "aria-hidden": "true" }, ...texts.map((text, i) => {
    const tick = make("span", {}, text);
    tick.style.left = `${100 * i / (texts.length - 1)}%`;
    return tick;
  }));
}

const toBars = marks => marks.map(([from, to, text]) => ({ from, to, text }));

function makeTimeline(report) {
  const bars = [];
  for (const [from, to, , state, text] of report.samples) { /* samples of one state in a row are one bar */
    const last = bars[bars.length - 1];
    if (last && last.to === from && last.state === state) last.to = to;
    else bars.push({ from, to, state, name: states[state], what: text });
  }
  for (const bar of bars) bar.text = `${bar.what || words.unknown}, ${duration(bar.from)} – ${duration(bar.to)}`;
  const waits = toBars(report.waits), late = toBars(report.late), length = report.length || 1;
  const used = new Map(bars.map(bar => [bar.name, bar.what || words.unknown]));
  return [
    makeLane(words.thread, length, ...bars),
    ...waits.length ? [makeLane(words.waits, length, ...waits.map(bar => ({ ...bar, name: "blocked", text: `${bar.text}, ${duration(bar.to - bar.from)}` })))] : [],
    ...late.length ? [makeLane(words.late, length, ...late.map(bar => ({ ...bar, name: "late" })))] : [],
    makeAxis([0, 1 / 4, 1 / 2, 3 / 4, 1].map(share => duration(share * report.length))),
    make("ul", { class: "legend" }, ...[...used].map(([name, text]) => make("li", {}, make("i", { class: name }), text))),
    ...waits.length ? [makeTable([words.waits, words.length], waits.map(bar => [bar.text, duration(bar.to - bar.from)]))] : [],
  ];
}

const severityClass = { minor: "unknown", microhang: "preempted", hang: "computing", frozen: "late" };

function makeOverview() {
  const length = data.length || 1;
  return [
    ...data.programs.map(program => makeLane(program.name, length,
      ...program.late.map(([from, to]) => ({ from, to, text: words.late, name: "late" })),
      ...program.bars.map(([from, to, index]) => {
        const problem = data.problems[index];
        return { from, to, text: problem.title, name: severityClass[problem.severity], choose: () => choose(problem) };
      }))),
    makeAxis([when(0), when(data.length)]),
  ];
}

/* The first column is code; the others are numbers, or text. */
function makeTable(titles, rows, other = "number") {
  const cell = (name, text, i) => make(name, { class: i === 0 ? "name" : other, ...name === "th" && { scope: "col" } }, text);
  return make("div", { class: "scroll" }, make("table", {}, make("thead", {}, make("tr", {}, ...titles.map((text, i) => cell("th", text, i)))),
    make("tbody", {}, ...rows.map(row => make("tr", {}, ...row.map((text, i) => cell("td", text, i)))))));
}

function makeFunctions(reports) {
  const total = reports.flatMap(report => report.samples).reduce((sum, [from, to]) => sum + to - from, 0);
  return total === 0 ? [] : [make("h3", {}, words.functions), makeTable([words.function, words.self, words.total],
    sumFunctions(reports).slice(0, HEAVIEST).map(([index, sum]) => [data.functions[index][0], percent(sum.self / total), percent(sum.total / total)]))];
}

function makeThreads(report) {
  return report.threads.length === 0 ? [] : [make("h3", {}, words.threads), makeTable([words.thread, words.doing, words.innermost],
    report.threads.map(([name, doing, stack]) => [name, doing, stack < 0 ? "" : data.functions[report.stacks[stack].at(-1)][0]]), "words")];
}

const main = document.getElementById("main"), nav = make("nav", { "aria-label": words.problems }), details = make("section", { tabindex: "-1" });
const buttons = new Map();

/* report: null: all of them */
function choose(report) {
  const reports = report ? [report] : data.problems;
  for (const [key, button] of buttons) button.setAttribute("aria-current", key === report);
  details.replaceChildren(
    make("h2", {}, report ? report.title : words.all_problems),
    make("p", { class: "dim" }, report ? `${report.name} · ${when(report.began)}` : `${when(0)} – ${when(data.length)}`),
    ...report ? [make("dl", { class: "facts" }, ...report.facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]))] : [],
    make("h3", {}, words.timeline), ...report ? makeTimeline(report) : makeOverview(),
    make("h3", {}, words.flame), ...makeFlame(reports), ...makeFunctions(reports), ...report ? makeThreads(report) : []);
  history.replaceState(null, "", report ? `#${encodeURIComponent(report.id)}` : "#");
}

function addProblem(list, report, title, length, small, severity) {
  const button = make("button", { type: "button", onclick: () => choose(report) }, make("b", {}, title),
    make("span", { class: `length ${severity}` }, length), make("small", {}, small));
  buttons.set(report, button);
  list.append(make("li", {}, button));
}

function start() {
  const sorted = data.problems, list = make("ul");
  document.getElementById("summary").textContent = words.summary;
  if (sorted.length === 0) {
    main.append(make("p", { class: "empty" }, words.no_reports));
    return;
  }
  if (sorted.length > 1) addProblem(list, null, words.all_problems, String(sorted.length), words.all_small, "");
  for (const report of sorted)
    addProblem(list, report, report.culprit || report.kind, duration(report.total), report.name + (report.kind === "stall" ? "" : ` · ${report.kind}`)
      + (report.count > 1 ? ` · ${report.count}× · ${words.longest} ${duration(report.duration)}` : ""), report.severity);
  nav.append(list, ...words.left ? [make("p", { class: "dim" }, words.left)] : []);
  main.append(nav, details);
  choose(sorted.find(report => `#${encodeURIComponent(report.id)}` === location.hash) ?? (sorted.length > 1 ? null : sorted[0]));
}

start();
