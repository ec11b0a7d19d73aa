// Brings the receiver's events, the filters and the list together.

import { CAPACITY, Filter, LEVELS, LogRecord, RecordLog } from "./records.js";
import { VirtualList } from "./list.js";
import { Scales, takeArchives } from "./archives.js";
import * as views from "./views.js";
import { curlExample, swiftExample } from "./examples.js";

const $ = (id) => document.getElementById(id);
const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

const log = new RecordLog();
const filter = new Filter();
let shown = [];
let view = "records";
let paused = false;
let held = [];
let arrivals = [];

const actions = {
  search(words) {
    $("search").value = words;
    searchChanged();
  },
  openRecord(record) {
    if (!filter.matches(record)) resetFilters();
    setView("records");
    list.active = record;
    if (list.open !== record) list.toggle(record);
  },
};

const list = new VirtualList($("list"), {
  rowHeight: 28,
  row: (item) => (view === "records" ? views.recordRow(item) : views.callRow(item, scales.of(item))),
  detail: (item) =>
    view === "records"
      ? views.recordDetail(item, log.calls.get(item.callID), actions)
      : views.callDetail(item, actions),
  onChange: () => {
    $("jump").hidden = list.follows || list.unseen === 0;
    $("jump").textContent = `↓ ${list.unseen} new`;
  },
});

// MARK: What is shown

let scales = new Scales([]);
let openVersion = 0;

function callsShown() {
  const seen = new Set();
  for (const record of shown) {
    const call = log.calls.get(record.callID);
    if (call) seen.add(call);
  }
  scales = new Scales(seen);
  return [...seen];
}

function filterChanged() {
  shown = filter.isOpen ? [...log.records] : log.records.filter((record) => filter.matches(record));
  list.redraw(view === "records" ? shown : callsShown());
  drawFilters();
  drawCounts();
}

function setView(name) {
  if (view === name) return;
  list.reset();
  view = name;
  document.querySelector(`input[name=view][value=${name}]`).checked = true;
  document.body.dataset.view = name;
  drawHead();
  filterChanged();
}

function resetFilters() {
  filter.level = 0;
  filter.component = null;
  $("search").value = "";
  filter.search = "";
  filterChanged();
}

function drawHead() {
  const names = view === "records" ? views.recordColumns : views.callColumns;
  $("head").className = `head ${view === "records" ? "record" : "call"}`;
  $("head").replaceChildren(...names.map((name) => views.make("span", name)));
}

function drawCounts() {
  const total = log.records.length;
  const parts = [count(total, "record")];
  if (shown.length !== total) parts.push(`${shown.length.toLocaleString("en")} shown`);
  if (log.calls.size > 0) parts.push(count(log.calls.size, "call"));
  parts.push(`${rate()} a second`);
  if (missed > 0) parts.push(`${missed.toLocaleString("en")} missed`);
  $("counter").textContent = parts.join(" · ");
  $("pause").textContent = paused ? `Resume (${held.length})` : "Pause";
  $("empty").hidden = total > 0;
  const nothing = total > 0 && (view === "records" ? shown.length === 0 : list.items.length === 0);
  $("none").hidden = !nothing;
  $("none").firstElementChild.textContent =
    view === "calls" && filter.isOpen ? "No record has an httpchain.call.id." : "No record matches.";
}

function rate() {
  const now = performance.now();
  arrivals = arrivals.filter(([at]) => at > now - 5000);
  const sum = arrivals.reduce((sum, [, number]) => sum + number, 0);
  return Math.round(sum / 5).toLocaleString("en");
}

let filtersDue = false;
let filtersDrawn = -Infinity;

/**
 * Draws the counts beside the filters, a few times a second at most.
 *
 * Now, where they have not been drawn for a while: in a burst the page is so busy that a timer is seconds late.
 */
function drawFiltersSoon() {
  if (performance.now() - filtersDrawn >= 250) return drawFilters();
  if (filtersDue) return;
  filtersDue = true;
  setTimeout(() => {
    filtersDue = false;
    drawFilters();
  }, 250);
}

function drawFilters() {
  filtersDrawn = performance.now();
  LEVELS.forEach((name, level) => {
    const row = $("levels").querySelector(`[data-level=${name}]`);
    row.querySelector(".count").textContent = log.levels[level].toLocaleString("en");
    row.classList.toggle("off", level < filter.level);
    row.querySelector("input").checked = level === filter.level;
  });
  const rows = [componentRow(null, "all", log.records.length, 0)];
  for (const node of log.tree()) rows.push(componentRow(node.name, node.label || "(none)", node.count, node.depth));
  // The same elements stay where they are: one of them may have the focus, or be about to be clicked.
  const place = $("components");
  if (rows.length !== place.children.length || rows.some((row, index) => row !== place.children[index])) {
    const focused = document.activeElement;
    place.replaceChildren(...rows);
    if (rows.includes(focused)) focused.focus();
    for (const [name, row] of componentRows) if (!rows.includes(row)) componentRows.delete(name);
  }
}

const componentRows = new Map();

function componentRow(name, label, number, depth) {
  let row = componentRows.get(name);
  if (!row) {
    row = views.make("button.component-row", views.make("span.label"), views.make("span.count"));
    row.type = "button";
    row.dataset.component = name ?? "*";
    row.title = name ?? "all components";
    row.addEventListener("click", () => {
      filter.component = filter.component === name ? null : name;
      filterChanged();
    });
    componentRows.set(name, row);
  }
  row.firstChild.textContent = label;
  row.lastChild.textContent = number.toLocaleString("en");
  row.style.paddingInlineStart = `${8 + depth * 14}px`;
  row.setAttribute("aria-pressed", filter.component === name);
  return row;
}

// MARK: What comes in

function take(records) {
  const length = list.items.length;
  const trimmedAway = log.add(records);
  let trimmed = 0;
  if (trimmedAway > 0) {
    const first = log.records[0].key;
    while (trimmed < shown.length && shown[trimmed].key < first) trimmed++;
    shown.splice(0, trimmed);
  }
  const first = log.records.length > 0 ? log.records[0].key : 0;
  let added = 0;
  for (const record of records) {
    if (record.key < first || !filter.matches(record)) continue;
    shown.push(record);
    added++;
  }
  if (view === "records") list.show(shown, { trimmed, added });
  else {
    const before = scales;
    const calls = callsShown();
    if (!scales.equals(before)) list.redraw(calls);
    else {
      list.forget(records.map((record) => log.calls.get(record.callID)));
      list.show(calls, { added: Math.max(0, calls.length - length) });
    }
  }
  const call = view === "records" ? log.calls.get(list.open?.callID) : list.open;
  if (call && call.version !== openVersion) {
    openVersion = call.version;
    if (records.some((record) => record.callID === call.id)) list.redrawDetail();
  }
  drawFiltersSoon();
  drawCounts();
}

let waiting = [];

function arrived(records) {
  arrivals.push([performance.now(), records.length]);
  if (paused) {
    held.push(...records);
    held.splice(0, Math.max(0, held.length - CAPACITY));
    drawCounts();
    return;
  }
  if (waiting.length === 0) {
    requestAnimationFrame(() => {
      const records = waiting;
      waiting = [];
      take(records);
    });
  }
  waiting.push(...records);
}

function setPaused(value) {
  paused = value;
  $("pause").setAttribute("aria-pressed", paused);
  document.body.classList.toggle("paused", paused);
  if (!paused) {
    const records = held;
    held = [];
    take(records);
  }
  drawCounts();
}

function forget() {
  log.clear();
  waiting = [];
  held = [];
  missed = 0;
  list.reset();
  filterChanged();
}

let instance = "";
let lastSeq = 0;
let cleared = 0;
let missed = 0;

function connect() {
  const source = new EventSource(`/events?last=${encodeURIComponent(`${instance}:${lastSeq}`)}`);
  source.addEventListener("hello", (event) => {
    const state = JSON.parse(event.data);
    if (instance !== "" && instance !== state.instance) {
      lastSeq = 0;
      say("The receiver was started again.");
    } else if (state.cleared > cleared && instance !== "") {
      forget();
    }
    instance = state.instance;
    cleared = state.cleared;
    showState("live");
  });
  source.addEventListener("records", (event) => {
    const records = [];
    for (const json of JSON.parse(event.data)) {
      if (json.seq <= lastSeq) continue;
      if (lastSeq > cleared && json.seq > lastSeq + 1) missed += json.seq - lastSeq - 1;
      lastSeq = json.seq;
      records.push(new LogRecord(json));
    }
    if (records.length > 0) arrived(records);
  });
  source.addEventListener("cleared", (event) => {
    cleared = JSON.parse(event.data).cleared;
    lastSeq = Math.max(lastSeq, cleared);
    forget();
  });
  source.addEventListener("error", () => {
    showState("reconnecting");
    if (source.readyState === EventSource.CLOSED) setTimeout(connect, 1000);
  });
}

function showState(state) {
  $("state").textContent = state;
  $("state").className = `state ${state}`;
}

let saying = 0;

function say(words) {
  $("notice").textContent = words;
  clearTimeout(saying);
  saying = setTimeout(() => ($("notice").textContent = ""), 6000);
}

// MARK: What is pressed

let searching = 0;

function searchChanged() {
  filter.search = $("search").value;
  filterChanged();
}

$("search").addEventListener("input", () => {
  clearTimeout(searching);
  searching = setTimeout(searchChanged, 120);
});
$("pause").addEventListener("click", () => setPaused(!paused));
$("jump").addEventListener("click", () => list.jumpToEnd());
$("reset").addEventListener("click", resetFilters);
$("clear").addEventListener("click", () => {
  fetch("/records", { method: "DELETE" }).catch(() => say("The receiver does not answer."));
});
takeArchives({ button: $("open"), input: $("archives"), say, opened: () => setView("calls") });
for (const input of document.querySelectorAll("input[name=view]")) {
  input.addEventListener("change", () => setView(input.value));
}
for (const button of document.querySelectorAll("button.copy")) {
  button.addEventListener("click", () => {
    const copied = navigator.clipboard?.writeText($(button.dataset.copies).textContent);
    copied?.then(() => say("Copied."), () => say("The browser does not allow copying."));
  });
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = event.target.matches("input[type=search]");
  if (event.key === "Escape") {
    if (isTyping && $("search").value !== "") actions.search("");
    else if (list.open) list.close();
    else if (list.unseen > 0) list.jumpToEnd();
    if (isTyping) $("list").focus();
    return;
  }
  if (isTyping) {
    if (event.key === "Enter" || event.key === "ArrowDown") $("list").focus();
    return;
  }
  const keys = {
    "/": () => $("search").focus(),
    p: () => setPaused(!paused),
    v: () => setView(view === "records" ? "calls" : "records"),
  };
  const page = Math.max(1, Math.floor($("list").clientHeight / 28) - 1);
  const listKeys = {
    ArrowDown: () => list.move(1),
    ArrowUp: () => list.move(-1),
    PageDown: () => list.move(page),
    PageUp: () => list.move(-page),
    Home: () => list.move(-list.items.length),
    End: () => list.jumpToEnd(),
    Enter: () => list.active && list.toggle(list.active),
    " ": () => list.active && list.toggle(list.active),
  };
  const isOnList = event.target === $("list") || event.target === document.body;
  const action = keys[event.key] ?? (isOnList ? listKeys[event.key] : undefined);
  if (!action) return;
  event.preventDefault();
  action();
});

// MARK: Start

$("levels").append(
  ...LEVELS.map((name, level) => {
    const input = views.make("input");
    input.type = "radio";
    input.name = "level";
    input.value = name;
    input.addEventListener("change", () => {
      filter.level = level;
      filterChanged();
    });
    const label = views.make("span.label", name);
    const row = views.make(`label.level-row.${name}`, input, label, views.make("span.count", "0"));
    row.dataset.level = name;
    return row;
  }),
);
$("curl").textContent = curlExample(location.origin);
$("swift").textContent = swiftExample(location.origin);
document.body.dataset.view = view;
drawHead();
filterChanged();
setInterval(drawCounts, 1000);
connect();
