import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { interruptible, interruptibleSoon, setAroundInterruptible } from "../../src/model/interruptible.ts";
import { listenForInterrupts } from "../../src/cli/process/interrupts.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const PROGRAM = path.resolve(import.meta.dirname, "../../bin/migrate.js");

function handlesSigterm(pid: number | undefined): boolean {
  const [, caught = ""] = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return ((BigInt(`0x${caught}`) >> BigInt(constants.signals.SIGTERM - 1)) & 1n) === 1n;
}

const listeners = (): number => process.listenerCount("SIGTERM");

function fail(): never {
  throw new Error("broken");
}

describe("work that blocks the event loop", () => {
  const before = process.listeners("SIGTERM");
  afterEach(() => {
    setAroundInterruptible((work) => work());
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      for (const listener of process.listeners(signal)) if (!before.includes(listener)) process.off(signal, listener);
    }
  });

  it("runs without the signal listener, which is restored afterwards, even after an error", () => {
    listenForInterrupts(() => undefined);
    expect(listeners()).toBe(before.length + 1);
    expect(interruptible(() => interruptible(listeners))).toBe(before.length);
    expect(listeners()).toBe(before.length + 1);
    expect(() => interruptible(fail)).toThrow("broken");
    expect(listeners()).toBe(before.length + 1);
  });

  it("does not lose a signal that arrived just before it", async () => {
    let stopped = 0;
    const { drain } = listenForInterrupts(() => (stopped += 1));
    process.kill(process.pid, "SIGTERM");
    expect(await interruptibleSoon(listeners)).toBe(before.length);
    expect([drain.aborted, stopped]).toEqual([true, 1]);
  });

  it("does not lose a signal that arrives while other callbacks delay the work", async () => {
    const { drain } = listenForInterrupts(() => undefined);
    let turns = 0;
    const delay = (): void => {
      const until = performance.now() + 5;
      while (performance.now() < until);
      turns += 1;
      if (turns === 3) process.kill(process.pid, "SIGTERM");
      if (turns < 5) setImmediate(delay);
    };
    setImmediate(delay);
    expect(await interruptibleSoon(listeners)).toBe(before.length);
    expect([drain.aborted, turns]).toEqual([true, 5]);
  });

  it("keeps the signal listener if other callbacks never stop", async () => {
    listenForInterrupts(() => undefined);
    let isDone = false;
    const delay = (): void => {
      const until = performance.now() + 1;
      while (performance.now() < until);
      if (!isDone) setImmediate(delay);
    };
    setImmediate(delay);
    expect(await interruptibleSoon(listeners)).toBe(before.length + 1);
    isDone = true;
  });

  it.skipIf(process.platform !== "linux")(
    "ends at the first SIGTERM while a contract of 160,000 lines is being loaded",
    async () => {
      const folder = temporaryFolder();
      const file = path.join(folder, "contract.yaml");
      const lines = Array.from({ length: 160_000 }, (_, at) => `x-${at}: { a: ${at} }`);
      writeFileSync(file, `openapi: 3.0.3\n${lines.join("\n")}\n`);
      const child = spawn(process.execPath, [PROGRAM, "contract", "check", file], { stdio: "ignore", cwd: folder });
      const ended = once(child, "exit");
      while (!handlesSigterm(child.pid)) await wait(5);
      while (handlesSigterm(child.pid)) await wait(5);
      child.kill("SIGTERM");
      const [code, signal] = await ended;
      expect([code, signal]).toEqual([null, "SIGTERM"]);
    },
  );
});
