// What the benchmarks share: running a command and measuring it, medians, a folder to work in. Not a benchmark.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
/** MIGRATE_BENCH_BINARY: another build's bin/migrate.js. */
export const binary = process.env.MIGRATE_BENCH_BINARY ?? path.join(root, "bin/migrate.js");
export const beside = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Where the peers that npm holds are looked for; see docs/benchmarks.md. */
const peers = process.env.MIGRATE_BENCH_PEERS ?? path.join(tmpdir(), "migrate-bench-peers");

/** The path of a peer's program, or undefined, having said how to get it. */
export function peer(name, howToInstall) {
  const places = [path.join(peers, "node_modules/.bin"), ...(process.env.PATH ?? "").split(path.delimiter)];
  const found = places.map((folder) => path.join(folder, name)).find(existsSync);
  if (found === undefined) say(`${name} is not installed, so there is nothing to compare with: ${howToInstall}`);
  return found;
}

export const npmPeer = (name) => `npm install --ignore-scripts --prefix ${peers} ${name}`;

/**
 * Runs a command to its end. `wallMs`; where there is /proc, `cpuMs` (with the processes that it waited for), and
 * `peakMb` (of this process alone, asked every 20 ms); `stdout` and `stderr` as text. An exit code that is not among
 * `codes` is an error.
 */
export function measured(command, args, { env = {}, cwd = root, codes = [0], stdout = "pipe" } = {}) {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", stdout, "pipe"] });
    const text = { stdout: "", stderr: "" };
    child.stdout?.on("data", (piece) => (text.stdout += piece));
    child.stderr.on("data", (piece) => (text.stderr += piece));
    const { children: before } = spent("self");
    let peakMb;
    const timer = setInterval(() => (peakMb = usage(child.pid).peakMb ?? peakMb), 20);
    let used;
    child.on("error", reject);
    child.on("exit", () => {
      const cpuMs = spent("self").children - before;
      used = { wallMs: performance.now() - startedAt, peakMb, ...(cpuMs >= 0 && { cpuMs }) };
    });
    child.on("close", (code) => {
      clearInterval(timer);
      if (codes.includes(code)) resolve({ ...used, ...text, code });
      else reject(new Error(`${command} ${args.join(" ")} ended with ${code}:\n${text.stdout}${text.stderr}`));
    });
  });
}

export const migrate = (args, options) => measured(process.execPath, [binary, ...args], options);

/** What a process that is at work has used so far; nothing of it where it is gone, or there is no /proc. */
export function usage(pid) {
  const [, peak] = /^VmHWM:\s+(\d+) kB/m.exec(readProcess(pid, "status")) ?? [];
  return peak === undefined ? {} : { peakMb: Number(peak) / 1000, cpuMs: spent(pid).own };
}

/** Milliseconds of processor time: of a process, and of those that it started and that have ended. */
function spent(pid) {
  const stat = readProcess(pid, "stat");
  const [user, system, ofChildren, systemOfChildren] = stat.slice(stat.lastIndexOf(")")).split(" ").slice(12, 16);
  const ticks = { own: Number(user) + Number(system), children: Number(ofChildren) + Number(systemOfChildren) };
  return { own: 10 * ticks.own, children: 10 * ticks.children };
}

function readProcess(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}

/** One after the other; the median of each number of what they give. */
export async function medians(runs, work) {
  const results = [];
  for (let run = 0; run < runs; run += 1) results.push(await work(run));
  const names = Object.keys(results[0]).filter((name) => typeof results[0][name] === "number");
  return Object.fromEntries(names.map((name) => [name, median(results.map((result) => result[name]))]));
}

export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** A folder that is gone afterwards, whatever happens; it also holds the temporary files of what is measured. */
export async function withFolder(work) {
  const folder = mkdtempSync(path.join(tmpdir(), "migrate-bench-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove).once("SIGINT", stop).once("SIGTERM", stop);
  try {
    return await work(folder);
  } finally {
    remove();
  }
}

function stop() {
  process.exit(130);
}

export function say(text) {
  process.stdout.write(`${text}\n`);
}

export const seconds = (ms) => `${(ms / 1000).toFixed(2)} s`;
export const mb = (size) => (size === undefined ? "? MB" : `${Math.round(size)} MB`);
export const count = (number) => Math.round(number).toLocaleString("en");
export const machine = () =>
  `node ${process.versions.node}, ${availableParallelism()} processors, load ${loadavg()[0].toFixed(1)}`;
