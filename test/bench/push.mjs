// `migrate push` of one CSV file to a bare HTTPS server on loopback in another process, ledger on; beside newman.
//   npm run build && node test/bench/push.mjs [--records 20000] [--runs 3] [--no-peer]
// Two cases: no latency, and 50 ms, both with 32 requests in flight. Each says records a second of the whole command
// (start, reading, validating, planning, sending, report) and of the sending alone, which the server times from its
// first answer to its last; with latency also the share of the 32 / latency that no client can exceed, for the latency
// that was added and for the one that a request meets which is alone on the wire.
// The peer is `newman run -d` over 2,000 of the same rows, against the same server without latency.
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import path from "node:path";
import { parseArgs } from "node:util";
import { writeFlatRows } from "./flat-rows.mjs";
import { beside, count, machine, measured, medians, migrate, npmPeer, peer, say, withFolder } from "./measure.mjs";
import { startServer } from "./running-server.mjs";

const { values: options } = parseArgs({
  options: {
    records: { type: "string", default: "20000" },
    runs: { type: "string", default: "3" },
    "no-peer": { type: "boolean", default: false },
  },
});
const records = Number(options.records);
const runs = Number(options.runs);
const CONCURRENCY = 32;
const LATENCY_MS = 50;
const PEER_RECORDS = 2000;
/** Makes a payload of about 1.5 KB. */
const REMARK = 1150;

await withFolder(async (folder) => {
  const file = path.join(folder, "rows.csv");
  await writeFlatRows(file, records, { remark: REMARK });
  say(`push, ${count(records)} records of about 1.5 KB, ${CONCURRENCY} in flight; ${machine()}`);
  const ours = await medians(runs, () => pushed(file, folder, 0));
  say(`no latency: ${rates(ours)}`);
  const late = await medians(runs, () => pushed(file, folder, LATENCY_MS));
  say(`${LATENCY_MS} ms:      ${rates(late)}`);
  for (const latencyMs of [LATENCY_MS, await latencyAlone(folder)]) {
    const most = CONCURRENCY / (latencyMs / 1000);
    const shares = `${percent(late.whole / most)} the whole command, ${percent(late.sending / most)} the sending`;
    say(`of ${CONCURRENCY} / ${latencyMs.toFixed(1)} ms, ${count(most)}/s:  ${shares}`);
  }
  if (options["no-peer"]) return;
  const newman = peer("newman", npmPeer("newman@6"));
  if (newman === undefined) return;
  const theirs = await compared(newman, folder);
  say(`newman:     ${count(theirs)} records a second: push is ${(ours.whole / theirs).toFixed(1)} times as fast`);
});

async function pushed(file, folder, latencyMs) {
  const state = path.join(folder, "state");
  const server = await startServer(folder, latencyMs);
  const args = ["push", file, "--contract", beside("push-contract.yaml"), "--mapping", beside("push-mapping.yaml")];
  const target = ["--base-url", server.baseUrl, "--ca", server.ca, "--concurrency", String(CONCURRENCY)];
  const place = ["--ledger", path.join(state, "ledger.db"), "--quiet"];
  const env = { MIGRATE_TOKEN: "bench", TMPDIR: folder };
  const { wallMs, cpuMs, peakMb } = await migrate([...args, ...target, ...place], { env });
  const { requests, sendingMs } = await server.stop();
  rmSync(state, { recursive: true });
  if (requests !== records) throw new Error(`the server has answered ${requests} requests, not ${records}`);
  return { whole: records / (wallMs / 1000), sending: records / (sendingMs / 1000), cpuMs, peakMb };
}

/** What a request takes on an open connection with no other beside it: the median of 40. */
async function latencyAlone(folder) {
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

async function compared(newman, folder) {
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
  const used = cpuMs === undefined ? "" : `; ${Math.round((cpuMs * 1000) / records)} us of processor a record`;
  return `${count(whole)} records a second, sending alone ${count(sending)}${used}, ${Math.round(peakMb ?? 0)} MB`;
}

function percent(share) {
  return `${(share * 100).toFixed(1)} %`;
}
