// A call: the records that share its identifier, and how its time was spent.

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

  /** What is known of the call; times in milliseconds, those of bars since its start. */
  get summary() {
    return (this.cached ??= summarize(this.records));
  }
}

const DURATION = ["http.client.request.duration"];
const HEAD = ["httpchain.head.duration", "httpchain.response.head.duration", "httpchain.time_to_head"];
const ATTEMPT = ["httpchain.attempt", "httpchain.attempt.number"];
const START = ["httpchain.start", "httpchain.start.offset"];
const CACHE = ["httpchain.cache.status", "httpchain.cache", "http.response.header.cache-status"];
const URLS = ["url.full", "url.path"];

/** What a record says about a span of time; `undefined` when it has no duration. */
function span(record) {
  const seconds = record.number(...DURATION);
  if (seconds === undefined || seconds < 0) return undefined;
  const duration = seconds * 1000;
  const head = record.number(...HEAD);
  return {
    record,
    attempt: record.number(...ATTEMPT),
    // A record is written when what it tells of is over.
    begin: record.time - duration,
    offset: record.number(...START),
    duration,
    head: head === undefined ? undefined : Math.min(head * 1000, duration),
    status: record.number("http.response.status_code"),
    error: record.value("error.type"),
    cache: record.value(...CACHE),
  };
}

function summarize(records) {
  const spans = records.map(span).filter((span) => span !== undefined);
  const attempts = spans
    .filter((span) => span.attempt !== undefined)
    .sort((one, other) => one.attempt - other.attempt || one.begin - other.begin);
  const whole = spans.filter((span) => span.attempt === undefined).at(-1);
  const first = (...names) => {
    for (const record of whole ? [whole.record, ...records] : records) {
      const value = record.value(...names);
      if (value !== undefined) return value;
    }
    return undefined;
  };
  const last = whole || attempts.at(-1);
  const begin = Math.min(
    ...(whole ? [whole.begin] : []),
    ...(whole && attempts.length > 0 ? [] : attempts.map((attempt) => attempt.begin)),
    ...(spans.length === 0 ? records.map((record) => record.time) : []),
  );
  const place = (span) => ({ ...span, start: Math.max(0, placed(span, begin)) });
  const bars = attempts.map(place);
  const end = Math.max(
    whole ? whole.duration : 0,
    ...bars.map((bar) => bar.start + bar.duration),
    ...records.map((record) => record.time - begin),
    0,
  );
  return {
    begin,
    extent: end,
    duration: whole ? whole.duration : end,
    isOver: whole !== undefined || attempts.length > 0,
    whole: whole && { ...whole, start: 0 },
    attempts: bars,
    method: first("http.request.method"),
    url: first(...URLS),
    status: last ? last.status : numeric(first("http.response.status_code")),
    error: last ? last.error : first("error.type"),
    cache: first(...CACHE),
    level: Math.max(...records.map((record) => record.level)),
    // Records that tell of a moment.
    moments: records
      .filter((record) => !spans.some((span) => span.record === record))
      .map((record) => ({ record, at: Math.max(0, record.time - begin) })),
  };
}

/** Where an attempt begins: as it says itself, else as its record's time says. */
function placed(span, begin) {
  return span.offset !== undefined ? span.offset * 1000 : span.begin - begin;
}

function numeric(value) {
  const number = Number(value ?? NaN);
  return Number.isFinite(number) ? number : undefined;
}
