// A trace: the spans of one distributed call, from all programs involved, and the records that belong to them.

import { text } from "./text.js";

/** The maximum depth at which a span is drawn, and the maximum number of drawn spans. */
const DEEPEST = 24;
export const SPANS_DRAWN = 500;

export class Trace {
  constructor(id) {
    this.id = id;
    this.records = [];
    this.version = 0;
  }

  get key() {
    return this.id;
  }

  add(record) {
    this.records.push(record);
    this.version += 1;
    this.cached = undefined;
  }

  remove(record) {
    this.records = this.records.filter((other) => other !== record);
    this.version += 1;
    this.cached = undefined;
  }

  /** The summary of the trace. Times are in milliseconds; those of spans are measured from its start. */
  get summary() {
    return (this.cached ??= summarize(this.records));
  }
}

function summarize(records) {
  const spans = new Map();
  for (const record of records) {
    if (record.kind !== "span") continue;
    const id = text(record.value("spanId"));
    spans.set(id, {
      id,
      record,
      name: record.message,
      service: record.service,
      kind: text(record.value("span.kind")),
      parent: text(record.value("parentSpanId")),
      begin: record.number("span.start") ?? record.time,
      duration: record.number("span.duration") ?? 0,
      status: record.number("http.response.status_code"),
      error: record.value("error.type") ?? record.named.get("span.error"),
      events: events(record.value("span.events")),
      children: [],
    });
  }
  const roots = [];
  for (const span of spans.values()) {
    const parent = spans.get(span.parent);
    if (parent && parent !== span) parent.children.push(span);
    else roots.push(span);
  }
  const all = [...spans.values()];
  const begin = all.reduce((first, span) => Math.min(first, span.begin), Infinity);
  const end = all.reduce((last, span) => Math.max(last, span.begin + span.duration), -Infinity);
  for (const span of all) span.start = span.begin - begin;
  const ordered = inOrder(roots, all);
  const logs = records.filter((record) => record.kind !== "span");
  return {
    begin,
    extent: Math.max(0, end - begin),
    spans: ordered,
    root: ordered[0],
    services: [...new Set(all.map((span) => span.service))],
    errors: all.filter((span) => span.error !== undefined).length,
    level: records.reduce((level, record) => Math.max(level, record.level), 0),
    logs,
  };
}

/** Sorts spans below their parents, by their starts. Spans in a cycle have no root, and come last. */
function inOrder(roots, all) {
  const byStart = (one, other) => one.begin - other.begin || other.duration - one.duration;
  const ordered = [];
  const seen = new Set();
  // An explicit stack instead of recursion, because a chain of a thousand spans could overflow the call stack.
  const visit = (spans) => {
    const rest = [...spans].sort(byStart).reverse().map((span) => [span, 0]);
    while (rest.length > 0) {
      const [span, depth] = rest.pop();
      if (seen.has(span)) continue;
      seen.add(span);
      span.depth = Math.min(depth, DEEPEST);
      ordered.push(span);
      for (const child of span.children.sort(byStart).toReversed()) rest.push([child, depth + 1]);
    }
  };
  visit(roots);
  visit(all.filter((span) => !seen.has(span)));
  return ordered;
}

function events(list) {
  if (!Array.isArray(list)) return [];
  return list
    .filter((event) => Array.isArray(event) && Number.isFinite(event[1]))
    .slice(0, 100)
    .map(([name, time, attributes]) => ({ name: text(name), time, attributes }));
}
