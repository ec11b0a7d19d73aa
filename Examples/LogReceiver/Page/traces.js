// A trace: the spans of one distributed call, of all programs that took part, and the records that belong to them.

import { text } from "./text.js";

/** The deepest that a span is drawn below others, and the most that are drawn. */
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

  /** What is known of the trace; times in milliseconds, those of spans since its start. */
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

/** Spans below their parents, by their starts. What goes round in a circle has no root, and comes last. */
function inOrder(roots, all) {
  const byStart = (one, other) => one.begin - other.begin || other.duration - one.duration;
  const ordered = [];
  const seen = new Set();
  // A list of what is to be done, because a chain of a thousand spans is no reason to run out of stack.
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
