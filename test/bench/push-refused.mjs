// Throughput of `migrate push` with a server that refuses requests at random or beyond an undocumented limit. Runs the
// built command in real time.
//   npm run build && node test/bench/push-refused.mjs [--seconds 40]
//   npm run build && node test/bench/push-refused.mjs --records 1500 [--rounds 9]
// Without --records, each push has 16 requests in flight and is stopped after --seconds. The first line shows the
// accepted records per second without refusals. Each later line shows the rate relative to that rate or to the limit,
// and the share of refused requests.
// With --records, each push is short and uses the default settings. The server refuses a share of the records once,
// with 429 or 503. Each line shows the time of a push without refusals divided by the time of a push with refusals
// (median over the rounds).
// The server replies after 40 ms.
import { spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { writeFlatRows } from "./flat-rows.mjs";
import { benchFile, binary, machine, say, withFolder } from "./measure.mjs";
import { startServer } from "./running-server.mjs";

const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "40" },
    records: { type: "string" },
    rounds: { type: "string", default: "9" },
  },
});
const seconds = Number(options.seconds);
const CONCURRENCY = 16;
const LATENCY_MS = 40;
const records = Math.ceil((CONCURRENCY / LATENCY_MS) * 1000 * seconds * 1.1);

await withFolder(options.records === undefined ? measureLongPushes : measureShortPushes);

async function measureShortPushes(folder) {
  const file = path.join(folder, "rows.csv");
  await writeFlatRows(file, Number(options.records), { remark: 20 });
  say(`push of ${options.records} records, ${options.rounds} rounds; ${machine()}`);
  const cases = [429, 503].flatMap((status) => [0.01, 0.05, 0.1, 0.2].map((share) => ({ status, share, found: [] })));
  for (let round = 0; round < Number(options.rounds); round += 1) {
    const clean = await measureWholePush(file, folder, []);
    for (const { status, share, found } of cases) {
      const more = ["--refuse-once", String(share), "--status", String(status)];
      found.push(clean / (await measureWholePush(file, folder, more)));
    }
  }
  for (const { status, share, found } of cases) {
    const sorted = found.toSorted((one, other) => one - other);
    const [least, median, most] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
    say(`${status}, ${percent(share)} refused once: ${median.toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`);
  }
}

async function measureLongPushes(folder) {
  const file = path.join(folder, "rows.csv");
  await writeFlatRows(file, records, { remark: 20 });
  say(`push for ${seconds} s per line; ${machine()}`);
  const clean = (await measurePush(file, folder, [])).rate;
  say(`no refusals: ${clean.toFixed(0)} records/s`);
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
      say(`limit of ${cap} requests/s, Retry-After ${after}: ${percent(rate / cap)}; refused ${percent(refused)}`);
    }
  }
}

/** Returns the milliseconds from the first request of a push to the last reply. */
async function measureWholePush(file, folder, more) {
  const server = await startServer(folder, LATENCY_MS, more);
  const child = startPush(file, folder, server, []);
  const code = await new Promise((resolve) => child.once("close", resolve));
  const { sendingMs } = await server.stop();
  rmSync(path.join(folder, "state"), { recursive: true });
  if (code !== 0) throw new Error(`the push ended with exit code ${code}`);
  return sendingMs;
}

/** Returns the accepted records per second while sending, and the share of refused requests. */
async function measurePush(file, folder, more) {
  const server = await startServer(folder, LATENCY_MS, more);
  const child = startPush(file, folder, server, ["--concurrency", String(CONCURRENCY)]);
  const ended = new Promise((resolve) => child.once("close", resolve));
  await delay(seconds * 1000);
  const { requests, refused, sendingMs } = await server.stop();
  child.kill("SIGKILL");
  await ended;
  rmSync(path.join(folder, "state"), { recursive: true });
  return { rate: (requests - refused) / (sendingMs / 1000), refused: refused / requests };
}

function startPush(file, folder, server, more) {
  const inputs = ["--contract", dedupingContract(folder), "--mapping", benchFile("push-mapping.yaml")];
  const target = ["--base-url", server.baseUrl, "--ca", server.ca, ...more];
  const place = ["--ledger", path.join(folder, "state/ledger.db"), "--quiet"];
  const env = { ...process.env, MIGRATE_TOKEN: "bench", TMPDIR: folder };
  const args = [binary, "push", file, ...inputs, ...target, ...place];
  return spawn(process.execPath, args, { env, cwd: folder, stdio: "ignore" });
}

/**
 * Writes a contract that declares deduplication, because a request that receives 503 is sent again only if the platform
 * creates nothing twice. Returns its path.
 */
function dedupingContract(folder) {
  const file = path.join(folder, "contract.yaml");
  const text = readFileSync(benchFile("push-contract.yaml"), "utf8");
  writeFileSync(file, text.replace(/^( *)x-migrate-key/mu, "$1x-migrate-dedupe: business-key\n$&"));
  return file;
}

function percent(share) {
  return `${(share * 100).toFixed(1)}%`;
}
