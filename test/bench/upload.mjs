// Upload alone: records from memory, a ledger that keeps nothing, a bare loopback HTTPS server in another process.
//   npm run build && node test/bench/upload.mjs [records] [concurrency | auto] [latency in ms]
// One line of JSON: records a second, and the share of what concurrency / latency allows.
import { fork } from "node:child_process";
import { createServer } from "node:tls";
import { generate } from "selfsigned";

const [records = "20000", concurrency = "32", latencyMs = "0"] = process.argv.slice(2);
if (process.send === undefined) await measure();
else await serve(Number(latencyMs));

async function serve(latency) {
  const pems = await generate([{ name: "commonName", value: "localhost" }], {
    keyType: "ec",
    extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }] }],
  });
  const body = JSON.stringify({ external_account_number: "1", account_number: "A-12AB34CD" });
  const reply = `HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const server = createServer({ key: pems.private, cert: pems.cert }, (socket) => {
    let unread = "";
    socket.on("error", () => {});
    socket.setNoDelay(true);
    socket.on("data", (chunk) => {
      unread += chunk.toString("latin1");
      const head = unread.indexOf("\r\n\r\n");
      const length = /content-length: (\d+)/i.exec(unread);
      if (head < 0 || unread.length < head + 4 + Number(length[1])) return;
      unread = "";
      if (latency > 0) setTimeout(() => socket.write(reply), latency);
      else socket.write(reply);
    });
  });
  server.listen(0, "localhost", () => process.send({ port: server.address().port, ca: pems.cert }));
}

async function measure() {
  const dist = new URL(process.env.MIGRATE_DIST ?? "../../dist/", import.meta.url);
  const load = (file) => import(new URL(file, dist).href);
  const { createHttp } = await load("transport/undici-http.js");
  const { createImportClient } = await load("platform/import-client.js");
  const { upload } = await load("upload/upload.js");

  const server = fork(new URL(import.meta.url), [records, concurrency, latencyMs]);
  const { port, ca } = await new Promise((resolve) => server.once("message", resolve));
  const baseUrl = new URL(`https://localhost:${port}/v1/`);
  const clock = { now: Date.now, monotonic: () => performance.now(), sleep };
  const connections = concurrency === "auto" ? 16 : Number(concurrency);
  const { http, close } = createHttp({ origin: baseUrl, connections, ca });
  const client = createImportClient({
    http,
    baseUrl,
    clock,
    userAgent: "energy-migrate/bench",
    authorisation: { header: () => Promise.resolve("Token bench"), refused: () => Promise.resolve() },
    operation: { path: "/data-import/accounts/", outcomes: [] },
  });
  const never = new AbortController().signal;
  const before = process.cpuUsage();
  const startedAt = performance.now();
  const end = await upload(
    batches(Number(records)),
    { ledger: { intend: async () => {}, settle: async () => {} }, client, clock, random: Math.random, onProgress() {} },
    {
      run: "bench",
      concurrency: concurrency === "auto" ? "auto" : connections,
      dedupes: false,
      drain: never,
      abort: never,
    },
  );
  const seconds = (performance.now() - startedAt) / 1000;
  await close();
  server.kill();
  const perSecond = Number(records) / seconds;
  const ideal = connections / (Number(latencyMs) / 1000);
  process.stdout.write(
    `${JSON.stringify({
      records: Number(records),
      concurrency,
      latencyMs: Number(latencyMs),
      ...end.counts,
      perSecond: Math.round(perSecond),
      processorMicrosPerRecord: Math.round(
        (process.cpuUsage(before).user + process.cpuUsage(before).system) / Number(records),
      ),
      ...(Number.isFinite(ideal) ? { ofIdeal: Number((perSecond / ideal).toFixed(3)) } : {}),
    })}\n`,
  );
}

async function* batches(total) {
  const filling = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`field_${index}`, "x".repeat(36)]));
  for (let at = 0; at < total; at += 200) {
    yield Array.from({ length: Math.min(200, total - at) }, (_, index) => ({
      record: at + index + 1,
      identity: new Uint8Array(32),
      content: new Uint8Array(32),
      attempts: 0,
      payload: { external_account_number: `EXT-${at + index}`, ...filling },
      locate: () => undefined,
    }));
  }
}

function sleep(ms, signal) {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener("abort", wake);
  });
}
