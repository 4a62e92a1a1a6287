// Asks /v1/stats again and again, and shows what it says. No dependency, no state beyond this page.

const pollMilliseconds = 1500;
const keptSamples = 60;

const element = (id) => document.getElementById(id);
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

function rateText(rate) {
  return rate >= 1000 ? whole.format(rate) : short.format(rate);
}

function bytesText(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (bytes >= 999.5 && unit + 1 < units.length) {
    bytes /= 1000;
    unit += 1;
  }
  return `${short.format(bytes)} ${units[unit]}`;
}

function durationText(seconds) {
  const days = Math.floor(seconds / 86400);
  const clock = new Date(Math.floor(seconds) * 1000).toISOString().slice(11, 19);
  return days > 0 ? `${days} d ${clock}` : clock;
}

// Commits or conflicts of each second, from the totals of two answers.
class Rate {
  constructor(name) {
    this.value = element(`${name}-rate`);
    this.line = element(`${name}-line`).querySelector("polyline");
    this.restart();
  }

  restart() {
    this.last = null;
    this.samples = [];
  }

  add(total, seconds) {
    // A restarted server counts from 0 again.
    if (this.last && (seconds <= this.last.seconds || total < this.last.total)) this.restart();
    if (this.last) {
      this.samples.push((total - this.last.total) / (seconds - this.last.seconds));
      this.samples = this.samples.slice(-keptSamples);
      this.show();
    }
    this.last = { total, seconds };
  }

  show() {
    this.value.textContent = rateText(this.samples.at(-1));
    const most = Math.max(1, ...this.samples);
    const step = 120 / (keptSamples - 1);
    const start = 120 - (this.samples.length - 1) * step;
    this.line.setAttribute("points", this.samples
      .map((rate, at) => `${start + at * step},${31 - (30 * rate) / most}`).join(" "));
  }
}

function cell(row, text, className = "", tag = "td") {
  const added = row.appendChild(document.createElement(tag));
  added.textContent = text;
  added.className = className;
  return added;
}

// The number is in the cell before it, so the bar is for the eye alone.
function barCell(row, value, most) {
  const bar = cell(row, "", "meter").appendChild(document.createElement("div"));
  bar.className = "bar";
  bar.setAttribute("aria-hidden", "true");
  const filled = bar.appendChild(document.createElement("div"));
  filled.style.width = most > 0 ? `${(100 * value) / most}%` : "0";
}

function keyspaceRow(keyspace, mostRows, mostBytes) {
  const row = document.createElement("tr");
  cell(row, keyspace.name, "", "th").scope = "row";
  cell(row, keyspace.pattern);
  const mark = keyspace.rows_are_estimated ? "~" : "";
  cell(row, keyspace.rows === null ? "unknown" : mark + whole.format(keyspace.rows), "number");
  barCell(row, keyspace.rows ?? 0, mostRows);
  cell(row, bytesText(keyspace.size), "number");
  barCell(row, keyspace.size, mostBytes);
  return row;
}

function showKeyspaces(keyspaces) {
  for (const keyspace of keyspaces) {
    keyspace.size = (keyspace.bytes ?? 0) + (keyspace.write_buffer_bytes ?? 0);
  }
  const mostRows = Math.max(0, ...keyspaces.map((keyspace) => keyspace.rows ?? 0));
  const mostBytes = Math.max(0, ...keyspaces.map((keyspace) => keyspace.size));
  element("keyspaces").replaceChildren(
    ...keyspaces.map((keyspace) => keyspaceRow(keyspace, mostRows, mostBytes)));
  element("rows-remark").hidden = !keyspaces.some((keyspace) => keyspace.rows_are_estimated);
}

const commitRate = new Rate("commit");
const conflictRate = new Rate("conflict");

function show(stats) {
  commitRate.add(stats.commits, stats.uptime_seconds);
  conflictRate.add(stats.conflicts, stats.uptime_seconds);
  element("commits").textContent = whole.format(stats.commits);
  element("conflicts").textContent = whole.format(stats.conflicts);
  element("version").textContent = whole.format(stats.version);
  element("snapshots").textContent = whole.format(stats.open_snapshots);
  element("requests").textContent = whole.format(stats.requests);
  element("uptime").textContent = durationText(stats.uptime_seconds);
  showKeyspaces(stats.keyspaces);
}

// Written only when it changes, as screen readers read it out.
function showState(text, className) {
  const state = element("state");
  if (state.textContent === text) return;
  state.textContent = text;
  state.className = className;
}

async function fetchJson(path) {
  const response = await fetch(path, { signal: AbortSignal.timeout(10 * pollMilliseconds) });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error.message);
  return answer;
}

async function poll() {
  try {
    if (!document.hidden) show(await fetchJson("/v1/stats"));
    showState("Live", "live");
  } catch (error) {
    showState(error instanceof TypeError ? "No answer from the server" : error.message, "lost");
  }
  setTimeout(poll, pollMilliseconds);
}

async function showVersion() {
  const { version, engine } = await fetchJson("/version");
  element("about").textContent = `A counting database, version ${version}${engine ? ` on ${engine}` : ""}`;
}

showVersion().catch(() => {});
poll();
