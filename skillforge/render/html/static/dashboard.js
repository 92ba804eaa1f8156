// Search, sorting, paging and tooltips. The page shows everything else without it.
// Texts come formatted from the page's data block and are inserted as text, never as markup.
"use strict";

const byId = (id) => document.getElementById(id);

function skills() {
  const block = byId("all-rows");
  if (!block) return;
  const rows = JSON.parse(block.textContent).map(
    ([anchor, cells, keys, interval, spark, marks]) =>
      ({ anchor, cells, keys, interval, spark, marks: marks.split(" "),
         name: cells[0].toLowerCase() }));
  const perPage = 50;
  const heads = [...document.querySelectorAll("#skills thead th")];
  const template = byId("row").content.firstElementChild;
  const state = { column: 1, down: true, page: 0 };

  const fill = (row) => {
    const made = template.cloneNode(true);
    for (const slot of made.querySelectorAll("[data-at]"))
      slot.textContent = row.cells[slot.dataset.at];
    if (row.anchor) made.querySelector("a").setAttribute("href", row.anchor);
    if (row.interval) {
      const [low, rate, high] = row.interval.map((share) => 2 + 60 * share);
      const glyph = made.querySelector(".interval");
      glyph.classList.remove("none");
      glyph.querySelector(".range").setAttribute("x1", low);
      glyph.querySelector(".range").setAttribute("x2", high);
      glyph.querySelector(".at").setAttribute("cx", rate);
    }
    made.querySelector(".spark path").setAttribute("d", row.spark);
    return made;
  };

  // Skills without a number come last in both directions.
  const order = (a, b) => {
    const [x, y] = [a.keys[state.column], b.keys[state.column]];
    const named = a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
    if (state.column === 0) return state.down ? -named : named;
    if (x === null || y === null) return (x === null) - (y === null) || named;
    return (state.down ? y - x : x - y) || named;
  };

  const matching = () => {
    const words = byId("find").value.toLowerCase().split(/\s+/).filter(Boolean);
    const [origin, mark] = [byId("origin").value, byId("mark").value];
    return rows.filter((row) =>
      words.every((word) => row.name.includes(word)) &&
      (!origin || row.cells[1] === origin) && (!mark || row.marks.includes(mark)));
  };

  const count = (n) => n.toLocaleString("en");
  const heading = (found, from, shown) => {
    const all = `${count(rows.length)} ${rows.length === 1 ? "skill" : "skills"}`;
    if (!found) return `No matches among ${all}`;
    const part = shown < found ? `${count(from + 1)}–${count(from + shown)} of ` : "";
    return part + (found < rows.length ? `${count(found)} found among ${all}` : all);
  };

  const draw = () => {
    const found = matching().sort(order);
    const pages = Math.max(1, Math.ceil(found.length / perPage));
    state.page = Math.min(state.page, pages - 1);
    const from = state.page * perPage;
    const shown = found.slice(from, from + perPage);
    byId("rows").replaceChildren(...shown.map(fill));
    byId("shown").textContent = heading(found.length, from, shown.length);
    byId("pager").hidden = pages === 1;
    byId("page").textContent = `${count(state.page + 1)} of ${count(pages)}`;
    byId("previous").disabled = state.page === 0;
    byId("next").disabled = state.page === pages - 1;
    heads.forEach((head, at) => {
      if (at === state.column) head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    byId("sort").value = state.column;
  };

  const redraw = () => { state.page = 0; draw(); };
  const sortBy = (column, button) => {
    const same = state.column === column;
    state.down = same ? !state.down : button.dataset.first === "descending";
    state.column = column;
    redraw();
  };
  const buttons = [...document.querySelectorAll("[data-sort]")];
  for (const button of buttons) {
    button.disabled = false;
    button.addEventListener("click", () => sortBy(Number(button.dataset.sort), button));
  }
  byId("sort").addEventListener("change", () => {
    const column = Number(byId("sort").value);
    state.column = -1;
    sortBy(column, buttons.find((button) => Number(button.dataset.sort) === column));
  });
  for (const id of ["find", "origin", "mark"]) byId(id).addEventListener("input", redraw);
  byId("tools").addEventListener("submit", (event) => event.preventDefault());
  byId("previous").addEventListener("click", () => { state.page -= 1; draw(); });
  byId("next").addEventListener("click", () => { state.page += 1; draw(); });
  byId("tools").hidden = false;
  draw();
}

function tips() {
  const tip = byId("tip");
  let lit = null;
  const hide = () => {
    tip.hidden = true;
    if (lit) lit.classList.remove("lit");
    lit = null;
  };
  const place = () => {
    const at = lit.getBoundingClientRect();
    const wide = document.documentElement.clientWidth;
    const left = at.x + at.width / 2 - tip.offsetWidth / 2;
    const above = at.y - tip.offsetHeight - 8;
    tip.style.left = `${Math.max(8, Math.min(left, wide - tip.offsetWidth - 8))}px`;
    tip.style.top = `${above > 8 ? above : at.bottom + 8}px`;
  };
  const show = (mark) => {
    hide();
    lit = mark;
    mark.classList.add("lit");
    tip.textContent = mark.dataset.tip;
    tip.hidden = false;
    place();
  };
  // The nearest mark, because small marks are hard to hit.
  const nearest = (plot, event) => {
    let best = null;
    let least = 24 ** 2;
    for (const mark of plot.querySelectorAll("[data-tip]")) {
      const box = mark.getBoundingClientRect();
      const gap = (value, low, high) => Math.max(low - value, 0, value - high);
      const distance = gap(event.clientX, box.left, box.right) ** 2
        + gap(event.clientY, box.top, box.bottom) ** 2;
      if (distance < least) [best, least] = [mark, distance];
    }
    return best;
  };
  for (const plot of document.querySelectorAll("svg.plot")) {
    plot.addEventListener("pointermove", (event) => {
      const mark = nearest(plot, event);
      if (!mark) hide();
      else if (mark !== lit) show(mark);
    });
    plot.addEventListener("pointerleave", hide);
    if (!("walk" in plot.dataset)) continue;
    plot.setAttribute("tabindex", "0");
    plot.setAttribute("aria-roledescription", "plot; use the arrow keys to move between points");
    plot.addEventListener("blur", hide);
    plot.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (event.key === "Escape") hide();
      if (!step) return;
      event.preventDefault();
      const marks = [...plot.querySelectorAll("[data-tip]")];
      const start = step > 0 ? -1 : marks.length;
      const now = lit && plot.contains(lit) ? marks.indexOf(lit) : start;
      const next = marks[now + step];
      if (next) show(next);
    });
  }
  addEventListener("scroll", () => lit && place(), { passive: true });
}

skills();
tips();
