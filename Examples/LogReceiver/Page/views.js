// How records and calls look. Whatever came from outside becomes text, never markup.

import { LEVELS } from "./records.js";
import { clock, duration, text } from "./text.js";

/** Makes an element of a tag with classes, such as "span.quiet", around text and other elements. */
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

/** What a Cache-Status field says in a word: whether it was a hit, or why not (RFC 9211). */
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
    record.number("http.client.request.duration") === undefined
      ? undefined
      : make("span.took", duration(record.number("http.client.request.duration") * 1000)),
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
 * Everything about a record, and the call it belongs to.
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

/** @param scale The offset of the call in the place for bars, and how much time that shows. */
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
  for (const record of records.slice(0, 200)) {
    const button = make(
      "button.member",
      make("span.time", `+${duration(Math.max(0, record.time - call.summary.begin))}`),
      levelBadge(record.level),
      make("span.component", record.component),
      make("span.message", record.message.slice(0, 400)),
    );
    button.type = "button";
    button.addEventListener("click", () => actions.openRecord(record));
    list.append(button);
  }
  detail.append(list);
  return detail;
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

/** The call and its attempts as bars over the time that it took; other records are dots. */
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

/** A part of an exchange: connecting, sending, waiting for the head and so on. */
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
    // Of a response that is an error the conventions repeat the status.
    span.error === undefined || text(span.error) === String(span.status) ? "" : text(span.error),
  ].filter((part) => part !== "");
  place.title = parts.join(" · ");
  const words = make("span", parts.join(" · "));
  const told = make("span.told", statusChip(span.status, span.error), cacheChip(span.cache), words);
  return [make("span.name", name), place, told];
}
