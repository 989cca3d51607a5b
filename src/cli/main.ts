import { writeSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { keepCompiledCode } from "../runtime/code-cache.ts";
import { packageVersion } from "../runtime/installation.ts";

const [, , word, ...more] = process.argv;
const isVersionAsked = (word === "--version" || word === "-V") && more.length === 0;
if (!isVersionAsked || !printVersion()) {
  collectLessOften();
  keepCompiledCode();
  await import("./start-program.ts");
}

/** Before anything else is loaded. False where it cannot be written: the program itself knows how to say why. */
function printVersion(): boolean {
  try {
    writeSync(process.stdout.fd, `${packageVersion()}\n`);
    return true;
  } catch {
    return false;
  }
}

/**
 * The bytes of an input pass through the heap, so V8 takes it for growing and marks it anew some ten times a second, in
 * threads that the work itself has need of. Now it waits until the heap is four times what was left of it the last time,
 * in this thread and in others. Before any code is cached: code is kept for the flags that it was compiled with.
 */
function collectLessOften(): void {
  setFlagsFromString("--heap-growing-percent=300");
}
