// A minimal loop that sends a CSV file: csv-parse, one payload per row, JSON.stringify, and an undici Pool. It has no
// ledger, no checks and no retries. The baseline for push.mjs, not a benchmark.
//   node test/bench/plain-push.mjs <file> <base URL> <CA file> <connections> [--prebuilt]
// --prebuilt builds all bodies before the first request. Prints the number of requests, and the wall time and processor
// time of sending. Without --prebuilt, these times include reading the file and building the bodies.
import { createReadStream, readFileSync } from "node:fs";
import { parse } from "csv-parse";
import { Pool } from "undici";

const [file, baseUrl, ca, connections, prebuilt] = process.argv.slice(2);
const url = new URL(`${baseUrl}data-import/accounts/`);
const pool = new Pool(url.origin, {
  connections: Number(connections),
  pipelining: 1,
  allowH2: false,
  connect: { ca: readFileSync(ca) },
});
const headers = { authorization: "Token bench", "content-type": "application/json", accept: "application/json" };

async function* bodies() {
  for await (const row of createReadStream(file).pipe(parse({ columns: true }))) yield JSON.stringify(payloadOf(row));
}

function payloadOf(row) {
  const [day, month, year] = row.NEXT_BILL.split("/");
  return {
    external_account_number: row.REF,
    account_type: row.TYPE === "D" ? "DOMESTIC" : "BUSINESS",
    billing_name: row.NAME,
    billing_address1: row.ADDR1,
    billing_address2: row.ADDR2,
    billing_postcode: row.POSTCODE,
    balance: row.BALANCE,
    next_bill_due_date: `${year}-${month}-${day}`,
    unknown_occupier: row.OCCUPIER === "Y",
    remark: row.REMARK,
  };
}

const list = prebuilt === "--prebuilt" ? await all(bodies()) : undefined;

async function all(source) {
  const found = [];
  for await (const one of source) found.push(one);
  return found;
}

const startedAt = performance.now();
const before = process.cpuUsage();
const source = (list ?? bodies())[list === undefined ? Symbol.asyncIterator : Symbol.iterator]();
let requests = 0;

async function worker() {
  for (;;) {
    const { value: body, done } = await source.next();
    if (done) return;
    const { statusCode, body: reply } = await pool.request({ path: url.pathname, method: "POST", headers, body });
    const { account_number: account } = await reply.json();
    if (statusCode !== 201 || account === undefined) throw new Error(`HTTP ${statusCode}`);
    requests += 1;
  }
}

await Promise.all(Array.from({ length: Number(connections) }, worker));
await pool.close();
const { user, system } = process.cpuUsage(before);
const sent = { requests, sendingMs: performance.now() - startedAt, sendingCpuMs: (user + system) / 1000 };
process.stdout.write(`${JSON.stringify(sent)}\n`);
