// A minimal script that imports joined accounts in three requests each: validate, stage, process. It uses the payloads
// of plain-validate.mjs, JSON.stringify and an undici Pool. It has no checks, no ledger and no retries. The baseline
// for the pushes of real-job.mjs, not a benchmark.
//   node test/bench/plain-workflow.mjs <gb|au> <folder of the files> <import supplier> <base URL> <CA file>
//     <connections>
// Builds all payloads before the first request. Prints the number of requests and the CPU time of sending.
import { readFileSync } from "node:fs";
import { Pool } from "undici";
import { plainPayloads } from "./plain-payloads.mjs";

const [operator, folder, supplier, baseUrl, ca, connections] = process.argv.slice(2);
const pool = new Pool(new URL(baseUrl).origin, {
  connections: Number(connections),
  pipelining: 1,
  allowH2: false,
  connect: { ca: readFileSync(ca) },
});
const headers = { authorization: "Token bench", "content-type": "application/json", accept: "application/json" };

const accounts = [];
for await (const payload of plainPayloads(operator, folder, supplier)) {
  const key = { import_supplier_code: supplier, external_account_number: payload.external_account_number };
  accounts.push({ payload: JSON.stringify(payload), key: JSON.stringify(key) });
}

let requests = 0;

async function post(path, body) {
  const reply = await pool.request({ path: `/v1/data-import/${path}`, method: "POST", headers, body });
  const { external_account_number: key } = await reply.body.json();
  if (reply.statusCode >= 300 || key === undefined) throw new Error(`HTTP ${reply.statusCode}`);
  requests += 1;
}

async function worker(queue) {
  for (const { payload, key } of queue) {
    await post("validate-account/", payload);
    await post("account-import-process/create-or-update/", payload);
    await post("account-import-process/process/", key);
  }
}

const before = process.cpuUsage();
const queue = accounts.values();
await Promise.all(Array.from({ length: Number(connections) }, () => worker(queue)));
await pool.close();
const { user, system } = process.cpuUsage(before);
process.stdout.write(`${JSON.stringify({ requests, sendingCpuMs: (user + system) / 1000 })}\n`);
