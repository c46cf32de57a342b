
"use strict";
// Texts come from the cluster, where anyone may choose names: they are only ever put into text nodes.

const $ = id => document.getElementById(id);
const silence = 15000; // three signs of life: the program sends one every five seconds
const integer = new Intl.NumberFormat("en");
const number = v => typeof v === "number" ? integer.format(v) : "–";
const bytes = v => {
  if (typeof v !== "number") return "–";
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let i = 0;
  for (; v >= 1024 && i < units.length - 1; ++i) v /= 1024;
  return (i && v < 100 ? v.toFixed(1) : Math.round(v)) + " " + units[i];
};
const time = s => {
  if (typeof s !== "number") return "–";
  if (s < 1) return Math.round(s * 1000) + " ms";
  if (s < 60) return s.toFixed(1) + " s";
  if (s < 3600) return Math.floor(s / 60) + " min " + Math.floor(s % 60) + " s";
  return Math.floor(s / 3600) + " h " + Math.floor(s % 3600 / 60) + " min";
};
const text = v => v === null || v === undefined || v === "" ? "–" : String(v);
const is_rest = row => row !== null && typeof row === "object" && "left_out" in row;
const list = v => Array.isArray(v) ? v.filter(row => !is_rest(row)) : [];
const left_out = v => Array.isArray(v) ? sum(v.filter(is_rest), row => row.left_out) : 0;
const sum = (rows, get) => rows.reduce((n, row) => n + (Number(get(row)) || 0), 0);

// A column: title, value to sort by, form of the value, and the cell's class.
const column = (title, get, form = number, kind = () => "") => ({title, get, form, kind});
const words = (title, get, kind = () => "") => ({title, get, form: text, kind, words: true});
// Shown when there is a row of a cluster other than the program's own.
const clusters = {...words("Cluster", r => r.cluster), absent: rows => !rows.some(r => r.cluster)};
const named = (r, name) => (r.cluster || "") + "/" + name;
const badIfAny = v => v > 0 ? "bad" : "";
const good = expected => v => expected.includes(v) ? "good" : "bad";

const tables = {
  informers: {title: "Informers", columns: [
    words("Resource", r => r.resource),
    clusters,
    words("State", r => r.state, good(["watching", "waiting", "listing"])),
    column("Objects", r => r.objects),
    column("Memory", r => r.bytes, bytes),
    column("Last event", r => r.silent_seconds, time),
    column("Events", r => r.added + r.updated + r.deleted),
    column("Per second", (r, was, s) => was && s > 0 ? (r.added + r.updated + r.deleted - was.added - was.updated - was.deleted) / s : null,
      v => typeof v === "number" ? v.toFixed(1) : "–"),
    column("Relists", r => r.reflector && r.reflector.relists),
    column("Pending", r => r.pending + sum(list(r.handlers), h => h.pending)),
    column("Failures", r => r.reflector && r.reflector.failures, number, badIfAny),
    words("Last failure", r => r.reflector && r.reflector.last_failure)], key: r => named(r, r.resource)},
  queues: {title: "Queues", columns: [
    words("Queue", r => r.name),
    clusters,
    column("Depth", r => r.ready),
    column("Oldest waits", r => r.oldest_seconds, time),
    column("Running", r => r.processing),
    column("Longest run", r => list(r.running_seconds)[0], time),
    column("Delayed", r => r.delayed),
    column("Held", r => r.held),
    column("Keys", r => r.keys),
    column("Memory", r => r.bytes, bytes),
    column("Added", r => r.adds),
    column("Retried", r => r.retries),
    words("Oldest key", r => r.oldest),
    words("Longest running keys", r => list(r.in_work).slice(0, 5).map((key, i) => lasting(key, list(r.running_seconds)[i])).join(", ")),
    words("Largest classes", r => list(r.largest_classes).slice(0, 3).map(c => c.name + " " + number(c.ready)).join(", "))], key: r => named(r, r.name)},
  controllers: {title: "Controllers", columns: [
    words("Controller", r => r.name),
    clusters,
    words("Phase", r => r.phase, good(["running", "syncing"])),
    {title: "Running", get: r => r.active, form: (v, r) => number(v) + " of " + number(r.workers), kind: () => ""},
    column("Succeeded", r => r.succeeded),
    column("Failed", r => r.failed + r.terminal, number, badIfAny),
    column("Mean run", (r, was) => mean(r, was), time),
    column("Longest run", r => r.longest_run_seconds, time),
    column("Timed out", r => r.timed_out, number, badIfAny),
    column("Behind own writes", r => r.behind_own_writes),
    words("Sources", r => list(r.sources).map(s => s.name + " " + s.state).join(", "))], key: r => named(r, r.name)},
  tasks: {title: "Tasks", rows: names => list(names).map(name => ({name})), columns: [words("Task", r => r.name)], key: r => r.name},
  manager: {title: "Manager", rows: m => list(m && m.parts), columns: [
    words("Part", r => r.name), words("State", r => r.state), column("Restarts", r => r.restarts, number, badIfAny)],
    note: m => m && m.phase ? "Phase: " + m.phase + (m.election ? "; leader: " + (m.election.leader || "none") +
      "; this replica: " + m.election.identity : "") : "", key: r => r.name},
  clusters: {title: "Clusters", optional: true, columns: [
    words("Name", r => r.name),
    words("State", r => r.state, good(["ready", "joining"])),
    column("Attempts", r => r.attempts),
    column("Objects", r => r.objects),
    column("Waiting keys", r => r.queued),
    words("Trouble", r => r.trouble),
    words("Last failure", r => r.lastFailure)], key: r => r.name},
  config: {title: "Configuration", rows: c => Object.entries(c || {}).map(([name, value]) => ({name, value})), columns: [
    words("Setting", r => r.name), words("Value", r => r.value)], key: r => r.name}
};

// A queue without metrics takes no times.
const lasting = (key, seconds) => typeof seconds === "number" ? key + " " + time(seconds) : key;

// Of the runs since the last snapshot; without any, of all.
function mean(r, was) {
  const runs = x => x.succeeded + x.failed + x.terminal;
  if (typeof r.run_seconds !== "number" || !runs(r)) return null;
  const since = was && runs(r) > runs(was) ? was : {run_seconds: 0, succeeded: 0, failed: 0, terminal: 0};
  return (r.run_seconds - since.run_seconds) / (runs(r) - runs(since));
}

function make(name, parent, content, kind) {
  const made = document.createElement(name);
  if (content !== undefined) made.textContent = content;
  if (kind) made.className = kind;
  if (parent) parent.append(made);
  return made;
}
function set(node, content) { if (node.textContent !== content) node.textContent = content; }

const most_rows = 500;

class view {
  constructor(name, kind) {
    this.kind = kind;
    this.section = make("section", $("main"));
    this.section.id = "page-" + name;
    const title = make("h2", this.section, kind.title);
    title.id = "title-" + name;
    this.note = make("p", this.section, "", "note");
    const box = make("div", this.section, undefined, "table");
    box.tabIndex = 0; // scrolls by the keyboard
    box.setAttribute("role", "region");
    box.setAttribute("aria-labelledby", title.id);
    const table = make("table", box);
    table.setAttribute("aria-labelledby", title.id);
    const head = make("tr", make("thead", table));
    this.heads = kind.columns.map((c, i) => {
      const cell = make("th", head, undefined, c.words ? "text" : "");
      cell.scope = "col";
      make("button", cell, c.title).addEventListener("click", () => this.sort(i));
      return cell;
    });
    this.body = make("tbody", table);
    this.before = new Map();
  }
  sort(i) {
    const down = this.by === i ? !this.down : !this.kind.columns[i].words;
    this.by = i;
    this.down = down;
    this.heads.forEach((h, k) => k === i ? h.setAttribute("aria-sort", down ? "descending" : "ascending") : h.removeAttribute("aria-sort"));
    this.draw();
  }
  show(page, seconds) {
    const rows = this.kind.rows ? this.kind.rows(page) : list(page);
    this.values = rows.map(row => {
      const was = this.before.get(this.kind.key(row));
      return {row, cells: this.kind.columns.map(c => c.get(row, was, seconds))};
    });
    this.hidden = this.kind.columns.map(c => c.absent ? c.absent(rows) : false);
    this.heads.forEach((h, i) => { h.hidden = this.hidden[i]; });
    this.before = new Map(rows.map(row => [this.kind.key(row), row]));
    this.missing = left_out(page);
    this.said = page && page.error ? "This page failed: " + page.error : this.kind.note ? this.kind.note(page) : "";
    this.draw();
  }
  draw() {
    const shown = [...this.values];
    if (this.by !== undefined) {
      const sign = this.down ? -1 : 1;
      shown.sort((a, b) => {
        const x = a.cells[this.by], y = b.cells[this.by];
        return sign * (typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y)));
      });
    }
    const more = Math.max(shown.length - most_rows, 0) + this.missing;
    shown.length = Math.min(shown.length, most_rows);
    set(this.note, [this.said, more > 0 ? more + " more rows are not shown" : "", shown.length ? "" : "None."].filter(Boolean).join(" "));
    this.note.hidden = !this.note.textContent;
    while (this.body.rows.length > shown.length) this.body.deleteRow(-1);
    shown.forEach((value, i) => this.fill(this.body.rows[i] || this.body.insertRow(), value));
  }
  fill(line, value) {
    this.kind.columns.forEach((c, i) => {
      let cell = line.cells[i];
      if (!cell) {
        cell = make(i ? "td" : "th", line);
        if (!i) cell.scope = "row";
      }
      const content = c.form(value.cells[i], value.row);
      set(cell, content);
      if (!i) cell.title = content;
      cell.hidden = this.hidden[i];
      cell.className = [c.words ? "text" : "", c.kind(value.cells[i])].filter(Boolean).join(" ");
    });
  }
}

const views = {};
let shown_at = 0;

function summarize(pages) {
  const facts = [];
  if (pages.informers) facts.push(
    ["Informers synced", list(pages.informers).filter(i => i.synced).length + " of " + list(pages.informers).length],
    ["Objects", number(sum(list(pages.informers), i => i.objects))],
    ["Their memory", bytes(sum(list(pages.informers), i => i.bytes))]);
  if (pages.queues) facts.push(["Waiting keys", number(sum(list(pages.queues), q => q.ready))]);
  if (pages.controllers) facts.push(
    ["Runs in progress", number(sum(list(pages.controllers), c => c.active))],
    ["Failed runs", number(sum(list(pages.controllers), c => c.failed + c.terminal))]);
  const places = $("summary").children;
  facts.forEach(([name, value], i) => {
    const place = places[i] || make("div", $("summary"));
    if (!place.children.length) { make("dt", place); make("dd", place); }
    set(place.children[0], name);
    set(place.children[1], value);
  });
  while (places.length > facts.length) places[places.length - 1].remove();
}

function show(pages) {
  const seconds = shown_at ? (performance.now() - shown_at) / 1000 : 0;
  shown_at = performance.now();
  const name = pages.config && pages.config.name;
  if (typeof name === "string" && name) { set($("name"), name); document.title = name; }
  for (const page of Object.keys(tables)) {
    if (!(page in pages)) continue;
    views[page] = views[page] || new view(page, tables[page]);
    views[page].show(pages[page], seconds);
  }
  for (const page of Object.keys(views)) {
    const {section, kind, values} = views[page];
    section.hidden = !(page in pages) || (kind.optional && !values.length);
  }
  summarize(pages);
}

let paused = false;
let token = "";
let submitted = false; // since the attempt in progress has begun
let running = null; // aborts the stream
let wake = () => {}; // ends a pause between two attempts

function status(kind, words) {
  const at = $("status");
  if (at.className !== kind) at.className = kind;
  set(at, words);
  document.body.classList.toggle("stale", kind !== "live");
}

function take(event, pages) {
  let name = "", data = "";
  for (const line of event.split("\n")) {
    if (line.startsWith("event: ")) name = line.slice(7);
    if (line.startsWith("data: ")) data += line.slice(6);
  }
  if (name === "SNAPSHOT") return true;
  if (!name) return false; // a comment
  try { pages[name] = JSON.parse(data); } catch { pages[name] = {error: "it is not JSON"}; }
  return false;
}

async function read(response, alive) {
  const reader = response.body.getReader(), decoder = new TextDecoder();
  let rest = "", pages = {};
  for (;;) {
    const {value, done} = await reader.read();
    if (done) return;
    alive();
    rest += decoder.decode(value, {stream: true});
    const events = rest.split("\n\n");
    rest = events.pop();
    for (const event of events) if (take(event, pages)) {
      show(pages);
      pages = {};
      status("live", "live");
    }
  }
}

// One stream from its begin to its end. Returns why it ended.
async function follow() {
  running = new AbortController();
  let timer = 0;
  const alive = () => {
    clearTimeout(timer);
    timer = setTimeout(() => running && running.abort(), silence);
  };
  alive();
  try {
    const headers = token ? {Authorization: "Bearer " + token} : {};
    const response = await fetch("dashboard/events", {headers, signal: running.signal, cache: "no-store", credentials: "omit"});
    $("login").hidden = response.status !== 401 && response.status !== 403;
    if (!response.ok) return (await response.text()).trim().slice(0, 200) || "status " + response.status;
    await read(response, alive);
    return "the program has ended the stream";
  } catch {
    return "no connection";
  } finally {
    clearTimeout(timer);
    running = null;
  }
}

async function main() {
  for (let pause = 1000;; pause = Math.min(pause * 2, 15000)) {
    if (!paused) {
      const begun = performance.now();
      submitted = false;
      const why = await follow();
      if (performance.now() - begun > silence) pause = 1000;
      if (submitted) continue;
      if (!paused) status("lost", "lost: " + why + "; trying again");
    }
    const waits = paused || !$("login").hidden; // for a person
    await new Promise(done => { wake = done; setTimeout(done, waits ? 1e9 : pause); });
  }
}

$("pause").addEventListener("click", () => {
  paused = !paused;
  $("pause").setAttribute("aria-pressed", String(paused));
  status(paused ? "paused" : "connecting", paused ? "paused" : "connecting");
  if (paused && running) running.abort();
  wake();
});
$("login").addEventListener("submit", event => {
  event.preventDefault();
  token = $("token").value.trim();
  $("token").value = "";
  submitted = true;
  if (running) running.abort();
  status("connecting", "connecting");
  wake();
});
main();
