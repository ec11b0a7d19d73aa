// The appearance of records and calls. External input becomes text, never markup.

import { LEVELS } from "./records.js";
import { quantity } from "./metrics.js";
import { SPANS_DRAWN } from "./traces.js";
import { clock, duration, text } from "./text.js";

/** Makes an element from a tag with classes, such as "span.quiet", that contains text and other elements. */
export function make(tag, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  element.className = classes.join(" ");
  element.append(...children.filter((child) => child !== undefined && child !== null && child !== ""));
  return element;
}

export function titled(element, title) {
  element.title = title;
  return element;
}

function levelBadge(level) {
  return make(`span.level.${LEVELS[level]}`, LEVELS[level]);
}

function statusChip(status, error) {
  if (error !== undefined && status === undefined) return titled(make("span.chip.s5", "failed"), text(error));
  if (status === undefined) return undefined;
  return make(`span.chip.s${Math.floor(status / 100)}`, String(status));
}

/** A Cache-Status field (RFC 9211) in one word: `hit`, or the reason that the request was forwarded. */
function cacheWord(cache) {
  const field = text(cache);
  if (/;\s*hit\b/i.test(field)) return "hit";
  const reason = /;\s*fwd=([\w-]+)/i.exec(field)?.[1] ?? field;
  return reason.replace(/^(uri-|vary-)/, "").slice(0, 24);
}

function cacheChip(cache) {
  if (cache === undefined) return undefined;
  const word = cacheWord(cache);
  return titled(make(`span.chip.${word === "hit" ? "hit" : "forwarded"}`, `cache ${word}`), text(cache));
}

// MARK: Records

export const recordColumns = ["Time", "Level", "Component", "Message"];

export function recordRow(record) {
  const chips = make(
    "span.chips",
    statusChip(record.number("http.response.status_code"), record.value("error.type")),
    record.number("httpchain.duration") === undefined
      ? undefined
      : make("span.took", duration(record.number("httpchain.duration") * 1000)),
  );
  const row = make(
    `div.record.${LEVELS[record.level]}`,
    titled(make("span.time", clock(record.time)), new Date(record.time).toISOString()),
    levelBadge(record.level),
    titled(make("span.component", record.component), record.component),
    make("span.message", record.message.slice(0, 400)),
    chips,
  );
  for (const cell of row.children) cell.setAttribute("role", "gridcell");
  return row;
}

/**
 * All details of a record, and the call that it belongs to.
 *
 * @param actions search(words) and openRecord(record).
 */
export function recordDetail(record, call, actions) {
  const detail = make("div");
  if (record.message.length > 80 || record.message.includes("\n")) detail.append(make("pre.full", record.message));
  if (call) detail.append(waterfall(call, actions, record));
  detail.append(attributeTable(record, actions));
  return detail;
}

function attributeTable(record, actions) {
  const facts = [
    ["time", new Date(record.time).toISOString()],
    ["level", LEVELS[record.level]],
    ["component", record.component],
    ["service", record.service],
    ["received as", `${record.format}, number ${record.seq}`],
  ].filter(([, value]) => value !== "");
  const table = make("table.attributes", titledCaption("Attributes"));
  const body = make("tbody");
  for (const [name, value] of record.attributes) body.append(attributeRow(name, value, actions));
  for (const [name, value] of facts) body.append(make("tr.fact", make("th", name), make("td", value), make("td")));
  if (record.left > 0) {
    const words = `${record.left} more attributes were cut off`;
    body.append(make("tr.fact", make("th", "…"), make("td", words), make("td")));
  }
  table.append(body);
  return table;
}

function titledCaption(words) {
  return make("caption", words);
}

function attributeRow(name, value, actions) {
  const shown = typeof value === "object" && value !== null ? JSON.stringify(value, null, 2) : text(value);
  const button = titled(make("button.find", "find"), `Search for ${name}=${text(value).slice(0, 80)}`);
  button.type = "button";
  button.addEventListener("click", () => actions.search(`"${name}=${text(value).slice(0, 200).replaceAll('"', "")}"`));
  const cell = make("td", make(`pre.${value === null ? "null" : typeof value}`, shown));
  return make("tr", make("th", name), cell, make("td", button));
}

// MARK: Calls

export const callColumns = ["Time", "Status", "Call", "Attempts", "Duration", "Waterfall"];

/** @param scale The offset of the call's bar in its column, and the time that the column covers. */
export function callRow(call, { offset, extent }) {
  const { begin, method, url, attempts, attemptCount, whole, level, cache } = call.summary;
  const place = make("span.bar-place");
  const scale = (value) => `${Math.min(100, (value / Math.max(extent, 0.001)) * 100)}%`;
  if (whole) place.append(bar(attempts.length > 0 ? "mini.whole" : "mini.alone", offset, whole, scale));
  for (const attempt of attempts) place.append(bar("mini", offset + attempt.start, attempt, scale));
  const row = make(
    `div.call.${LEVELS[level]}`,
    titled(make("span.time", clock(begin)), new Date(begin).toISOString()),
    make(
      "span.status",
      statusChip(call.summary.status, call.summary.error),
      cacheWord(cache) === "hit" ? cacheChip(cache) : "",
    ),
    titled(
      make("span.target", make("b", text(method)), " ", text(url).replace(/^https?:\/\//, "") || call.id),
      text(url) || call.id,
    ),
    make("span.attempts", attemptCount > 1 ? `${attemptCount} attempts` : ""),
    make("span.took", duration(call.summary.duration)),
    place,
  );
  for (const cell of row.children) cell.setAttribute("role", "gridcell");
  return row;
}

export function callDetail(call, actions) {
  const detail = make("div", waterfall(call, actions));
  const list = make("div.members");
  const records = [...call.records].sort((one, other) => one.time - other.time);
  for (const record of records.slice(0, 200)) list.append(member(record, call.summary.begin, actions));
  detail.append(list);
  return detail;
}

/** A record in the list below a waterfall. */
function member(record, begin, actions) {
  const button = make(
    "button.member",
    make("span.time", `+${duration(Math.max(0, record.time - begin))}`),
    levelBadge(record.level),
    make("span.component", record.component),
    make("span.message", record.message.slice(0, 400)),
  );
  button.type = "button";
  button.addEventListener("click", () => actions.openRecord(record));
  return button;
}

function bar(kind, start, span, scale) {
  const element = make(`span.bar.${kind}.${outcome(span)}`);
  element.style.left = scale(start);
  element.style.width = scale(span.duration);
  if (span.head !== undefined && span.duration > 0) {
    const head = make("span.to-head");
    head.style.width = `${(span.head / span.duration) * 100}%`;
    element.append(head);
  } else {
    element.classList.add("solid");
  }
  return element;
}

function outcome(span) {
  if (span.status === undefined) return span.error === undefined ? "fine" : "bad";
  return span.status >= 500 ? "bad" : span.status >= 400 ? "poor" : "fine";
}

/** The call and its attempts as bars on a time axis. Other records are dots. */
function waterfall(call, actions, current) {
  const summary = call.summary;
  const extent = Math.max(summary.extent, 0.001);
  const scale = (value) => `${(value / extent) * 100}%`;
  const title = make(
    "div.title",
    make("b", text(summary.method)),
    make("span.url", text(summary.url) || "call"),
    statusChip(summary.status, summary.error),
    cacheChip(summary.cache),
    make("span.took", duration(summary.duration)),
  );
  const only = titled(make("button.find", "only this call"), "Show the records of this call");
  only.type = "button";
  only.addEventListener("click", () => actions.search(`"${call.id.replaceAll('"', "")}"`));
  title.append(only);

  const plot = make("div.plot");
  const axis = make("div.axis");
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    const mark = make("span.mark", part === 0 ? "0" : duration(extent * part));
    mark.style.left = `${part * 100}%`;
    axis.append(mark);
  }
  plot.append(make("span.name"), axis, make("span.told"));
  if (summary.whole) plot.append(...line("call", summary.whole, scale, "whole"));
  for (const part of summary.whole?.parts ?? []) plot.append(...partLine(part, scale));
  for (const attempt of summary.attempts) plot.append(...line(`attempt ${attempt.attempt}`, attempt, scale, "attempt"));
  if (summary.moments.length > 0) {
    const place = make("span.bar-place");
    for (const { record, at } of summary.moments.slice(0, 200)) {
      const dot = titled(
        make(`button.dot.${LEVELS[record.level]}`),
        `+${duration(at)} ${record.component}: ${record.message.slice(0, 200)}`,
      );
      dot.type = "button";
      dot.setAttribute("aria-label", dot.title);
      dot.style.left = scale(Math.min(at, extent));
      dot.classList.toggle("current", record === current);
      dot.addEventListener("click", () => actions.openRecord(record));
      place.append(dot);
    }
    plot.append(make("span.name", "records"), place, make("span.told", `${summary.moments.length}`));
  }
  const figure = make("figure.waterfall", title, plot);
  figure.setAttribute("aria-label", "Waterfall of the call");
  return figure;
}

const partKinds = new Set(["send", "wait", "receive"]);

/** A part of an exchange, such as connecting, sending, or waiting for the head. */
function partLine({ name, start, duration: length }, scale) {
  const element = make(`span.bar.solid.part${partKinds.has(name) ? `.${name}` : ""}`);
  element.style.left = scale(start);
  element.style.width = scale(length);
  return [make("span.name", name), make("span.bar-place", element), make("span.told", duration(length))];
}

function line(name, span, scale, kind) {
  const place = make("span.bar-place", bar(kind, span.start, span, scale));
  const parts = [
    span.start >= 1 ? `starts +${duration(span.start)}` : "",
    span.head === undefined ? "" : `head ${duration(span.head)}`,
    `total ${duration(span.duration)}`,
    // For an error response, the conventions repeat the status as its error type.
    span.error === undefined || text(span.error) === String(span.status) ? "" : text(span.error),
  ].filter((part) => part !== "");
  place.title = parts.join(" · ");
  const words = make("span", parts.join(" · "));
  const told = make("span.told", statusChip(span.status, span.error), cacheChip(span.cache), words);
  return [make("span.name", name), place, told];
}

// MARK: Traces

export const traceColumns = ["Time", "Spans", "Trace", "Services", "Duration", "Waterfall"];

/** @param scale The offset of the trace's bar in its column, and the time that the column covers. */
export function traceRow(trace, { extent }) {
  const { begin, root, spans, services, errors, level, extent: duration_ } = trace.summary;
  const scale = (value) => `${Math.min(100, (value / Math.max(extent, 0.001)) * 100)}%`;
  const place = make("span.bar-place");
  for (const span of spans.slice(0, 40)) place.append(bar("mini.span", span.start, span, scale));
  const row = make(
    `div.call.trace-row.${LEVELS[level]}`,
    titled(make("span.time", clock(begin)), new Date(begin).toISOString()),
    make("span.status", make("span.chip", count(spans.length, "span")), errors > 0 ? make("span.chip.s5", `${errors} failed`) : ""),
    titled(make("span.target", make("b", root.service), " ", root.name), `trace ${trace.id}`),
    titled(make("span.attempts", count(services.length, "service")), services.join(", ")),
    make("span.took", duration(duration_)),
    place,
  );
  for (const cell of row.children) cell.setAttribute("role", "gridcell");
  return row;
}

function count(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** The spans of all programs, below their parents, as bars on the time axis of the whole trace. */
export function traceDetail(trace, actions) {
  const summary = trace.summary;
  const extent = Math.max(summary.extent, 0.001);
  const scale = (value) => `${(value / extent) * 100}%`;
  const only = titled(make("button.find", "only this trace"), "Show the records of this trace");
  only.type = "button";
  only.addEventListener("click", () => actions.searchRecords(`"${trace.id.replaceAll('"', "")}"`));
  const title = make(
    "div.title",
    make("b", summary.root.name),
    make("span.url", `trace ${trace.id}`),
    make("span.took", duration(summary.extent)),
    only,
  );
  const plot = make("div.plot.spans");
  const axis = make("div.axis");
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    const mark = make("span.mark", part === 0 ? "0" : duration(extent * part));
    mark.style.left = `${part * 100}%`;
    axis.append(mark);
  }
  plot.append(make("span.name"), axis, make("span.told"));
  const services = new Map(summary.services.map((service, index) => [service, index % 6]));
  for (const span of summary.spans.slice(0, SPANS_DRAWN)) plot.append(...spanLine(span, summary, services, scale, actions));
  if (summary.spans.length > SPANS_DRAWN) {
    plot.append(make("span.name", `${summary.spans.length - SPANS_DRAWN} more`), make("span"), make("span"));
  }
  const figure = make("figure.waterfall", title, plot);
  figure.setAttribute("aria-label", "Waterfall of the trace");
  const detail = make("div", figure);
  if (summary.logs.length > 0) {
    const list = make("div.members");
    for (const record of [...summary.logs].sort((one, other) => one.time - other.time).slice(0, 200)) {
      list.append(member(record, summary.begin, actions));
    }
    detail.append(list);
  }
  return detail;
}

function spanLine(span, summary, services, scale, actions) {
  const name = titled(
    make("button.name.span-name", make(`span.service.of${services.get(span.service)}`, span.service), " ", span.name),
    `${span.service}: ${span.name} (${span.kind || "internal"})`,
  );
  name.type = "button";
  name.style.paddingInlineStart = `${span.depth * 14}px`;
  name.addEventListener("click", () => actions.openRecord(span.record));
  const element = make(`span.bar.solid.span.of${services.get(span.service)}`);
  if (span.error !== undefined) element.classList.add("failed");
  element.style.left = scale(span.start);
  element.style.width = scale(span.duration);
  const place = make("span.bar-place", element);
  for (const event of span.events) {
    const at = Math.min(Math.max(event.time - summary.begin, 0), summary.extent);
    const dot = titled(make("span.event"), `+${duration(at)} ${event.name} ${event.attributes ? text(event.attributes) : ""}`);
    dot.style.left = scale(at);
    place.append(dot);
  }
  const told = make(
    "span.told",
    statusChip(span.status, span.error),
    make("span", duration(span.duration)),
    span.error === undefined || text(span.error) === String(span.status) ? undefined : make("span", text(span.error)),
  );
  return [name, place, told];
}

// MARK: Metrics

export const metricColumns = ["Metric", "Service", "Series", "Now", "Median", "99 %", "Last values"];

export function metricRow(series) {
  const { last, unit } = series;
  const now = last.value ?? (last.count > 0 && last.sum !== undefined ? last.sum / last.count : last.count);
  const words = series.attributes.map(([name, value]) => `${name}=${text(value)}`).join(" ");
  const row = make(
    "div.metric",
    titled(make("span.name", series.name), series.about || series.name),
    make("span.component", series.service),
    titled(make("span.series", words || "—"), words),
    make("span.value", quantity(now, unit)),
    make("span.value", quantity(series.quantile(0.5), unit)),
    make("span.value", quantity(series.quantile(0.99), unit)),
    sparkline(series.line),
  );
  for (const cell of row.children) cell.setAttribute("role", "gridcell");
  return row;
}

const SVG = "http://www.w3.org/2000/svg";

/** The last values as a line, scaled from the lowest to the highest. */
function sparkline(line, width = 160, height = 20) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "spark");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("preserveAspectRatio", "none");
  if (line.length > 1) {
    const values = line.map(([, value]) => value);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const [begin, end] = [line[0][0], line.at(-1)[0]];
    const points = line.map(([time, value]) => {
      const x = ((time - begin) / Math.max(end - begin, 0.001)) * width;
      const y = high === low ? height / 2 : height - 2 - ((value - low) / (high - low)) * (height - 4);
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    });
    const path = document.createElementNS(SVG, "polyline");
    path.setAttribute("points", points.join(" "));
    svg.append(path);
  }
  return make("span.spark-place", svg);
}

/** A series: its attributes, its last values, and the buckets of a histogram. */
export function metricDetail(series) {
  const { last, unit } = series;
  const table = make("table.attributes", make("caption", series.about || series.name));
  const body = make("tbody");
  const facts = [
    ["service", series.service], ["kind", series.kind], ["unit", unit], ...series.attributes.map(([name, value]) => [name, text(value)]),
    ["count", last.count], ["sum", last.sum === undefined ? undefined : quantity(last.sum, unit)],
    ["least", last.min === undefined ? undefined : quantity(last.min, unit)],
    ["most", last.max === undefined ? undefined : quantity(last.max, unit)],
    ["at", new Date(last.time).toISOString()],
  ].filter(([, value]) => value !== undefined && value !== "");
  for (const [name, value] of facts) {
    body.append(make("tr.fact", make("th", name), make("td", String(value)), make("td")));
  }
  table.append(body);
  const detail = make("div", table);
  if (Array.isArray(last.counts) && Array.isArray(last.bounds)) detail.append(buckets(last, unit));
  return detail;
}

function buckets({ bounds, counts }, unit) {
  const most = Math.max(1, ...counts);
  const plot = make("div.plot.buckets");
  counts.forEach((number, index) => {
    const label = index < bounds.length ? `≤ ${quantity(bounds[index], unit)}` : `> ${quantity(bounds.at(-1), unit)}`;
    const element = make("span.bar.solid");
    element.style.left = "0";
    element.style.width = `${(number / most) * 100}%`;
    plot.append(make("span.name", label), make("span.bar-place", number > 0 ? element : ""), make("span.told", String(number)));
  });
  const figure = make("figure.waterfall", plot);
  figure.setAttribute("aria-label", "Buckets of the histogram");
  return figure;
}
