// HTTP archives (HAR), chosen with a button or dropped on the page, are sent to the receiver, which reads them.

/**
 * Accepts archives that are chosen with a button and its file field, or dropped anywhere on the page.
 *
 * @param options The elements button and input; say(words); and opened(), which is called when the receiver has
 *   accepted exchanges.
 */
export function takeArchives({ button, input, say, opened }) {
  async function send(files) {
    for (const file of files) {
      try {
        const answer = await fetch("/har", { method: "POST", body: file });
        if (!answer.ok) {
          say(`${file.name}: ${(await answer.text()).trim()}`);
          continue;
        }
        const { accepted } = await answer.json();
        say(`${file.name}: ${accepted.toLocaleString("en")} exchange${accepted === 1 ? "" : "s"}.`);
        opened();
      } catch {
        say(`${file.name}: the receiver does not answer, or the file cannot be read.`);
      }
    }
  }

  button.addEventListener("click", () => input.click());
  input.addEventListener("change", async () => {
    const files = [...input.files];
    await send(files);
    // Cleared, so that the same file can be chosen again.
    input.value = "";
  });
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("dropping");
  });
  document.addEventListener("drop", (event) => {
    document.body.classList.remove("dropping");
    if (!hasFiles(event)) return;
    event.preventDefault();
    send([...event.dataTransfer.files]);
  });
}

/**
 * The offsets of the bars of calls, and the time that their column covers.
 *
 * Calls of an archive are placed by their time in the archive. The bars of all other calls begin at the left edge.
 */
export class Scales {
  constructor(calls) {
    this.longest = 1;
    this.archives = new Map();
    for (const call of calls) {
      const { archive, begin, extent } = call.summary;
      if (archive === undefined) {
        this.longest = Math.max(this.longest, extent);
        continue;
      }
      const span = this.archives.get(archive) || { begin: Infinity, end: -Infinity };
      span.begin = Math.min(span.begin, begin);
      span.end = Math.max(span.end, begin + extent);
      this.archives.set(archive, span);
    }
  }

  /** The offset of a call's bar in its column, and the time that the column covers, in milliseconds. */
  of(call) {
    const span = this.archives.get(call.summary.archive);
    if (!span) return { offset: 0, extent: this.longest };
    return { offset: call.summary.begin - span.begin, extent: Math.max(span.end - span.begin, 0.001) };
  }

  equals(other) {
    if (this.longest !== other.longest || this.archives.size !== other.archives.size) return false;
    return [...this.archives].every(([name, { begin, end }]) => {
      const span = other.archives.get(name);
      return span !== undefined && span.begin === begin && span.end === end;
    });
  }
}
