import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import threads from "node:worker_threads";
import type { RefusedCall } from "./function-messages.ts";

/** Thrown by a call that would end the process or break resources of other threads. */
export class RefusedCallError extends Error {
  readonly called: RefusedCall;
  constructor(called: RefusedCall) {
    super(`${called} is not available to functions`);
    this.called = called;
  }
}

/**
 * Makes every `RefusedCall` throw in this thread. Closing a descriptor that the module has opened is not refused. Must
 * run before the user's module is loaded.
 */
export function refuseCalls(): void {
  const kill = refuse("process.kill");
  // `process.kill` of Node.js calls `_kill`, which the module could call instead.
  Object.assign(process, { kill, _kill: kill, abort: refuse("process.abort") });
  // A nested thread would not have these restrictions.
  Object.assign(threads, { Worker: refuse("new Worker") });
  protectDescriptors();
  syncBuiltinESMExports();
}

/** Returns a function that throws, even if it is called with `new`. */
function refuse(called: RefusedCall): () => never {
  return function refused() {
    throw new RefusedCallError(called);
  };
}

/**
 * Prevents the module from closing descriptors that the module has not opened, such as the descriptors of the ledger,
 * the input and stderr.
 */
function protectDescriptors(): void {
  const { open, openSync, close, closeSync } = fs;
  const { apply } = Reflect;
  const opened: Record<string, boolean> = Object.create(null);
  const requireOwn = (descriptor: unknown): void => {
    if (typeof descriptor !== "number" || opened[descriptor] !== true) throw new RefusedCallError("fs.close");
    opened[descriptor] = false;
  };
  Object.assign(fs, {
    openSync(...given: unknown[]): number {
      const descriptor: number = apply(openSync, fs, given);
      opened[descriptor] = true;
      return descriptor;
    },
    open(...given: unknown[]): void {
      const last = given.length - 1;
      const callback = given[last];
      given[last] = (error: unknown, descriptor: number): void => {
        if (error === null) opened[descriptor] = true;
        if (typeof callback === "function") apply(callback, undefined, [error, descriptor]);
      };
      apply(open, fs, given);
    },
    closeSync(descriptor: unknown): void {
      requireOwn(descriptor);
      apply(closeSync, fs, [descriptor]);
    },
    close(...given: unknown[]): void {
      requireOwn(given[0]);
      apply(close, fs, given);
    },
  });
}
