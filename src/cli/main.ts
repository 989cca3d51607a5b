import { writeSync } from "node:fs";
import { keepCompiledCode } from "../runtime/code-cache.ts";
import { packageVersion } from "../runtime/installation.ts";
import { collectLessOften, ignoreDebuggerSignal } from "./process/engine-flags.ts";

ignoreDebuggerSignal();
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
