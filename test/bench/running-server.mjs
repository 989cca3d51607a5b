// Starts and stops bare-server.mjs in another process. A helper for the benchmarks, not a benchmark.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { benchFile } from "./measure.mjs";

/**
 * Starts the server with additional flags (`more`). Returns `baseUrl`, `ca` (a PEM file in the folder) and `stop`,
 * which stops the server and returns the figures that it prints.
 */
export async function startServer(folder, latencyMs, more = []) {
  const ready = path.join(folder, "server.json");
  for (const file of [ready, `${ready}.first`]) rmSync(file, { force: true });
  const args = [benchFile("bare-server.mjs"), "--latency-ms", String(latencyMs), "--ready-file", ready, ...more];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  let said = "";
  child.stdout.on("data", (piece) => (said += piece));
  for (let waited = 0; !existsSync(ready); waited += 20) {
    if (waited > 10_000 || child.exitCode !== null) throw new Error("the server did not start within 10 s");
    await delay(20);
  }
  const stop = async () => {
    const closed = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGTERM");
    await closed;
    process.off("exit", kill);
    return JSON.parse(said);
  };
  return { ...JSON.parse(readFileSync(ready, "utf8")), stop };
}
