// The page's records, and the filter that selects the shown ones.

import { Call } from "./calls.js";
import { SeriesLog } from "./metrics.js";
import { text } from "./text.js";
import { Trace } from "./traces.js";

export const LEVELS = ["trace", "debug", "info", "notice", "warning", "error", "critical"];

/** The maximum number of records that the page keeps; the same as the receiver's. */
export const CAPACITY = 10_000;

let lastKey = 0;

export class LogRecord {
  constructor(json) {
    this.key = ++lastKey;
    this.seq = json.seq;
    this.time = Number(json.time) || 0;
    this.level = Math.max(0, LEVELS.indexOf(json.level));
    this.component = json.component || "";
    this.service = json.service || "";
    this.format = json.format || "";
    this.message = json.message || "";
    this.attributes = json.attributes || [];
    this.left = json.left || 0;
    this.named = new Map(this.attributes);
    this.callID = text(this.value("httpchain.call.id"));
    /** The kind of record: an entry of a log, a span of a trace, or the values of a metric. */
    this.kind = this.format === "span" || this.format === "metric" ? this.format : "log";
    this.traceID = text(this.value("traceId", "trace_id")).toLowerCase();
  }

  /** The value of the first of these attributes that exists. */
  value(...names) {
    for (const name of names) {
      // Names in Loki have no dots.
      const value = this.named.get(name) ?? this.named.get(name.replaceAll(/[^a-z0-9]/gi, "_"));
      if (value !== undefined && value !== null && value !== "") return value;
    }
    return undefined;
  }

  /** The same value as a number, because some formats have only strings. */
  number(...names) {
    const number = Number(this.value(...names) ?? NaN);
    return Number.isFinite(number) ? number : undefined;
  }

  /** The text that is searched. */
  get searched() {
    if (this.cachedSearched === undefined) {
      const parts = [this.message, this.component, this.service, LEVELS[this.level]];
      for (const [name, value] of this.attributes) parts.push(`${name}=${text(value)}`);
      this.cachedSearched = parts.join("\n").toLowerCase();
    }
    return this.cachedSearched;
  }
}

/** Selects the records that are shown. */
export class Filter {
  constructor() {
    this.level = 0;
    this.component = null;
    this.terms = [];
  }

  /** Words that must all occur. Text in double quotes counts as one word. */
  set search(words) {
    this.terms = (words.toLowerCase().match(/"[^"]*"?|[^\s"]+/g) || [])
      .map((word) => word.replaceAll('"', ""))
      .filter((word) => word !== "");
  }

  get isOpen() {
    return this.level === 0 && this.component === null && this.terms.length === 0;
  }

  matches(record) {
    if (record.level < this.level) return false;
    if (this.component !== null && !isWithin(record.component, this.component)) return false;
    return this.terms.every((term) => record.searched.includes(term));
  }
}

function isWithin(component, group) {
  return component === group || component.startsWith(group + ".");
}

/** The records, their counts, and the calls that they belong to. */
export class RecordLog {
  constructor() {
    this.clear();
  }

  clear() {
    this.records = [];
    this.levels = LEVELS.map(() => 0);
    this.components = new Map();
    this.calls = new Map();
    this.traces = new Map();
    this.metrics = new SeriesLog();
    /** The number of log entries. */
    this.logs = 0;
  }

  /** Adds records, and returns the number of oldest ones removed to make room. */
  add(records) {
    for (const record of records) {
      this.records.push(record);
      this.count(record, 1);
      if (record.kind === "metric") this.metrics.add(record);
      this.join(this.calls, record.kind === "log" ? record.callID : "", Call, record);
      this.join(this.traces, record.kind === "metric" ? "" : record.traceID, Trace, record);
    }
    const surplus = Math.max(0, this.records.length - CAPACITY);
    for (const record of this.records.splice(0, surplus)) {
      this.count(record, -1);
      this.leave(this.calls, record.callID, record);
      this.leave(this.traces, record.traceID, record);
    }
    return surplus;
  }

  join(groups, id, Group, record) {
    if (id === "") return;
    let group = groups.get(id);
    if (!group) groups.set(id, (group = new Group(id)));
    group.add(record);
  }

  leave(groups, id, record) {
    const group = groups.get(id);
    if (!group) return;
    group.remove(record);
    if (group.records.length === 0) groups.delete(id);
  }

  count(record, change) {
    if (record.kind === "log") this.logs += change;
    this.levels[record.level] += change;
    const count = (this.components.get(record.component) || 0) + change;
    if (count > 0) this.components.set(record.component, count);
    else this.components.delete(record.component);
  }

  /** The components, and the groups with more than one of them, as a list in which each entry has a depth. */
  tree() {
    const totals = new Map();
    for (const [component, count] of this.components) {
      const parts = component.split(".");
      for (let length = 1; length <= parts.length; length++) {
        const name = parts.slice(0, length).join(".");
        const node = totals.get(name) || { name, count: 0, members: 0 };
        node.count += count;
        node.members += 1;
        totals.set(name, node);
      }
    }
    const shown = [...totals.values()]
      .filter((node) => this.components.has(node.name) || node.members > 1)
      .sort((one, other) => (one.name < other.name ? -1 : 1));
    const open = [];
    for (const node of shown) {
      while (open.length > 0 && !isWithin(node.name, open[open.length - 1])) open.pop();
      node.depth = open.length;
      node.label = open.length > 0 ? node.name.slice(open[open.length - 1].length + 1) : node.name;
      open.push(node.name);
    }
    return shown;
  }
}
