import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";

const script = fileURLToPath(new URL("ledger-process.mjs", import.meta.url));

/** Returns functions that start `ledger-process.mjs` with a task. The process uses the built ledger. */
export function useLedgerProcess(): LedgerProcess {
  const children: ChildProcess[] = [];
  afterAll(() => {
    for (const child of children) child.kill("SIGKILL");
  });
  const start = (command: string, args: readonly string[]): ChildProcess => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
    children.push(child);
    return child;
  };
  return {
    start: (task, ...values) => start(process.execPath, [script, task, ...values]),
    startUnder: (command, task, ...values) => {
      const [first = "", ...rest] = command;
      return start(first, [...rest, process.execPath, script, task, ...values]);
    },
  };
}

interface LedgerProcess {
  readonly start: (task: string, ...values: readonly string[]) => ChildProcess;
  /** Starts the process under another command, for example `unshare`. */
  readonly startUnder: (command: readonly string[], task: string, ...values: readonly string[]) => ChildProcess;
}

/** Returns the first line of the process's output; an empty string if the process ends without a line. */
export async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) return "";
  for await (const line of createInterface({ input: stdout })) return line;
  return "";
}

export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await new Promise((resolve) => child.once("exit", resolve));
}
