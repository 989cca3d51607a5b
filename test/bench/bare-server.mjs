// The least that can stand for a platform: HTTPS on loopback, every POST answered with 201 at once (or after a
// latency) and an account number of its own, nothing else looked at, so that what push.mjs measures is the client.
//   node test/bench/bare-server.mjs [--latency-ms 0] [--ready-file path]
// Once it listens it writes {"baseUrl","ca"} to the ready file (ca: path of its own certificate, beside it). On SIGTERM
// it says on stdout how many requests it has answered, and the milliseconds from the first to the last answer.
import { renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:tls";
import { parseArgs } from "node:util";
import { generate } from "selfsigned";

const { values: options } = parseArgs({
  options: {
    "latency-ms": { type: "string", default: "0" },
    "ready-file": { type: "string", default: "bare-server.json" },
  },
});
const latency = Number(options["latency-ms"]);
const KEY = /"external_account_number":"([^"]*)"/;

const pems = await generate([{ name: "commonName", value: "localhost" }], {
  keyType: "ec",
  extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }] }],
});
const server = createServer({ key: pems.private, cert: pems.cert }, answer);
server.listen(0, "localhost", () => {
  const ca = `${options["ready-file"]}.pem`;
  writeFileSync(ca, pems.cert);
  writeFileSync(`${ca}.part`, JSON.stringify({ baseUrl: `https://localhost:${server.address().port}/v1/`, ca }));
  renameSync(`${ca}.part`, options["ready-file"]);
});

const seen = { requests: 0, firstAt: 0, lastAt: 0 };
process.once("SIGTERM", () => {
  const { requests, firstAt, lastAt } = seen;
  process.stdout.write(`${JSON.stringify({ requests, sendingMs: lastAt - firstAt })}\n`, () => process.exit(0));
});

/** One request at a time on a connection, as HTTP/1.1 without pipelining has it. */
function answer(socket) {
  let unread = "";
  socket.setNoDelay(true);
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    unread += chunk.toString("latin1");
    const head = unread.indexOf("\r\n\r\n");
    if (head < 0 || unread.length < head + 4 + Number(/content-length: (\d+)/i.exec(unread)?.[1] ?? 0)) return;
    const key = KEY.exec(unread)?.[1] ?? "";
    unread = "";
    if (seen.requests === 0) seen.firstAt = performance.now();
    seen.requests += 1;
    const created = reply(key, seen.requests);
    if (latency > 0) setTimeout(() => send(socket, created), latency);
    else send(socket, created);
  });
}

function reply(key, number) {
  const body = `{"external_account_number":"${key}","account_number":"A-${number}"}`;
  return `HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

function send(socket, created) {
  socket.write(created, "latin1");
  seen.lastAt = performance.now();
}
