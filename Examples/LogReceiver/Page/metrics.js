// The series of metrics, and their recent values.

import { text } from "./text.js";

/** The maximum number of series that the page keeps, and of values of each series. */
const SERIES = 2_000;
const VALUES = 120;

let lastSeries = 0;

export class Series {
  constructor(id, record, attributes) {
    this.id = id;
    this.key = `series-${++lastSeries}`;
    this.name = record.message;
    this.service = record.service;
    this.unit = text(record.value("metric.unit"));
    this.kind = text(record.value("metric.kind"));
    this.about = text(record.value("metric.description"));
    this.isCounter = record.value("metric.monotonic") === true || this.kind !== "gauge" && this.kind !== "sum";
    this.isDelta = text(record.value("metric.temporality")) === "delta";
    this.attributes = Object.entries(attributes).sort(([one], [other]) => (one < other ? -1 : 1));
    this.values = [];
    this.version = 0;
  }

  add(time, point) {
    this.values.push({ time, ...point });
    if (this.values.length > VALUES) this.values.shift();
    this.version += 1;
  }

  /** The text that is searched. */
  get searched() {
    return (this.cachedSearched ??= [this.name, this.service, ...this.attributes.map(([name, value]) => `${name}=${text(value)}`)]
      .join("\n")
      .toLowerCase());
  }

  get last() {
    return this.values.at(-1);
  }

  /** The points to draw: the values of a gauge; for a counter, its increase from each point in time to the next. */
  get line() {
    const size = (point) => Number(point.value ?? point.count ?? 0);
    if (!this.isCounter || this.isDelta) return this.values.map((point) => [point.time, size(point)]);
    const line = [];
    for (let index = 1; index < this.values.length; index++) {
      const [before, now] = [this.values[index - 1], this.values[index]];
      // A restarted program begins at zero.
      line.push([now.time, Math.max(0, size(now) - (size(now) < size(before) ? 0 : size(before)))]);
    }
    return line;
  }

  /** The value below which the given fraction of a histogram's values lies; `undefined` if there is no histogram. */
  quantile(part) {
    const { bounds, counts, count } = this.last ?? {};
    if (!Array.isArray(bounds) || !Array.isArray(counts) || !(count > 0)) return undefined;
    let rest = part * count;
    for (let index = 0; index < counts.length; index++) {
      if (rest > counts[index]) {
        rest -= counts[index];
        continue;
      }
      const low = index > 0 ? bounds[index - 1] : Math.min(0, bounds[0]);
      const high = index < bounds.length ? bounds[index] : this.last.max ?? bounds.at(-1);
      return low + (high - low) * (counts[index] > 0 ? rest / counts[index] : 0);
    }
    return this.last.max;
  }
}

/** All series, by service, metric and attributes. */
export class SeriesLog {
  constructor() {
    this.series = new Map();
    this.left = 0;
  }

  /** Adds a record of a metric. */
  add(record) {
    const points = record.value("metric.points");
    if (!Array.isArray(points)) return;
    for (const point of points) {
      if (typeof point !== "object" || point === null) continue;
      const attributes = typeof point.attributes === "object" && point.attributes !== null ? point.attributes : {};
      const id = JSON.stringify([record.service, record.component, record.message, attributes]);
      let series = this.series.get(id);
      if (!series) {
        if (this.series.size >= SERIES) {
          this.left += 1;
          continue;
        }
        this.series.set(id, (series = new Series(id, record, attributes)));
      }
      series.add(record.time, point);
    }
  }

  /** The series, sorted by name, service and attributes. */
  get sorted() {
    return [...this.series.values()].sort((one, other) =>
      one.name === other.name ? (one.id < other.id ? -1 : 1) : one.name < other.name ? -1 : 1,
    );
  }
}

/** Formats a number with its UCUM unit if that is seconds or bytes. */
export function quantity(value, unit) {
  if (value === undefined || value === null || !Number.isFinite(Number(value))) return "";
  const number = Number(value);
  if (unit === "s") return number >= 1 ? `${short(number)} s` : `${short(number * 1000)} ms`;
  if (unit === "By") {
    for (const [size, name] of [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]]) {
      if (Math.abs(number) >= size) return `${short(number / size)} ${name}`;
    }
    return `${short(number)} B`;
  }
  const word = unit.startsWith("{") ? unit.slice(1, -1) : unit === "1" ? "" : unit;
  return `${short(number)} ${word}`.trim();
}

function short(number) {
  if (Number.isInteger(number)) return number.toLocaleString("en");
  return Math.abs(number) >= 100 ? number.toFixed(0) : Number(number.toPrecision(3)).toString();
}
