// A call: the records with its identifier, and a breakdown of its time.

import { text } from "./text.js";

export class Call {
  constructor(id) {
    this.id = id;
    this.records = [];
    this.version = 0;
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

  get key() {
    return this.id;
  }

  /** The summary of the call. Times are in milliseconds; those of bars are measured from its start. */
  get summary() {
    return (this.cached ??= summarize(this.records));
  }
}

/** The time span described by a record, in milliseconds; `undefined` if it has no duration. */
function span(record) {
  const seconds = record.number("httpchain.duration");
  if (seconds === undefined || seconds < 0) return undefined;
  const duration = seconds * 1000;
  const start = record.number("httpchain.start_time");
  const head = record.number("httpchain.time_to_head");
  return {
    record,
    attempt: text(record.value("httpchain.unit")) === "call" ? undefined : record.number("httpchain.attempt"),
    // A record is written at the end of the exchange that it describes.
    begin: start === undefined ? record.time - duration : start * 1000,
    duration,
    head: head === undefined ? undefined : Math.min(Math.max(head * 1000, 0), duration),
    parts: parts(record.value("har.timings")),
    status: record.number("http.response.status_code"),
    error: record.value("error.type"),
    cache: cacheStatus(record),
  };
}

/** The consecutive parts of an archive's exchange, in milliseconds. */
function parts(timings) {
  if (!Array.isArray(timings)) return [];
  let start = 0;
  return timings
    .map((timing) => (Array.isArray(timing) ? { name: text(timing[0]), duration: Number(timing[1]) } : {}))
    .filter(({ duration }) => duration > 0 && Number.isFinite(duration))
    .map((part) => {
      start += part.duration;
      return { ...part, start: start - part.duration };
    });
}

function cacheStatus(record) {
  return record.value("httpchain.cache.status");
}

function summarize(records) {
  const spans = records.map(span).filter((span) => span !== undefined);
  const attempts = spans
    .filter((span) => span.attempt !== undefined)
    .sort((one, other) => one.attempt - other.attempt || one.begin - other.begin);
  const whole = spans.filter((span) => span.attempt === undefined).at(-1);
  const told = whole ? [whole.record, ...records] : records;
  const first = (name) => told.map((record) => record.value(name)).find((value) => value !== undefined);
  const last = whole || attempts.at(-1);
  let begin = whole ? whole.begin : Infinity;
  if (!whole) for (const one of spans.length > 0 ? spans : records) begin = Math.min(begin, one.begin ?? one.time);
  const bars = attempts.map((attempt) => ({ ...attempt, start: Math.max(0, attempt.begin - begin) }));
  let extent = whole ? whole.duration : 0;
  for (const bar of bars) extent = Math.max(extent, bar.start + bar.duration);
  const spanning = new Set(spans.map((span) => span.record));
  const moments = records
    .filter((record) => !spanning.has(record))
    .map((record) => ({ record, at: Math.max(0, record.time - begin) }));
  for (const moment of moments) extent = Math.max(extent, moment.at);
  return {
    begin,
    extent,
    duration: whole ? whole.duration : extent,
    whole: whole && { ...whole, start: 0 },
    attempts: bars,
    attemptCount: Math.max(bars.length, whole?.record.number("httpchain.attempts") ?? 0),
    archive: first("har.archive"),
    method: first("http.request.method"),
    url: first("url.full"),
    status: last?.status,
    error: last?.error,
    cache: told.map(cacheStatus).find((value) => value !== undefined),
    level: records.reduce((level, record) => Math.max(level, record.level), 0),
    // Records that describe a point in time.
    moments,
  };
}
