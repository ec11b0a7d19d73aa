// Connects the receiver's events, the filters and the list.

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
  searchRecords(words) {
    setView("records");
    actions.search(words);
  },
  openRecord(record) {
    if (!filter.matches(record)) resetFilters();
    // The log has no entries for spans and metrics, so the list shows them only if this is set.
    if (record.kind !== "log") showsSpans = true;
    setView("records");
    filterChanged();
    list.active = record;
    if (list.open !== record) list.toggle(record);
  },
};

/** Whether the list of records includes spans and metrics, because one of them was opened. */
let showsSpans = false;

/** The content of each view: its columns, rows and details, and the group that a record belongs to. */
const VIEWS = {
  records: {
    columns: views.recordColumns,
    head: "record",
    row: (item) => views.recordRow(item),
    detail: (item) => views.recordDetail(item, log.calls.get(item.callID), actions),
    group: () => undefined,
  },
  calls: {
    columns: views.callColumns,
    head: "call",
    row: (item) => views.callRow(item, scales.of(item)),
    detail: (item) => views.callDetail(item, actions),
    group: (record) => log.calls.get(record.callID),
    nothing: "No record has an httpchain.call.id.",
  },
  traces: {
    columns: views.traceColumns,
    head: "call trace-row",
    row: (item) => views.traceRow(item, scales.of(item)),
    detail: (item) => views.traceDetail(item, actions),
    group: (record) => log.traces.get(record.traceID),
    nothing: "No span has come: send them to /v1/traces.",
  },
  metrics: {
    columns: views.metricColumns,
    head: "metric",
    row: (item) => views.metricRow(item),
    detail: (item) => views.metricDetail(item),
    group: () => undefined,
    nothing: "No metric has come: send them to /v1/metrics.",
  },
};

const list = new VirtualList($("list"), {
  rowHeight: 28,
  row: (item) => VIEWS[view].row(item),
  detail: (item) => VIEWS[view].detail(item),
  onChange: () => {
    $("jump").hidden = list.follows || list.unseen === 0;
    $("jump").textContent = `↓ ${list.unseen} new`;
  },
});

// MARK: Shown records

let scales = new Scales([]);
let openVersion = 0;

/** Whether a record, or its group, is listed. */
function isShown(record) {
  const kinds = { records: showsSpans ? undefined : "log", calls: "log", traces: undefined, metrics: "metric" };
  if (kinds[view] !== undefined && record.kind !== kinds[view]) return false;
  if (view === "traces" && record.kind === "metric") return false;
  return filter.matches(record);
}

/** The calls or traces of the shown records. */
function groupsShown() {
  const seen = new Set();
  for (const record of shown) {
    const group = VIEWS[view].group(record);
    // A trace without spans, of which only log records have arrived, has nothing to draw.
    if (group && (view !== "traces" || group.summary.root)) seen.add(group);
  }
  scales = new Scales(seen);
  return [...seen];
}

function metricsShown() {
  const words = filter.terms;
  if (words.length === 0) return log.metrics.sorted;
  return log.metrics.sorted.filter((series) => words.every((word) => series.searched.includes(word)));
}

function itemsShown() {
  if (view === "metrics") return metricsShown();
  return view === "records" ? shown : groupsShown();
}

function filterChanged() {
  shown = log.records.filter(isShown);
  list.redraw(itemsShown());
  drawFilters();
  drawCounts();
}

function setView(name) {
  if (view === name) return;
  list.reset();
  view = name;
  if (name !== "records") showsSpans = false;
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
  $("head").className = `head ${VIEWS[view].head}`;
  $("head").replaceChildren(...VIEWS[view].columns.map((name) => views.make("span", name)));
}

function drawCounts() {
  const total = log.records.length;
  const parts = [count(log.logs, "record")];
  if (view !== "metrics" && view !== "traces" && shown.length !== log.logs) {
    parts.push(`${shown.length.toLocaleString("en")} shown`);
  }
  if (log.calls.size > 0) parts.push(count(log.calls.size, "call"));
  if (total > log.logs) {
    const traces = [...log.traces.values()].filter((trace) => trace.summary.root).length;
    if (traces > 0) parts.push(count(traces, "trace"));
    if (log.metrics.series.size > 0) parts.push(`${log.metrics.series.size.toLocaleString("en")} series`);
  }
  parts.push(`${rate()} a second`);
  if (missed > 0) parts.push(`${missed.toLocaleString("en")} missed`);
  $("counter").textContent = parts.join(" · ");
  $("pause").textContent = paused ? `Resume (${held.length})` : "Pause";
  $("empty").hidden = total > 0;
  $("none").hidden = !(total > 0 && list.items.length === 0);
  $("none").firstElementChild.textContent =
    (filter.isOpen ? VIEWS[view].nothing : undefined) ?? "No record matches.";
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
 * Draws the counts next to the filters, at most a few times a second.
 *
 * If they haven't been drawn for a while, they are drawn immediately: in a burst, the page is so busy that a timer
 * would be seconds late.
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
  // Unchanged elements are kept, because one of them may have the focus, or be about to be clicked.
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

// MARK: Incoming records

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
    if (record.key < first || !isShown(record)) continue;
    shown.push(record);
    added++;
  }
  if (view === "records") list.show(shown, { trimmed, added });
  else if (view === "metrics") {
    if (records.some((record) => record.kind === "metric")) list.redraw(metricsShown());
  } else {
    const before = scales;
    const groups = groupsShown();
    if (!scales.equals(before)) list.redraw(groups);
    else {
      list.forget(records.map((record) => VIEWS[view].group(record)));
      list.show(groups, { added: Math.max(0, groups.length - length) });
    }
  }
  const group = view === "records" ? log.calls.get(list.open?.callID) : list.open;
  if (group && group.version !== openVersion) {
    openVersion = group.version;
    list.redrawDetail();
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
  waiting.push(...records);
  // A hidden page draws no frames, so records waiting for one would accumulate.
  if (document.hidden) takeWaiting();
  else if (waiting.length === records.length) requestAnimationFrame(takeWaiting);
}

function takeWaiting() {
  if (waiting.length === 0) return;
  const records = waiting;
  waiting = [];
  take(records);
}

document.addEventListener("visibilitychange", takeWaiting);

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

// MARK: User input

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
    v: () => {
      const names = Object.keys(VIEWS);
      setView(names[(names.indexOf(view) + 1) % names.length]);
    },
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
