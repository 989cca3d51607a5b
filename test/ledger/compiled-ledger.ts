import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const script = fileURLToPath(new URL("ledger-process.mjs", import.meta.url));

/**
 * Compiles the ledger for child processes, once per test file. The output is inside the project so that packages are
 * found. Returns a function that starts `ledger-process.mjs` with a task.
 */
export function useLedgerProcess(): LedgerProcess {
  let folder = "";
  const children: ChildProcess[] = [];
  beforeAll(() => {
    const cache = join(root, "node_modules", ".cache");
    mkdirSync(cache, { recursive: true });
    folder = mkdtempSync(join(cache, "ledger-"));
    const settings = {
      extends: join(root, "tsconfig.json"),
      compilerOptions: {
        rootDir: join(root, "src"),
        outDir: folder,
        typeRoots: [join(root, "node_modules/@types")],
      },
      include: [join(root, "src/ledger")],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const { status, stdout } = spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" });
    if (status !== 0) throw new Error(stdout);
  });
  afterAll(() => {
    for (const child of children) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  const start = (command: string, args: readonly string[]): ChildProcess => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
    children.push(child);
    return child;
  };
  const argsOf = (task: string, values: readonly string[]): readonly string[] => [script, folder, task, ...values];
  return {
    start: (task, ...values) => start(process.execPath, argsOf(task, values)),
    startUnder: (command, task, ...values) => {
      const [first = "", ...rest] = command;
      return start(first, [...rest, process.execPath, ...argsOf(task, values)]);
    },
  };
}

interface LedgerProcess {
  readonly start: (task: string, ...values: readonly string[]) => ChildProcess;
  /** Another command that runs the process, for example `unshare`. */
  readonly startUnder: (command: readonly string[], task: string, ...values: readonly string[]) => ChildProcess;
}

/** The first line of the process's output. */
export async function firstLine(child: ChildProcess): Promise<string> {
  for await (const chunk of child.stdout ?? []) return String(chunk).trim();
  return "";
}

export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await new Promise((resolve) => child.once("exit", resolve));
}
