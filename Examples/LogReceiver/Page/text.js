// Values, times and durations as text.

/** A value as text: strings unchanged, everything else as JSON. */
export function text(value) {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

const two = (number) => String(number).padStart(2, "0");

/** The time of day, to the millisecond. */
export function clock(time) {
  const date = new Date(time);
  return (
    `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}` +
    `.${String(date.getMilliseconds()).padStart(3, "0")}`
  );
}

/** A duration in milliseconds, as text. */
export function duration(milliseconds) {
  if (milliseconds === undefined) return "";
  if (milliseconds >= 10_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(2)} s`;
  if (milliseconds >= 10) return `${Math.round(milliseconds)} ms`;
  return `${milliseconds.toFixed(milliseconds >= 1 ? 1 : 2)} ms`;
}
