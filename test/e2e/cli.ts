import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, existsSync } from "node:fs";
import { access, readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createTestFolder } from "../temporary-folder.ts";
import type { SandboxReady } from "../../src/sandbox/start-sandbox.ts";
import { OPTIMISE_LATE } from "../node-flags.ts";
import { scaledTimeout } from "../scaled-timeout.ts";
import { runInProcess, startInProcess } from "./run-in-process.ts";

const ROOT: string = fileURLToPath(new URL("../..", import.meta.url));

/** The executable that users start. */
export const BINARY: string = path.join(ROOT, "bin/migrate.js");

/** Returns the absolute path of a project file. `names` are relative to the root folder. */
export function projectFile(...names: readonly string[]): string {
  return path.join(ROOT, ...names);
}

/** Copies the demo project, without the files that the commands of the README write to its folder. */
export function copyDemo(folder: string): void {
  cpSync(projectFile("fixtures/demo"), folder, {
    recursive: true,
    filter: (file) => !WRITTEN.has(path.basename(file)),
  });
}

const WRITTEN: ReadonlySet<string> = new Set([".migrate", "report", "ready.json"]);

export interface CliOptions {
  readonly cwd?: string;
  /** Variables to add to an environment without settings of `migrate`; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Standard input; empty by default. */
  readonly input?: string | Uint8Array;
  /** Time limit, extended on a slow machine. When it expires, the command is killed and the test fails. */
  readonly timeoutMs?: number;
  /** Flags for Node.js itself. */
  readonly nodeFlags?: readonly string[];
  /** Whether to run the command in a separate process, for example to test locks, streams, limits or memory use. */
  readonly isProcess?: boolean;
  /** A program that starts the command, with its own arguments, for example `["strace", "-f"]`. */
  readonly under?: readonly string[];
}

export interface CliEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCli {
  readonly pid: number;
  readonly process: ChildProcess;
  /** The output so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when one of the outputs matches. Rejects if the command ends or the time limit expires first. */
  readonly waitForOutput: (pattern: RegExp) => Promise<void>;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<CliEnd>;
}

/** Only a command that hangs takes this long, so that no test depends on the speed of the machine. */
const DEFAULT_TIMEOUT_MS = 240_000;
const SANDBOX_TIMEOUT_MS = 3_600_000;

/** Runs a command to completion, in this process unless the options require a separate process. */
export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliEnd> {
  const { nodeFlags = [], under = [], isProcess = false } = options;
  if (isProcess || nodeFlags.length > 0 || under.length > 0) return startCli(args, options).ended;
  const { cwd = ROOT, input = "" } = options;
  const end = await runInProcess(args, { program: BINARY, cwd, env: cleanEnvironment(options.env ?? {}), input });
  return { ...end, signal: null };
}

/** Starts a command in a separate process. The command is killed when its time limit expires. */
export function startCli(args: readonly string[], options: CliOptions = {}): RunningCli {
  const [program = process.execPath, ...words] = [
    ...(options.under ?? []),
    process.execPath,
    ...OPTIMISE_LATE,
    ...(options.nodeFlags ?? []),
    BINARY,
    ...args,
  ];
  const child = spawn(program, words, {
    cwd: options.cwd ?? ROOT,
    env: cleanEnvironment(options.env ?? {}),
    stdio: ["pipe", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  const listeners = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
      for (const listener of listeners) listener();
    });
  }
  // A command that never reads its input closes the stream early, which is not an error in a test.
  child.stdin.on("error", () => undefined).end(options.input);
  const ended = endOf(child, {
    output,
    command: args.join(" "),
    timeoutMs: scaledTimeout(options.timeoutMs ?? DEFAULT_TIMEOUT_MS),
  });
  return {
    pid: child.pid ?? 0,
    process: child,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    waitForOutput: (pattern) => outputMatches({ pattern, output, listeners, ended }),
    kill: (signal) => void child.kill(signal),
    ended,
  };
}

interface Output {
  stdout: string;
  stderr: string;
}

function endOf(
  child: ChildProcess,
  { output, command, timeoutMs }: { readonly output: Output; readonly command: string; readonly timeoutMs: number },
): Promise<CliEnd> {
  const ended = new Promise<CliEnd>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`migrate ${command} did not end within ${timeoutMs} ms\n${output.stdout}\n${output.stderr}`));
    }, timeoutMs);
    child.once("error", reject);
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, ...output });
    });
  });
  ended.catch(() => undefined);
  return ended;
}

function outputMatches(wait: {
  readonly pattern: RegExp;
  readonly output: Output;
  readonly listeners: Set<() => void>;
  readonly ended: Promise<CliEnd>;
}): Promise<void> {
  const { pattern, output, listeners, ended } = wait;
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (!pattern.test(output.stdout) && !pattern.test(output.stderr)) return;
      listeners.delete(look);
      resolve();
    };
    listeners.add(look);
    look();
    ended.then(() => {
      look();
      return reject(new Error(`the command ended without printing ${pattern}\n${output.stdout}\n${output.stderr}`));
    }, reject);
  });
}

/**
 * Keeps only the variables that the machine needs, so that settings of `migrate` in the developer's environment have no
 * effect.
 */
function cleanEnvironment(more: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, LANG, XDG_STATE_HOME } = process.env;
  return { PATH, HOME, TMPDIR, LANG, XDG_STATE_HOME, XDG_CACHE_HOME: projectFile("node_modules/.cache"), ...more };
}

export interface SandboxOptions {
  /** The folder in which the sandbox writes its certificates; a temporary folder by default. */
  readonly cwd?: string;
  /** Additional flags, for example `["--contract", file, "--throttle", "every:10"]`. */
  readonly flags?: readonly string[];
  readonly timeoutMs?: number;
}

export interface SandboxProcess extends Pick<TestSandbox, "ready" | "env"> {
  readonly running: RunningCli;
  /** Stops the sandbox with SIGTERM, waits for its end, and removes its temporary folder. */
  readonly stop: () => Promise<CliEnd>;
}

/** Runs `migrate sandbox` in this process on a free port, and waits until it listens. The caller stops it. */
export async function startTestSandbox(options: SandboxOptions = {}): Promise<TestSandbox> {
  const { folder, remove } = createTestFolder();
  const cwd = options.cwd ?? folder;
  const readyFile = path.join(folder, "ready.json");
  const words = ["sandbox", "--port", "0", "--ready-file", readyFile, ...(options.flags ?? [])];
  const { ended, drain, onStderr } = await startInProcess(
    words,
    { program: BINARY, cwd, env: cleanEnvironment({}) },
    (end) => Promise.race([waitForFile(readyFile), end.then(() => undefined)]),
  );
  const stop = async (): Promise<void> => {
    drain();
    await ended;
    remove();
  };
  if (!existsSync(readyFile)) throw new Error(`the sandbox did not start\n${(await ended).stderr}`);
  return { ...connectionOf(JSON.parse(await readFile(readyFile, "utf8")), cwd), onStderr, stop };
}

async function waitForFile(file: string): Promise<void> {
  while (!existsSync(file)) await delay(LOOK_EVERY_MS);
}

/** A sandbox, and the environment variables that a push needs to connect to it. */
export interface TestSandbox {
  readonly ready: SandboxReady;
  readonly env: Readonly<Record<string, string>>;
  /**
   * Calls the listener with each later chunk of stderr. With `--verbose`, the sandbox writes every request to stderr.
   */
  readonly onStderr: (listener: (text: string) => void) => void;
  readonly stop: () => Promise<void>;
}

function connectionOf(written: SandboxReady, folder: string): Pick<TestSandbox, "ready" | "env"> {
  const ready = { ...written, ca: path.resolve(folder, written.ca) };
  const env = {
    MIGRATE_API_KEY: ready.apiKey,
    MIGRATE_BASE_URL: ready.baseUrl,
    MIGRATE_CA: ready.ca,
    MIGRATE_SUPPLIER: ready.supplier,
  };
  return { ready, env };
}

/** Starts `migrate sandbox` as a separate process on a free port, and waits until it listens. The caller stops it. */
export async function startSandboxProcess(options: SandboxOptions = {}): Promise<SandboxProcess> {
  const { folder, remove } = createTestFolder();
  const cwd = options.cwd ?? folder;
  const readyFile = path.join(folder, "ready.json");
  const running = startCli(["sandbox", "--port", "0", "--ready-file", readyFile, ...(options.flags ?? [])], {
    cwd,
    timeoutMs: options.timeoutMs ?? SANDBOX_TIMEOUT_MS,
  });
  const stop = async (): Promise<CliEnd> => {
    running.kill("SIGTERM");
    try {
      return await running.ended;
    } finally {
      remove();
    }
  };
  return { ...connectionOf(await readReady(readyFile, running), cwd), running, stop };
}

const READY_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 20;

async function readReady(file: string, running: RunningCli): Promise<SandboxReady> {
  const deadline = performance.now() + scaledTimeout(READY_WITHIN_MS);
  while (performance.now() < deadline && running.process.exitCode === null) {
    if (await exists(file)) return JSON.parse(await readFile(file, "utf8"));
    await delay(LOOK_EVERY_MS);
  }
  running.kill("SIGKILL");
  throw new Error(`the sandbox was not ready in time\n${running.stdout()}\n${running.stderr()}`);
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
