// Compares the states of threads that `syncline threads` prints with those of a Perfetto UI:
//
//     node tests/formats/perfetto/thread_states.mjs UI SYNCLINE FILE...
//
// The files need slices, since times count from the first. Perfetto passes over wakings of packed events on a core of which no
// switch came before, so that it may know less of a thread at its beginning; a thread that was preempted and is woken all the same
// is two states there (v52) and one here; and an interrupt is a waker here where the event says so.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { Processor } from "./ui.mjs";

const STATES = { Running: "running", R: "runnable", "R+": "runnable", D: "uninterruptible" };
const [folder, syncline, ...files] = process.argv.slice(2);
const ui = await Processor.start(folder);
let failed = false;

/// What the UI has of each thread, by number: start, length, state, core and waker; a length of null has no end there.
async function shown() {
  const zero = Number((await ui.query("select min(ts) as zero from slice"))[0].zero);
  const rows = await ui.query(`select t.tid, s.ts, s.dur, s.state, s.cpu, w.name || ' ' || w.tid as waker
    from thread_state s join thread t using (utid) left join thread w on s.waker_utid = w.utid order by t.tid, s.ts, s.id`);
  const threads = new Map();
  for (const row of rows) {
    const state = STATES[row.state] ?? "blocked";
    const all = threads.get(Number(row.tid)) ?? [];
    threads.set(Number(row.tid), all);
    const length = Number(row.dur) < 0 ? null : Number(row.dur);
    const before = all.at(-1);
    if (before?.state === "runnable" && state === "runnable") {
      before.length = length === null ? null : before.length + length;
      continue;
    }
    const core = row.cpu === null ? null : Number(row.cpu);
    all.push({ start: Number(row.ts) - zero, length, state, core, waker: row.waker });
  }
  return threads;
}

function told(file) {
  const out = execFileSync(syncline, ["threads", file, "--intervals", "--format", "json"], { maxBuffer: 1 << 30 });
  const threads = new Map();
  for (const line of out.toString().split("\n").filter(Boolean)) {
    const row = JSON.parse(line);
    const all = threads.get(row.thread) ?? [];
    threads.set(row.thread, all);
    all.push({ start: row.start_ns, length: row.duration_ns, state: row.state, core: row.core, waker: row.waker });
  }
  return threads;
}

/// Whether a state is the same; of an interrupt the UI names the thread that had the core.
function same(ours, theirs) {
  const waker = ours.waker === "interrupt" || ours.waker === theirs.waker;
  const length = theirs.length === null || ours.length === theirs.length;
  return waker && length && ours.start === theirs.start && ours.state === theirs.state && ours.core === theirs.core;
}

for (const file of files) {
  await ui.load(readFileSync(file));
  const [theirs, ours] = [await shown(), told(file)];
  let [count, different, passed] = [0, 0, 0];
  for (const [thread, states] of ours) {
    const others = theirs.get(thread) ?? [];
    const starts = new Set(others.map((it) => it.start));
    const first = states.findIndex((it) => starts.has(it.start));
    const there = others.filter((it) => first >= 0 && it.start >= states[first].start);
    const here = [];
    for (const state of first < 0 ? states : states.slice(first)) {
      // A waking that it passes over: the thread is blocked there until it runs.
      if (state.state === "runnable" && !starts.has(state.start) && here.length > 0) {
        here.at(-1).length += state.length;
        passed += 1;
      } else {
        here.push(state);
      }
    }
    count += here.length;
    for (let at = 0; at < Math.max(here.length, there.length); at += 1) {
      if (here[at] && there[at] && same(here[at], there[at])) continue;
      different += 1;
      if (different <= 5) console.log(file, thread, JSON.stringify(here[at]), JSON.stringify(there[at]));
    }
  }
  console.log(`${file}: ${ours.size} threads, ${count} states, ${different} different, ${passed} wakings passed over`);
  failed ||= different > 0 || count === 0;
}
process.exit(failed ? 1 : 0);
