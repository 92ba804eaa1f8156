// Search as you type, and copy buttons. Every page is complete without this script.
"use strict";

const SLICE = 40; // rows that are added at a time; listing.py begins with as many
const OTHER = "Other"; // the name in urls.py for skills without a group

const first = (selector) => document.querySelector(selector);
const announcement = first(".announcement");

// Copying a line.
async function copy(line) {
  try {
    await navigator.clipboard.writeText(line.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(line); // The user can copy it with one key.
    return false;
  }
}

for (const copier of document.querySelectorAll(".copy")) {
  const line = copier.parentElement.querySelector("code");
  const client = copier.parentElement.querySelector(".client").textContent;
  copier.hidden = false;
  copier.setAttribute("aria-label", `Copy the command for ${client}`);
  copier.addEventListener("click", async () => {
    const done = await copy(line);
    copier.textContent = done ? "Copied" : "Selected";
    announcement.textContent = done ? `Copied: ${line.textContent}` : "Selected; press Ctrl+C or Cmd+C to copy";
    setTimeout(() => { copier.textContent = "Copy"; }, 2000);
  });
}

// Open the file or version that the address names.
function openTarget() {
  let named = "";
  try { named = decodeURIComponent(location.hash.slice(1)); } catch { return; }
  const target = named && document.getElementById(named);
  const closed = target && target.closest("details:not([open])");
  if (!closed) return;
  closed.open = true;
  target.scrollIntoView();
}

addEventListener("hashchange", openTarget);
openTarget();

// "/" moves to the search from anywhere.
const find = first("#find");

addEventListener("keydown", (event) => {
  const typing = event.target.closest && event.target.closest("input, textarea, select");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  if (find) find.focus();
  else location.href = `${document.body.dataset.home}#q=`;
});

// Search. search.js calls `skillIndex` with the index.
const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const wordsOf = (text) => plain(text).match(/[\p{L}\p{N}]+/gu) || [];

function readSkills(index) {
  return index.skills.map(([name, about, version, group, badges, date = "", rate = "", further = "", folder = ""]) => ({
    name, about, version, group, badges: index.marks[badges], date, rate,
    href: `skills/${encodeURIComponent(folder || name)}/index.html`,
    title: plain(name),
    text: ` ${plain(`${index.groups[group]} ${about} ${further}`)}`,
  }));
}

// Words that say nothing about a task: text.py has the same.
const SMALL = new Set((
  "a an the is are was were be been of to in on at for from by with and or as than my me i you your it its this that these "
  + "those all any some do does did has had have please can could would should s who what which how hi hello there "
  + "use used using when whenever user users ask asks want wants skill"
).split(" "));

// The stem of an English word, much as the command line's index has it.
function stem(word) {
  const single = word.replace(/(?<=[a-z]{2})ies$/, "y").replace(/(?<=s|x|z|ch|sh)es$/, "").replace(/(?<=[a-z]{2}[^s])s$/, "");
  const base = single.replace(/(?<=[a-z]{3})(?:ing|ed)$/, "");
  return (base === single ? base : base.replace(/([^aeiouls])\1$/, "$1")).replace(/(?<=[a-z]{3})e$/, "").replace(/(?<=[a-z]{2})y$/, "i");
}

function telling(text) {
  const words = [...new Set(wordsOf(text))];
  const rest = words.filter((word) => !SMALL.has(word));
  return rest.length ? rest : words;
}

// The ranking of `skillforge search` on what the index has: BM25, a name counts three times.
class Ranking {
  constructor(skills) {
    this.skills = skills;
    this.found = new Map(); // by stem: how often each skill has it
    this.lengths = skills.map((skill, number) => this.add(number, skill.title, 3) + this.add(number, skill.text, 1));
    this.average = this.lengths.reduce((sum, length) => sum + length, 0) / (skills.length || 1);
  }

  add(number, text, weight) {
    const words = wordsOf(text);
    for (const word of words) {
      const key = stem(word);
      if (!this.found.has(key)) this.found.set(key, new Map());
      const counts = this.found.get(key);
      counts.set(number, (counts.get(number) || 0) + weight);
    }
    return words.length;
  }

  // The skills with a word; the one that is being typed may be the start or a part of another.
  counts(word, isTyped) {
    const exact = this.found.get(stem(word));
    if (exact && !isTyped) return exact;
    const counts = new Map(exact);
    for (const [key, others] of this.found) {
      const share = key === stem(word) ? 0 : key.startsWith(word) ? 0.5 : key.includes(word) ? 0.1 : 0;
      if (share) for (const [number, count] of others) counts.set(number, (counts.get(number) || 0) + share * count);
    }
    return counts;
  }

  points(word, isTyped) {
    const counts = this.counts(word, isTyped);
    const rarity = Math.log((this.skills.length - counts.size + 0.5) / (counts.size + 0.5));
    const score = ([number, count]) => {
      const length = 1.2 * (0.25 + 0.75 * this.lengths[number] / this.average);
      return [number, Math.max(rarity, 1e-6) * count * 2.2 / (count + length)];
    };
    return new Map([...counts].map(score));
  }

  // Skills with all words come first, then those with any.
  rank(query, group) {
    const words = telling(query);
    const name = wordsOf(query).join("-");
    const points = words.map((word, at) => this.points(word, at === words.length - 1));
    const found = [];
    this.skills.forEach((skill, number) => {
      if (group >= 0 && skill.group !== group) return;
      const got = points.filter((scores) => scores.has(number));
      if (words.length && !got.length) return;
      const total = got.reduce((sum, scores) => sum + scores.get(number), 0);
      const isName = words.length && skill.title === name;
      found.push([isName ? 2 : got.length === words.length ? 1 : 0, total, skill]);
    });
    // The index is sorted by name, and the sort is stable.
    return found.sort((a, b) => b[0] - a[0] || b[1] - a[1]).map(([, , skill]) => skill);
  }
}

// Whether two words differ by one typo: a letter inserted, deleted, replaced or swapped.
function isNear(word, other) {
  if (Math.abs(word.length - other.length) > 1 || word === other) return false;
  let at = 0;
  while (at < word.length && word[at] === other[at]) at += 1;
  const [a, b] = [word.slice(at), other.slice(at)];
  return a.slice(1) === b.slice(1) || a === b.slice(1) || a.slice(1) === b
    || (a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2));
}

function countWords(skills) {
  const counts = new Map();
  for (const skill of skills) {
    for (const word of new Set(wordsOf(`${skill.title} ${skill.text}`))) {
      counts.set(word, (counts.get(word) || 0) + 1);
    }
  }
  return counts;
}

function suggestion(counts, words) {
  const known = [...counts.keys()];
  const corrected = words.map((word) => {
    if (word.length < 4 || known.some((other) => other.includes(word))) return word;
    const near = known.filter((other) => isNear(word, other));
    return near.sort((a, b) => counts.get(b) - counts.get(a))[0] || word;
  });
  return corrected.join(" ") === words.join(" ") ? "" : corrected.join(" ");
}

function marked(text, words) {
  const pieces = document.createDocumentFragment();
  const long = words.filter((word) => word.length > 1); // Only letters and digits: safe in a pattern.
  const parts = long.length ? text.split(new RegExp(`(${long.join("|")})`, "iu")) : [text];
  parts.forEach((part, at) => {
    if (at % 2) pieces.append(Object.assign(document.createElement("mark"), { textContent: part }));
    else pieces.append(part);
  });
  return pieces;
}

function makeRow(skill, groups, words) {
  const row = first("#row").content.querySelector("li").cloneNode(true);
  const link = row.querySelector("a");
  link.href = skill.href;
  link.firstElementChild.append(marked(skill.name, words));
  row.querySelector(".version bdi").textContent = skill.version;
  row.querySelector(".about bdi").append(marked(skill.about, words));
  const group = groups[skill.group];
  row.querySelector(".group bdi").textContent = group === OTHER ? "" : group;
  for (const [text, tone] of skill.badges) {
    const badge = document.createElement("span");
    badge.className = `badge ${tone}`;
    badge.textContent = text;
    row.querySelector(".badges").append(badge);
  }
  row.querySelector(".rate").textContent = skill.rate && `${skill.rate} success`;
  row.querySelector(".date").textContent = skill.date;
  return row;
}

class Finder {
  constructor(index) {
    this.groups = index.groups;
    this.skills = readSkills(index);
    this.ranking = new Ranking(this.skills);
    this.results = first("#results");
    this.count = first("#count");
    this.more = first("#more");
    this.links = [...document.querySelectorAll("[data-group]")];
    this.group = -1;
    this.listen();
    this.readAddress();
  }

  listen() {
    let waiting = 0;
    find.addEventListener("input", () => {
      cancelAnimationFrame(waiting); // At most once per frame.
      waiting = requestAnimationFrame(() => this.changed());
    });
    find.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const link = this.results.querySelector("a");
      if (link && find.value.trim()) link.click();
    });
    this.more.addEventListener("click", () => this.showMore().focus());
    for (const link of this.links) {
      link.addEventListener("click", (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        this.group = this.groupOf(link);
        this.changed();
      });
    }
    addEventListener("keydown", (event) => this.walk(event));
    addEventListener("hashchange", () => this.readAddress());
    find.form.hidden = false;
    const rest = first(".rest");
    if (rest) rest.hidden = true;
  }

  // The first link is for all skills, which is group -1.
  groupOf(link) {
    return link === this.links[0] ? -1 : this.groups.indexOf(link.firstElementChild.textContent);
  }

  // The address contains the query, for links to a search.
  readAddress() {
    const hash = location.hash.slice(1);
    if (hash && !/^(q|group)=/.test(hash)) return;
    const query = new URLSearchParams(hash);
    find.value = query.get("q") || "";
    this.group = this.groups.indexOf(query.get("group") || "");
    if (hash) find.focus();
    this.show();
  }

  changed() {
    const query = new URLSearchParams();
    if (find.value.trim()) query.set("q", find.value.trim());
    if (this.group >= 0) query.set("group", this.groups[this.group]);
    const hash = String(query);
    history.replaceState(null, "", hash ? `#${hash}` : location.href.split("#")[0]);
    this.show();
  }

  show() {
    this.words = telling(find.value);
    this.found = this.ranking.rank(find.value, this.group);
    this.results.replaceChildren();
    for (const link of this.links) {
      if (this.groupOf(link) === this.group) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    this.showMore();
    this.showCount();
  }

  showMore() {
    const from = this.results.childElementCount;
    const rows = this.found.slice(from, from + SLICE).map((skill) => makeRow(skill, this.groups, this.words));
    this.results.append(...rows);
    const left = this.found.length - from - rows.length;
    this.more.hidden = left <= 0;
    this.more.textContent = `Show ${Math.min(left, SLICE)} more of ${left.toLocaleString("en")}`;
    return rows.length ? rows[0].querySelector("a") : find;
  }

  showCount() {
    const number = this.found.length;
    const where = this.group >= 0 ? ` in ${this.groups[this.group]}` : "";
    const what = find.value.trim() ? ` for “${find.value.trim()}”` : "";
    this.count.textContent = `${number ? number.toLocaleString("en") : "No"} skill${number === 1 ? "" : "s"}${where}${what}`;
    if (!number) this.results.append(this.noResults());
  }

  // Nothing was found: suggest another query.
  noResults() {
    const item = document.createElement("li");
    item.className = "empty";
    this.counts ||= countWords(this.skills);
    const near = suggestion(this.counts, this.words);
    item.append(near ? "Did you mean " : "Try fewer or other words. ");
    item.append(this.suggestionButton(near || "Show all skills", near, near ? this.group : -1));
    if (near) item.append("?");
    return item;
  }

  suggestionButton(label, query, group) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.addEventListener("click", () => {
      find.value = query;
      this.group = group;
      this.changed();
      find.focus();
    });
    return button;
  }

  // Arrows move through the results; Escape clears the search.
  walk(event) {
    const here = document.activeElement;
    const links = [...this.results.querySelectorAll("a")];
    const at = links.indexOf(here);
    if (event.key === "Escape" && (here === find || at >= 0)) {
      find.value = "";
      find.focus();
      this.changed();
    } else if (event.key === "ArrowDown" && (here === find || at >= 0)) {
      event.preventDefault();
      const next = links[at + 1] || (this.more.hidden ? null : this.showMore());
      if (next) next.focus();
    } else if (event.key === "ArrowUp" && at >= 0) {
      event.preventDefault();
      (links[at - 1] || find).focus();
    }
  }
}

globalThis.skillIndex = (index) => { if (find) new Finder(index); };
