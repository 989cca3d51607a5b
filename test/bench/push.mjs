// `migrate push` of a CSV file, with a ledger, to a bare HTTPS server on loopback in another process. Compared with a
// plain loop of csv-parse and an undici Pool without a ledger (plain-push.mjs), and with newman.
//   npm run build && node test/bench/push.mjs [--records 20000] [--runs 3] [--no-latency] [--no-peer]
// There are two cases, without latency and with a latency of 50 ms, each with 32 requests in flight. For each case,
// prints records per second of the whole command (start, reading, validating, planning, sending, report) and while
// sending, as timed by the server (for the plain loop, by the loop itself). With latency, also prints the share of the
// theoretical maximum, 32 / latency, for the added latency and for the measured latency of a single request.
// Each push follows a run of the plain loop, and the ratios are medians over these pairs. For the loop with
// prebuilt bodies, only sending is measured.
// The peer is `newman run -d` with the first 2,000 of these rows, against the same server without latency.
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import path from "node:path";
import { parseArgs } from "node:util";
import { writeFlatRows } from "./flat-rows.mjs";
import { benchFile, count, machine, measured, medians, migrate, npmPeer, peer, say, withFolder } from "./measure.mjs";
import { startServer } from "./running-server.mjs";

const { values: options } = parseArgs({
  options: {
    records: { type: "string", default: "20000" },
    runs: { type: "string", default: "3" },
    "no-latency": { type: "boolean", default: false },
    "no-peer": { type: "boolean", default: false },
  },
});
const records = Number(options.records);
const runs = Number(options.runs);
const CONCURRENCY = 32;
const LATENCY_MS = 50;
const PEER_RECORDS = 2000;
/** The length of the remark that makes a payload about 1.5 KB long. */
const REMARK = 1150;

await withFolder(async (folder) => {
  const file = path.join(folder, "rows.csv");
  await writeFlatRows(file, records, { remark: REMARK });
  say(`push, ${count(records)} records of about 1.5 KB, ${CONCURRENCY} in flight; ${machine()}`);
  const ours = await comparePlainLoop(file, folder, 0);
  const prebuilt = await medians(runs, () => plainLoop(file, folder, 0, "--prebuilt"));
  say(`plain loop with prebuilt bodies, sending only: ${rates(prebuilt)}`);
  if (!options["no-latency"]) await withLatency(file, folder);
  if (options["no-peer"]) return;
  const newman = peer("newman", npmPeer("newman@6"));
  if (newman === undefined) return;
  const theirs = await measureNewman(newman, folder);
  say(`newman:     ${count(theirs)} records/s: push is ${(ours.whole / theirs).toFixed(1)} times as fast`);
});

async function withLatency(file, folder) {
  const late = await comparePlainLoop(file, folder, LATENCY_MS);
  for (const latencyMs of [LATENCY_MS, await singleRequestLatency(folder)]) {
    const most = CONCURRENCY / (latencyMs / 1000);
    const shares = `whole command ${percent(late.whole / most)}, sending alone ${percent(late.sending / most)}`;
    say(`of ${CONCURRENCY} / ${latencyMs.toFixed(1)} ms, ${count(most)}/s:  ${shares}`);
  }
}

/** Measures the plain loop and `migrate push` alternately. */
async function comparePlainLoop(file, folder, latencyMs) {
  const plain = [];
  const pairs = await medians(runs, async () => {
    const theirs = await plainLoop(file, folder, latencyMs);
    const ours = await measurePush(file, folder, latencyMs);
    plain.push(theirs);
    return { ...ours, ratio: ours.whole / theirs.whole, cpuRatio: ours.cpuMs / theirs.cpuMs };
  });
  const name = latencyMs === 0 ? "no latency" : `${latencyMs} ms`;
  say(`${name}, plain loop: ${rates(await medians(runs, (run) => plain[run]))}`);
  say(`${name}, push:       ${rates(pairs)}`);
  const times = pairs.cpuRatio === undefined ? "" : `, ${pairs.cpuRatio.toFixed(2)} of its CPU time`;
  say(`${name}, push compared with the plain loop: ${pairs.ratio.toFixed(2)} of its records/s${times}`);
  return pairs;
}

async function plainLoop(file, folder, latencyMs, ...more) {
  const server = await startServer(folder, latencyMs);
  const args = [benchFile("plain-push.mjs"), file, server.baseUrl, server.ca, String(CONCURRENCY), ...more];
  const { wallMs, cpuMs, peakMb, stdout } = await measured(process.execPath, args);
  await server.stop();
  const { requests, sendingMs, sendingCpuMs } = JSON.parse(stdout);
  if (requests !== records) throw new Error(`the plain loop made ${requests} requests instead of ${records}`);
  const isWhole = more.length === 0;
  const whole = records / ((isWhole ? wallMs : sendingMs) / 1000);
  return { whole, sending: records / (sendingMs / 1000), cpuMs: isWhole ? cpuMs : sendingCpuMs, peakMb };
}

async function measurePush(file, folder, latencyMs) {
  const state = path.join(folder, "state");
  const server = await startServer(folder, latencyMs);
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
  const env = { MIGRATE_TOKEN: "bench", TMPDIR: folder };
  const { wallMs, cpuMs, peakMb } = await migrate([...args, ...target, ...place], { env });
  const { requests, sendingMs } = await server.stop();
  rmSync(state, { recursive: true });
  if (requests !== records) throw new Error(`the server received ${requests} requests instead of ${records}`);
  return { whole: records / (wallMs / 1000), sending: records / (sendingMs / 1000), cpuMs, peakMb };
}

/** Returns the median latency, in milliseconds, of 40 sequential requests on an open connection. */
async function singleRequestLatency(folder) {
  const server = await startServer(folder, LATENCY_MS);
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: readFileSync(server.ca) });
  const empty = { method: "POST", agent, headers: { "content-length": "0" } };
  const times = [];
  for (let number = 0; number <= 40; number += 1) {
    const from = performance.now();
    const call = request(`${server.baseUrl}data-import/accounts/`, empty).end();
    const [reply] = await once(call, "response");
    await once(reply.resume(), "end");
    if (number > 0) times.push(performance.now() - from);
  }
  agent.destroy();
  await server.stop();
  return times.toSorted((a, b) => a - b)[times.length / 2];
}

async function measureNewman(newman, folder) {
  const file = path.join(folder, "some.csv");
  const collection = path.join(folder, "collection.json");
  await writeFlatRows(file, PEER_RECORDS, { remark: REMARK });
  const server = await startServer(folder, 0);
  writeFileSync(collection, JSON.stringify(collectionFor(`${server.baseUrl}data-import/accounts/`)));
  const args = ["run", collection, "-d", file, "--insecure", "--silent"];
  const { wallMs } = await measured(newman, args);
  await server.stop();
  return PEER_RECORDS / (wallMs / 1000);
}

function collectionFor(url) {
  const columns = ["REF", "TYPE", "NAME", "ADDR1", "ADDR2", "POSTCODE", "BALANCE", "NEXT_BILL", "OCCUPIER", "REMARK"];
  const raw = JSON.stringify(Object.fromEntries(columns.map((name) => [name.toLowerCase(), `{{${name}}}`])));
  const header = [
    { key: "content-type", value: "application/json" },
    { key: "authorization", value: "Token bench" },
  ];
  return {
    info: { name: "push", schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" },
    item: [{ name: "account", request: { method: "POST", url, header, body: { mode: "raw", raw } } }],
  };
}

function rates({ whole, sending, cpuMs, peakMb }) {
  const used = cpuMs === undefined ? "" : `; ${Math.round((cpuMs * 1000) / records)} us of CPU time per record`;
  return `${count(whole)} records/s, sending alone ${count(sending)}${used}, ${Math.round(peakMb ?? 0)} MB`;
}

function percent(share) {
  return `${(share * 100).toFixed(1)}%`;
}
