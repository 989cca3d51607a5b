// Throughput of `migrate push` with a server that answers 429 at random or beyond an undocumented limit. In real time, with
// the built command.
//   npm run build && node test/bench/push-refused.mjs [--seconds 40]
// Requests take 40 ms, with 16 in flight. Each line prints the accepted records per second, relative to a server without
// refusals or to the limit, and the share of refused requests.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { writeFlatRows } from "./flat-rows.mjs";
import { benchFile, binary, machine, say, withFolder } from "./measure.mjs";
import { startServer } from "./running-server.mjs";

const { values: options } = parseArgs({ options: { seconds: { type: "string", default: "40" } } });
const seconds = Number(options.seconds);
const CONCURRENCY = 16;
const LATENCY_MS = 40;
const records = Math.ceil((CONCURRENCY / LATENCY_MS) * 1000 * seconds * 1.1);

await withFolder(async (folder) => {
  const file = path.join(folder, "rows.csv");
  await writeFlatRows(file, records, { remark: 20 });
  say(`push for ${seconds} s a line; ${machine()}`);
  const clean = (await measurePush(file, folder, [])).rate;
  say(`no refusals: ${clean.toFixed(0)} records a second`);
  for (const retryAfter of [[], ["--retry-after", "1"]]) {
    const [, after = "none"] = retryAfter;
    for (const share of ["0.01", "0.05", "0.1", "0.2"]) {
      const { rate, refused } = await measurePush(file, folder, ["--refuse", share, ...retryAfter]);
      say(
        `at random ${percent(Number(share))}, Retry-After ${after}: ${percent(rate / clean)}; refused ${percent(refused)}`,
      );
    }
    for (const cap of [20, 50, 200]) {
      const { rate, refused } = await measurePush(file, folder, ["--cap", String(cap), ...retryAfter]);
      say(`a cap of ${cap} a second, Retry-After ${after}: ${percent(rate / cap)}; refused ${percent(refused)}`);
    }
  }
});

/** Accepted records per second while sending, and the share of refused requests. */
async function measurePush(file, folder, more) {
  const state = path.join(folder, "state");
  const server = await startServer(folder, LATENCY_MS, more);
  const args = [
    "push",
    file,
    "--contract",
    benchFile("push-contract.yaml"),
    "--mapping",
    benchFile("push-mapping.yaml"),
  ];
  const target = ["--base-url", server.baseUrl, "--ca", server.ca, "--concurrency", String(CONCURRENCY)];
  const place = ["--ledger", path.join(state, "ledger.db"), "--quiet"];
  const env = { ...process.env, MIGRATE_TOKEN: "bench", TMPDIR: folder };
  const child = spawn(process.execPath, [binary, ...args, ...target, ...place], { env, cwd: folder, stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("close", resolve));
  await delay(seconds * 1000);
  const { requests, refused, sendingMs } = await server.stop();
  child.kill("SIGKILL");
  await ended;
  rmSync(state, { recursive: true });
  return { rate: (requests - refused) / (sendingMs / 1000), refused: refused / requests };
}

function percent(share) {
  return `${(share * 100).toFixed(1)} %`;
}
