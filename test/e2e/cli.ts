import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { access, readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createTestFolder } from "../temporary-folder.ts";
import type { SandboxReady } from "../../src/sandbox/start-sandbox.ts";
import { scaledTimeout } from "../scaled-timeout.ts";
import { runInProcess, startInProcess } from "./run-in-process.ts";

/** The project's folder. */
const ROOT: string = fileURLToPath(new URL("../..", import.meta.url));

/** The program that a user starts. */
export const BINARY: string = path.join(ROOT, "bin/migrate.js");

/** A file of the project, by its path from the project's folder. */
export function projectFile(...names: readonly string[]): string {
  return path.join(ROOT, ...names);
}

export interface CliOptions {
  /** The folder that the command runs in. */
  readonly cwd?: string;
  /** Added to an environment without any setting of ours; `undefined` takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Standard input; nothing by default. */
  readonly input?: string | Uint8Array;
  /** After that, or longer on a slow machine, the command is killed and the test fails. */
  readonly timeoutMs?: number;
  /** Flags for Node.js itself. */
  readonly nodeFlags?: readonly string[];
  /** Whether the command needs a process of its own: for locks, standard streams, limits and memory. */
  readonly isProcess?: boolean;
  /** A program that starts the command, with its own arguments: `["strace", "-f"]`. */
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
  /** What it has said so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Waits until it has said that on one of its outputs; fails when it ends or the time is over without. */
  readonly said: (pattern: RegExp) => Promise<void>;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<CliEnd>;
}

/** Only for what hangs: no test depends on the speed of the machine. */
const DEFAULT_TIMEOUT_MS = 240_000;
const SANDBOX_TIMEOUT_MS = 3_600_000;

/** Runs a command to its end, in this process unless it needs one of its own. */
export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliEnd> {
  const { nodeFlags = [], under = [], isProcess = false } = options;
  if (isProcess || nodeFlags.length > 0 || under.length > 0) return startCli(args, options).ended;
  const { cwd = ROOT, input = "" } = options;
  const end = await runInProcess(args, { program: BINARY, cwd, env: cleanEnvironment(options.env ?? {}), input });
  return { ...end, signal: null };
}

/** Starts a command that is to be talked to while it runs. It is killed when its time is over. */
export function startCli(args: readonly string[], options: CliOptions = {}): RunningCli {
  const [program = process.execPath, ...words] = [
    ...(options.under ?? []),
    process.execPath,
    ...(options.nodeFlags ?? []),
    BINARY,
    ...args,
  ];
  const child = spawn(program, words, {
    cwd: options.cwd ?? ROOT,
    env: cleanEnvironment(options.env ?? {}),
    stdio: ["pipe", "pipe", "pipe"],
  });
  const heard = { stdout: "", stderr: "" };
  const listeners = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      heard[name] += text;
      for (const listener of listeners) listener();
    });
  }
  // A command that never reads its input closes it early; that is not what a test is about.
  child.stdin.on("error", () => undefined).end(options.input);
  const ended = endOf(child, {
    heard,
    command: args.join(" "),
    timeoutMs: scaledTimeout(options.timeoutMs ?? DEFAULT_TIMEOUT_MS),
  });
  return {
    pid: child.pid ?? 0,
    process: child,
    stdout: () => heard.stdout,
    stderr: () => heard.stderr,
    said: (pattern) => saidBy({ pattern, heard, listeners, ended }),
    kill: (signal) => void child.kill(signal),
    ended,
  };
}

interface Heard {
  stdout: string;
  stderr: string;
}

function endOf(
  child: ChildProcess,
  { heard, command, timeoutMs }: { readonly heard: Heard; readonly command: string; readonly timeoutMs: number },
): Promise<CliEnd> {
  const ended = new Promise<CliEnd>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`migrate ${command} did not end in ${timeoutMs} ms\n${heard.stdout}\n${heard.stderr}`));
    }, timeoutMs);
    child.once("error", reject);
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, ...heard });
    });
  });
  ended.catch(() => undefined);
  return ended;
}

function saidBy(wait: {
  readonly pattern: RegExp;
  readonly heard: Heard;
  readonly listeners: Set<() => void>;
  readonly ended: Promise<CliEnd>;
}): Promise<void> {
  const { pattern, heard, listeners, ended } = wait;
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (!pattern.test(heard.stdout) && !pattern.test(heard.stderr)) return;
      listeners.delete(look);
      resolve();
    };
    listeners.add(look);
    look();
    ended.then(() => {
      look();
      return reject(new Error(`it ended without saying ${pattern}\n${heard.stdout}\n${heard.stderr}`));
    }, reject);
  });
}

/** What the machine needs, and no setting of ours: nothing that the developer has set may change a test. */
function cleanEnvironment(more: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, LANG, XDG_STATE_HOME } = process.env;
  return { PATH, HOME, TMPDIR, LANG, XDG_STATE_HOME, XDG_CACHE_HOME: projectFile("node_modules/.cache"), ...more };
}

export interface SandboxOptions {
  /** Where its certificates go; a temporary folder by default. */
  readonly cwd?: string;
  /** More flags: `["--contract", file, "--throttle", "every:10"]`. */
  readonly flags?: readonly string[];
  readonly timeoutMs?: number;
}

export interface SandboxProcess extends Pick<TestSandbox, "ready" | "env"> {
  readonly running: RunningCli;
  /** Ends it with SIGTERM, waits, and removes what it left. */
  readonly stop: () => Promise<CliEnd>;
}

/** Runs `migrate sandbox` in this process on a free port, and waits until it listens. Its maker stops it. */
export async function startTestSandbox(options: SandboxOptions = {}): Promise<TestSandbox> {
  const { folder, remove } = createTestFolder();
  const cwd = options.cwd ?? folder;
  const readyFile = path.join(folder, "ready.json");
  const words = ["sandbox", "--port", "0", "--ready-file", readyFile, ...(options.flags ?? [])];
  const { ended, drain } = await startInProcess(words, { program: BINARY, cwd, env: cleanEnvironment({}) }, (end) =>
    Promise.race([untilThere(readyFile), end.then(() => undefined)]),
  );
  const stop = async (): Promise<void> => {
    drain();
    await ended;
    remove();
  };
  if (!existsSync(readyFile)) throw new Error(`the sandbox did not start\n${(await ended).stderr}`);
  return { ...connectionOf(JSON.parse(await readFile(readyFile, "utf8")), cwd), stop };
}

async function untilThere(file: string): Promise<void> {
  while (!existsSync(file)) await delay(LOOK_EVERY_MS);
}

/** A sandbox, and what a push needs to find it and to be let in, as environment. */
export interface TestSandbox {
  readonly ready: SandboxReady;
  readonly env: Readonly<Record<string, string>>;
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

/** Starts `migrate sandbox` as a process, on a free port, and waits until it listens. Its maker stops it. */
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
