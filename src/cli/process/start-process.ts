import { spawn } from "node:child_process";
import { constants } from "node:os";
import { errorCode } from "../../files/error-code.ts";
import type { ProcessEnd, StartedProcess } from "../../job/dependencies.ts";
import { withoutDebuggerSignal } from "./engine-flags.ts";

/**
 * Starts this program in a child process with its own process group. Ctrl-C does not reach that group, so the parent
 * must forward the signal. The child writes failures to the parent's stderr.
 */
export function startProcess(program: string, words: readonly string[], folder: string): StartedProcess {
  const child = spawn(process.execPath, [...process.execArgv, ...withoutDebuggerSignal(), program, ...words], {
    cwd: folder,
    detached: true,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once("close", (exitCode, signal) => {
      resolve({ exitCode: exitCode ?? undefined, signal: signal === null ? undefined : constants.signals[signal] });
    });
    child.once("error", (error) => resolve({ startError: errorCode(error) ?? error.message }));
  });
  const send = (signal: NodeJS.Signals): void => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
  };
  return { pid: child.pid, ended, stop: () => send("SIGTERM"), kill: () => send("SIGKILL") };
}

/** Opens an address in the user's browser. Does nothing if there is no browser, because the address is also printed. */
export function openBrowser(address: string): void {
  const [command, ...words] = COMMANDS[process.platform] ?? ["xdg-open"];
  if (command === undefined) return;
  const child = spawn(command, [...words, address], { stdio: "ignore", detached: true });
  child.once("error", () => undefined);
  child.unref();
}

const COMMANDS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
