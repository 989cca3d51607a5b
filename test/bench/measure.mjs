// Helpers for the benchmarks: measuring a command, medians, and a temporary folder. Not a benchmark.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
/** MIGRATE_BENCH_BINARY can name the `bin/migrate.js` of another build. */
export const binary = process.env.MIGRATE_BENCH_BINARY ?? path.join(root, "bin/migrate.js");
export const benchFile = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Folder for peer programs from npm (docs/benchmarks.md). */
const peers = process.env.MIGRATE_BENCH_PEERS ?? path.join(tmpdir(), "migrate-bench-peers");

/** Returns the path of a peer program. If it is missing, prints how to install it and returns undefined. */
export function peer(name, howToInstall) {
  const places = [path.join(peers, "node_modules/.bin"), ...(process.env.PATH ?? "").split(path.delimiter)];
  const found = places.map((folder) => path.join(folder, name)).find(existsSync);
  if (found === undefined)
    say(`${name} is not installed, so the comparison is skipped. To install it: ${howToInstall}`);
  return found;
}

export const npmPeer = (name) => `npm install --ignore-scripts --prefix ${peers} ${name}`;

/**
 * Runs a command and returns `wallMs`, `code`, `stdout` and `stderr`. On a machine with /proc, also returns `cpuMs`
 * (including child processes that were waited for) and `peakMb` (of the command's own process only, sampled every 20
 * ms). Throws if the exit code is not in `codes`.
 */
export function measured(command, args, { env = {}, cwd = root, codes = [0], stdout = "pipe" } = {}) {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", stdout, "pipe"] });
    const text = { stdout: "", stderr: "" };
    child.stdout?.on("data", (piece) => (text.stdout += piece));
    child.stderr.on("data", (piece) => (text.stderr += piece));
    const { children: before } = cpuTime("self");
    let peakMb;
    const timer = setInterval(() => (peakMb = usage(child.pid).peakMb ?? peakMb), 20);
    let used;
    child.on("error", reject);
    child.on("exit", () => {
      const cpuMs = cpuTime("self").children - before;
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

/**
 * Returns the peak memory and the CPU time that a running process has used so far. The result is empty if the
 * process has ended or there is no /proc.
 */
export function usage(pid) {
  const [, peak] = /^VmHWM:\s+(\d+) kB/m.exec(readProcess(pid, "status")) ?? [];
  return peak === undefined ? {} : { peakMb: Number(peak) / 1000, cpuMs: cpuTime(pid).own };
}

/** Returns the CPU time of a process, and that of its ended child processes, in milliseconds. */
function cpuTime(pid) {
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

/** Runs `work` several times in sequence. Returns the median of each numeric result. */
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

/**
 * Calls `work` with a temporary folder, and removes the folder afterwards, even after an error, SIGINT or SIGTERM.
 */
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
