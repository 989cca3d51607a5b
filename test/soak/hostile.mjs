// Validates 2,000 hostile cases with the built program. A case is a contract, an overlay, a mapping with functions, and
// an input. Each case runs in its own process, with a heap of 512 MB and a time limit of 10 s. A case fails if it exits
// with 70, is killed by a signal, prints a stack trace, exceeds the time limit, or uses more memory than `--megabytes`.
//   node test/soak/hostile.mjs [--cases 2000] [--seed <n>] [--seconds <n>] [--workers 2] [--megabytes 900]
// The seeds are consecutive, beginning with `--seed`. A failed case is printed with its seed, and its folder is kept.
// Requires `npm run build`.
//
// Memory has two limits. `--max-old-space-size=512` limits the heap: beyond it, V8 ends the process with a signal. Peak
// resident memory (VmHWM) also includes 100 MB for Node.js and the program's code, young objects, compiled code,
// buffers, and pages that V8 releases late. The function thread has its own heap, which may grow by 1 GiB during a
// batch. A case whose mapping calls `grows` may use that much more, plus its growth between two measurements.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    cases: { type: "string", default: "2000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    seconds: { type: "string" },
    workers: { type: "string", default: "2" },
    megabytes: { type: "string", default: "900" },
  },
});
const CASE_MS = 10_000;
const MAX_OF_FUNCTIONS_MB = 1024 + 512;
const program = path.join(import.meta.dirname, "../../bin/migrate.js");
const [first, cases] = [Number(values.seed), Number(values.cases)];
const endsAt = values.seconds === undefined ? Infinity : performance.now() + 1000 * Number(values.seconds);
const folder = mkdtempSync(path.join(tmpdir(), "hostile-"));
const ends = {};
let [next, failed, most] = [first, 0, 0];

const SHAPES = [
  (inner) => ({ type: "object", properties: { x: inner } }),
  (inner, other) => ({ type: "object", properties: { x: inner, y: other } }),
  (inner) => ({ type: "object", properties: { x: { oneOf: [inner, inner] } } }),
  (inner, other) => ({ type: "object", properties: { x: { anyOf: [inner, other] } } }),
  (inner, other) => ({ oneOf: [inner, other] }),
  (inner) => ({ oneOf: [inner, inner] }),
  (inner, other) => ({ allOf: [inner, other] }),
  (inner, other) => ({ not: inner, if: other, else: inner }),
  (inner) => ({ type: "array", items: inner }),
  (inner) => ({ type: "object", additionalProperties: inner }),
  (inner) => inner,
];

const FUNCTIONS = {
  loops: "for (;;);",
  grows: "const list = []; for (;;) list.push(new Array(1e6).fill(1));",
  throws: 'throw new Error("no");',
  ends: "process.exit(0);",
  kills: 'process.kill(process.pid, "SIGKILL");',
  rejects: "void Promise.reject(new Error());",
  later: "setTimeout(() => { throw null; }, 1);",
  breaks:
    "for (const name of ['push', 'pop', 'map']) Array.prototype[name] = throws; void Promise.reject(); return 'x';",
  logs: "console.log('\\x1b[2J', text); return text;",
  cycles: "const list = []; list.push(list); return list;",
  recurses: "return recurses(text) + 1;",
  long: "return text.repeat(1e5);",
};
const functionsModule = Object.entries(FUNCTIONS)
  .map(([name, body]) => `export function ${name}(text) { ${body} }\n`)
  .join("");

process.stdout.write(`${cases} cases, starting with seed ${first}\n`);
await Promise.all(Array.from({ length: Number(values.workers) }, runCases));
if (failed === 0) rmSync(folder, { recursive: true, force: true });
process.stdout.write(
  `${next - first} cases, ${failed} failed; exit codes ${JSON.stringify(ends)}; at most ${most} MB\n`,
);
process.exit(failed === 0 && (endsAt !== Infinity || next - first === cases) ? 0 : 1);

async function runCases() {
  while (next < first + cases && performance.now() < endsAt) {
    const seed = next++;
    const place = path.join(folder, String(seed));
    mkdirSync(place);
    const words = writeCase(seed, place);
    const end = await run(words, place);
    ends[end.code ?? end.signal] = (ends[end.code ?? end.signal] ?? 0) + 1;
    most = Math.max(most, end.megabytes);
    const wrong = faultOf(end, /"call":"grows"/.test(readFileSync(path.join(place, "mapping.json"), "utf8")));
    if (wrong === undefined) rmSync(place, { recursive: true, force: true });
    else {
      failed += 1;
      process.stdout.write(
        `seed ${seed}: ${wrong}\n  cd ${place} && migrate ${words.join(" ")}\n${end.stderr.slice(0, 600)}\n`,
      );
    }
  }
}

function faultOf({ code, signal, stderr, megabytes, isLate }, grows) {
  if (isLate) return `not done after ${CASE_MS / 1000} s`;
  if (signal !== null) return `ended by ${signal}`;
  if (code === 70) return "exit code 70";
  if (/^\s+at .+:\d+:\d+\)?$/m.test(stderr)) return "a stack trace";
  const limit = Number(values.megabytes) + (grows ? MAX_OF_FUNCTIONS_MB : 0);
  return megabytes > limit ? `${megabytes} MB` : undefined;
}

function run(words, cwd) {
  const child = spawn(process.execPath, ["--max-old-space-size=512", program, ...words], {
    cwd,
    env: { ...process.env, HOME: cwd, XDG_STATE_HOME: cwd },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const end = { stderr: "", megabytes: 0, isLate: false };
  child.stderr.on("data", (text) => (end.stderr = `${end.stderr}${text}`.slice(0, 100_000)));
  const look = setInterval(() => (end.megabytes = Math.max(end.megabytes, peakOf(child.pid))), 50);
  const late = setTimeout(() => {
    end.isLate = true;
    child.kill("SIGKILL");
  }, CASE_MS);
  return new Promise((resolve) => {
    child.once("close", (code, signal) => {
      clearInterval(look);
      clearTimeout(late);
      resolve({ ...end, code, signal });
    });
  });
}

/** Returns the peak resident memory of a process in MB; 0 if the system does not report it. */
function peakOf(pid) {
  try {
    const [, kilobytes = "0"] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Math.round(Number(kilobytes) / 1024);
  } catch {
    return 0;
  }
}

function times(count, make) {
  return Array.from({ length: count }, (_, at) => make(at));
}

function ref(level) {
  return { $ref: `#/components/schemas/L${level}` };
}

/** Writes the files of a case and returns the arguments of its command. */
function writeCase(seed, place) {
  const dice = seededRandom(seed);
  const pick = (list) => list[Math.floor(dice() * list.length)];
  const upTo = (limit) => 1 + Math.floor(dice() * limit);
  const write = (name, value) =>
    writeFileSync(path.join(place, name), typeof value === "string" ? value : JSON.stringify(value));
  const levels = pick([1, 5, 20, 60, 240, 3000]);
  const shape = pick(SHAPES);
  const last = pick([
    { type: "string" },
    { type: "string", maxLength: 3 },
    { type: "string", enum: times(pick([3, 1000, 130_000]), (at) => `v${at}`) },
    { type: "string", pattern: pick(["(a+)+b", "^a{1,900}$", "(a|a)*b", "[", "(?=a)a*"]) },
  ]);
  const schemas = { L0: last };
  for (let at = 1; at <= levels; at += 1) schemas[`L${at}`] = shape(ref(at - 1), pick([ref(at - 1), ref(levels)]));
  const schema = { type: "object", required: ["a"], properties: { a: { type: "string" }, e: ref(levels), t: {} } };
  write("contract.json", {
    openapi: pick(["3.0.3", "3.1.0"]),
    info: { title: "hostile", version: "1" },
    paths: {
      "/things/": {
        post: {
          operationId: "create-thing",
          "x-migrate-key": "a",
          requestBody: { content: { "application/json": { schema } } },
          responses: { 201: { description: "made" } },
        },
      },
    },
    components: { schemas },
  });
  const target = pick([
    `$${"..[*,*,*,*,*,*]".repeat(upTo(6))}`,
    "$..[?count($..*) > 0]",
    "$..[?match(@, '(a+)+b')]",
    "$..*",
    "$.info",
    `$${"[?(@".repeat(upTo(200))}`,
  ]);
  const actions = times(upTo(30), (at) => ({ target, update: { [`x-n${at}`]: { x: { y: 1 } } } }));
  const overlay = dice() < 0.3;
  if (overlay) write("overlay.json", { overlay: "1.0.0", info: { title: "o", version: "1" }, actions });

  const growing = { from: "a", to: "a".repeat(pick([1, 10, 200, 5000])) };
  const matching = { pattern: pick(["a", "(a)|b", "a*a*b"]), to: pick(["$'$'$'", "$`$&", "$1$1", "x".repeat(500)]) };
  const leaf = pick([
    "e",
    { from: "e", replace: times(upTo(40), () => pick([growing, matching])) },
    { from: times(upTo(5000), () => "e"), join: "a".repeat(upTo(500)) },
    { from: "e", split: pick(["a", ","]) },
    ...times(4, () => ({ from: "e", call: pick(Object.keys(FUNCTIONS)) })),
  ]);
  write("mapping.json", {
    key: "a",
    functions: "./functions.mjs",
    payload: { a: "a", e: leaf, t: pick([leaf, "t"]) },
  });
  write("functions.mjs", functionsModule);

  const nested = times(pick([1, 16, 63, 500, 50_000]), () => pick(['{"x":', "["]));
  const cell = pick([
    "",
    "a".repeat(10),
    "a".repeat(100_000),
    "a,".repeat(50_000),
    " ".repeat(900_000),
    "\u0000",
    "v1",
  ]);
  const csv = () => `a,e,t\n${times(upTo(50), (at) => `${at},"${cell}",${pick(["x", '"', ""])}`).join("\n")}\n`;
  const closed = nested.map((open) => (open === "[" ? "]" : "}")).toReversed();
  const json = () => `{"a":"1","e":${nested.join("")}"abcd"${closed.join("")}}\n`;
  const isCsv = dice() < 0.6;
  const source = isCsv ? "rows.csv" : "rows.ndjson";
  write(source, isCsv ? csv() : json().repeat(upTo(5)));

  const contract = ["--contract", "contract.json", ...(overlay ? ["--contract", "overlay.json"] : []), "--no-cache"];
  const mapping = isCsv || dice() < 0.3 ? ["-m", "mapping.json"] : [];
  return pick([
    ...times(5, () => ["validate", source, ...contract, ...mapping]),
    ["preview", source, ...contract, ...mapping],
    ["contract", "check", "contract.json", ...(overlay ? ["overlay.json"] : []), "--no-cache"],
    ["contract", "show", "create-thing", ...contract],
  ]);
}

/** Returns a mulberry32 generator: deterministic numbers from 0 (inclusive) to 1 (exclusive). */
function seededRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
