// A minimal platform on loopback with HTTPS. It replies to every request with 201 and a new account number, immediately
// or after a latency. Only a request to validate or stage an account receives the reply to that step. The server checks
// nothing, so that the benchmarks measure only the client.
//   node test/bench/bare-server.mjs [--latency-ms 0] [--port 0] [--ready-file path] [--refuse 0.05] [--cap 50]
//     [--retry-after 1] [--refuse-once 0.05] [--status 429]
// Once the server is listening, it writes {"baseUrl","ca"} to the ready file. `ca` is the path of its certificate, in
// the same folder. On the first request, the server creates `<ready file>.first`. On SIGTERM, it prints JSON: the
// number of `requests`, how many of them were `refused`, the milliseconds from the first request to the last reply
// (`sendingMs`), and the time of the first request in milliseconds since 1970 (`firstAt`).
// --refuse: the share of requests that the server refuses at random. --refuse-once: the same, but only for the first
// request for each record. --cap: the limit in requests per second (a token bucket); the server refuses requests beyond
// it. --status: the status of a refusal (429 or 503). --retry-after: the Retry-After header of a refusal.
import { renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:tls";
import { parseArgs } from "node:util";
import { generate } from "selfsigned";

const { values: options } = parseArgs({
  options: {
    "latency-ms": { type: "string", default: "0" },
    port: { type: "string", default: "0" },
    "ready-file": { type: "string", default: "bare-server.json" },
    refuse: { type: "string", default: "0" },
    "refuse-once": { type: "string", default: "0" },
    status: { type: "string", default: "429" },
    cap: { type: "string", default: "Infinity" },
    "retry-after": { type: "string" },
  },
});
const latency = Number(options["latency-ms"]);
const refusedShare = Number(options.refuse);
const refusedOnceShare = Number(options["refuse-once"]);
const REASONS = { 429: "Too Many Requests", 503: "Service Unavailable" };
const cap = Number(options.cap);
const STEP = /^POST \S*\/(validate-account|create-or-update)\/ /;
const KEY = /"external_account_number":"([^"]*)"/;

const pems = await generate([{ name: "commonName", value: "localhost" }], {
  keyType: "ec",
  extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }] }],
});
const server = createServer({ key: pems.private, cert: pems.cert }, serve);
server.listen(Number(options.port), "localhost", () => {
  const ca = `${options["ready-file"]}.pem`;
  writeFileSync(ca, pems.cert);
  writeFileSync(`${ca}.part`, JSON.stringify({ baseUrl: `https://localhost:${server.address().port}/v1/`, ca }));
  renameSync(`${ca}.part`, options["ready-file"]);
});

const asked = new Set();
const seen = { requests: 0, refused: 0, firstAt: 0, lastAt: 0 };
const bucket = { tokens: cap, at: performance.now() };
process.once("SIGTERM", () => {
  const { requests, refused, firstAt, lastAt } = seen;
  const times = { sendingMs: lastAt - firstAt, firstAt: performance.timeOrigin + firstAt };
  process.stdout.write(`${JSON.stringify({ requests, refused, ...times })}\n`, () => process.exit(0));
});

function noteFirst() {
  seen.firstAt = performance.now();
  writeFileSync(`${options["ready-file"]}.first`, "");
}

/** Handles one request at a time per connection. The clients do not pipeline requests. */
function serve(socket) {
  let unread = "";
  socket.setNoDelay(true);
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    unread += chunk.toString("latin1");
    const head = unread.indexOf("\r\n\r\n");
    if (head < 0 || unread.length < head + 4 + Number(/content-length: (\d+)/i.exec(unread)?.[1] ?? 0)) return;
    const key = KEY.exec(unread)?.[1] ?? "";
    const [, step] = STEP.exec(unread) ?? [];
    const sent = unread.slice(head + 4);
    unread = "";
    if (seen.requests === 0) noteFirst();
    seen.requests += 1;
    const answer = isRefused(key) ? refusal() : reply(step, { key, sent, number: seen.requests });
    if (latency > 0) setTimeout(() => send(socket, answer), latency);
    else send(socket, answer);
  });
}

function isRefused(key) {
  if (refusedShare > 0 && Math.random() < refusedShare) return true;
  if (refusedOnceShare > 0 && !asked.has(key)) {
    asked.add(key);
    if (Math.random() < refusedOnceShare) return true;
  }
  if (cap === Infinity) return false;
  const now = performance.now();
  bucket.tokens = Math.min(cap, bucket.tokens + ((now - bucket.at) / 1000) * cap);
  bucket.at = now;
  if (bucket.tokens < 1) return true;
  bucket.tokens -= 1;
  return false;
}

function refusal() {
  seen.refused += 1;
  const retryAfter = options["retry-after"] === undefined ? "" : `retry-after: ${options["retry-after"]}\r\n`;
  return `HTTP/1.1 ${options.status} ${REASONS[options.status]}\r\n${retryAfter}content-length: 0\r\n\r\n`;
}

/** Returns the reply to a request that is not refused. A validation returns the payload itself. */
function reply(step, { key, sent, number }) {
  if (step === "validate-account") return success("200 OK", sent);
  const member =
    step === undefined ? `"account_number":"A-${process.pid}-${number}"` : '"import_supplier_code":"BENCH"';
  return success("201 Created", `{"external_account_number":"${key}",${member}}`);
}

function success(status, body) {
  return `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

function send(socket, answer) {
  socket.write(answer, "latin1");
  seen.lastAt = performance.now();
}
