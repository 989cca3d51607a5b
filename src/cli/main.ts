import { writeSync } from "node:fs";
import { cacheCompiledCode } from "../runtime/code-cache.ts";
import { packageVersion } from "../runtime/installation.ts";
import { collectGarbageLessOften, ignoreDebuggerSignal, keepHeapSmall } from "./process/engine-flags.ts";

ignoreDebuggerSignal();
const [, , word, ...more] = process.argv;
const isVersionRequested = (word === "--version" || word === "-V") && more.length === 0;
if (!isVersionRequested || !printVersion()) {
  if (word === "web") keepHeapSmall();
  else collectGarbageLessOften();
  cacheCompiledCode();
  await import("./start-program.ts");
}

/**
 * Prints the version before the rest of the program is loaded. Returns false if writing fails; the program then reports
 * the reason.
 */
function printVersion(): boolean {
  try {
    writeSync(process.stdout.fd, `${packageVersion()}\n`);
    return true;
  } catch {
    return false;
  }
}
