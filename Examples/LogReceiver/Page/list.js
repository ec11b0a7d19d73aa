// A virtual list: only visible rows have elements. One row can be expanded.

export class VirtualList {
  /**
   * @param container The element that scrolls.
   * @param options rowHeight; row(item) and detail(item), which make elements; and onChange, which is called when the
   *   expanded row or the visible rows change.
   */
  constructor(container, options) {
    this.container = container;
    this.options = options;
    this.items = [];
    this.drawn = new Map();
    this.active = null;
    this.open = null;
    this.openIndex = -1;
    this.detail = null;
    this.detailHeight = 0;
    this.follows = true;
    this.unseen = 0;
    this.canvas = document.createElement("div");
    this.canvas.className = "canvas";
    this.canvas.setAttribute("role", "rowgroup");
    container.append(this.canvas);
    this.observer = new ResizeObserver(() => this.measure());
    container.addEventListener("scroll", () => this.scrolled(), { passive: true });
    new ResizeObserver(() => this.update()).observe(container);
    this.canvas.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (!row || !this.canvas.contains(row) || String(getSelection()) !== "") return;
      this.active = row.item;
      this.toggle(row.item);
    });
  }

  /** Shows other items, or the same items after a change. `trimmed` is the number of items removed at the beginning. */
  show(items, { trimmed = 0, added = 0 } = {}) {
    this.items = items;
    this.openIndex = this.open ? items.indexOf(this.open) : -1;
    if (trimmed > 0 && !this.follows) this.container.scrollTop -= trimmed * this.options.rowHeight;
    if (!this.follows) this.unseen += added;
    this.update();
  }

  /** Resets the list, for items of another kind. */
  reset() {
    this.removeDetail();
    this.open = this.active = null;
    this.detailHeight = 0;
    this.unseen = 0;
    this.follows = true;
    this.redraw([]);
  }

  /** Recreates all rows. */
  redraw(items = this.items) {
    for (const element of this.drawn.values()) element.remove();
    this.drawn.clear();
    this.show(items);
  }

  /** Removes some rows, so that they are recreated when they are next drawn. */
  forget(items) {
    for (const item of items) {
      this.drawn.get(item)?.remove();
      this.drawn.delete(item);
    }
  }

  /** Recreates the details of the expanded row. */
  redrawDetail() {
    if (this.open && this.detail) {
      this.removeDetail();
      this.update();
    }
  }

  update() {
    const height = this.items.length * this.options.rowHeight + (this.openIndex >= 0 ? this.detailHeight : 0);
    this.canvas.style.height = `${height}px`;
    this.container.setAttribute("aria-rowcount", this.items.length);
    if (this.follows) this.container.scrollTop = height;
    this.draw();
    this.options.onChange?.();
  }

  scrolled() {
    const { scrollTop, clientHeight, scrollHeight } = this.container;
    this.follows = this.openIndex < 0 && scrollTop + clientHeight >= scrollHeight - 4;
    if (this.follows) this.unseen = 0;
    this.draw();
    this.options.onChange?.();
  }

  jumpToEnd() {
    this.close();
    this.follows = true;
    this.unseen = 0;
    this.update();
  }

  // The top of a row, which is below the details of the expanded row if it follows that.
  top(index) {
    return index * this.options.rowHeight + (this.openIndex >= 0 && index > this.openIndex ? this.detailHeight : 0);
  }

  indexAt(offset) {
    const { rowHeight } = this.options;
    if (this.openIndex < 0 || offset < (this.openIndex + 1) * rowHeight) return Math.floor(offset / rowHeight);
    return Math.max(this.openIndex, Math.floor((offset - this.detailHeight) / rowHeight));
  }

  draw() {
    const { scrollTop, clientHeight } = this.container;
    const first = Math.max(0, this.indexAt(scrollTop) - 8);
    const last = Math.min(this.items.length - 1, this.indexAt(scrollTop + clientHeight) + 8);
    const wanted = new Set();
    for (let index = first; index <= last; index++) {
      const item = this.items[index];
      wanted.add(item);
      let element = this.drawn.get(item);
      if (!element) {
        element = this.options.row(item);
        element.item = item;
        element.id = `row-${item.key}`;
        element.classList.add("row");
        element.setAttribute("role", "row");
        this.drawn.set(item, element);
        this.canvas.append(element);
      }
      element.style.transform = `translateY(${this.top(index)}px)`;
      element.setAttribute("aria-rowindex", index + 1);
      element.setAttribute("aria-expanded", item === this.open);
      element.classList.toggle("active", item === this.active);
      element.classList.toggle("odd", index % 2 === 1);
    }
    for (const [item, element] of this.drawn) {
      if (wanted.has(item)) continue;
      element.remove();
      this.drawn.delete(item);
    }
    this.drawDetail();
    if (this.active && this.drawn.has(this.active)) {
      this.container.setAttribute("aria-activedescendant", `row-${this.active.key}`);
    } else {
      this.container.removeAttribute("aria-activedescendant");
    }
  }

  drawDetail() {
    if (this.openIndex < 0) return this.removeDetail();
    if (!this.detail) {
      this.detail = this.options.detail(this.open);
      this.detail.classList.add("detail");
      this.canvas.append(this.detail);
      this.observer.observe(this.detail);
      this.measure();
    }
    this.detail.style.transform = `translateY(${(this.openIndex + 1) * this.options.rowHeight}px)`;
  }

  removeDetail() {
    if (!this.detail) return;
    this.observer.unobserve(this.detail);
    this.detail.remove();
    this.detail = null;
  }

  measure() {
    const height = this.detail ? this.detail.offsetHeight : 0;
    if (height === this.detailHeight) return;
    this.detailHeight = height;
    this.update();
  }

  toggle(item) {
    if (this.open === item) this.close();
    else {
      this.removeDetail();
      this.open = item;
      this.follows = false;
      this.openIndex = this.items.indexOf(item);
      this.update();
      this.reveal(this.openIndex, true);
    }
  }

  close() {
    this.removeDetail();
    this.open = null;
    this.openIndex = -1;
    this.detailHeight = 0;
    this.update();
  }

  /** Scrolls a row into view, with as much of its details as fits. */
  reveal(index, withDetail = false) {
    const { rowHeight } = this.options;
    const { scrollTop, clientHeight } = this.container;
    const top = this.top(index);
    const bottom = top + rowHeight + (withDetail ? this.detailHeight : 0);
    if (bottom > scrollTop + clientHeight) this.container.scrollTop = Math.min(top, bottom - clientHeight);
    if (top < this.container.scrollTop) this.container.scrollTop = top;
  }

  /** Moves the active row. If there is none, begins at the first row to move down, or at the last to move up. */
  move(by) {
    if (this.items.length === 0) return;
    const at = this.items.indexOf(this.active);
    const next = at < 0 ? (by > 0 ? 0 : this.items.length - 1) : at + by;
    const index = Math.min(Math.max(next, 0), this.items.length - 1);
    this.active = this.items[index];
    this.follows = false;
    this.reveal(index);
    this.draw();
  }
}
