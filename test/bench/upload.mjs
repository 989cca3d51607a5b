// Throughput of the upload module alone, with records from memory, a ledger stub, and a bare HTTPS server on loopback
// in another process.
//   npm run build && node test/bench/upload.mjs [records] [concurrency | auto] [latency in ms]
// Prints one line of JSON, with records per second and, with latency, the share of the theoretical maximum, concurrency
// / latency.
import { readFileSync } from "node:fs";
import { withFolder } from "./measure.mjs";
import { startServer } from "./running-server.mjs";

const [records = "20000", concurrency = "32", latencyMs = "0"] = process.argv.slice(2);
await withFolder(measure);

async function measure(folder) {
  const dist = new URL(process.env.MIGRATE_DIST ?? "../../dist/", import.meta.url);
  const load = (file) => import(new URL(file, dist).href);
  const { createHttp } = await load("transport/http-client.js");
  const { createImportClient } = await load("platform/import/import-client.js");
  const { upload } = await load("upload/upload.js");

  const server = await startServer(folder, Number(latencyMs));
  const baseUrl = new URL(server.baseUrl);
  const clock = { now: Date.now, monotonic: () => performance.now(), sleep };
  const connections = concurrency === "auto" ? 16 : Number(concurrency);
  const { http, close } = createHttp({ origin: baseUrl, connections, ca: readFileSync(server.ca, "utf8") });
  const client = createImportClient({
    http,
    baseUrl,
    clock,
    userAgent: "energy-migrate/bench",
    authorisation: { header: () => Promise.resolve("Token bench"), accepted() {}, refused: () => Promise.resolve() },
    operation: { path: "/data-import/accounts/", outcomes: [] },
  });
  const never = new AbortController().signal;
  const before = process.cpuUsage();
  const startedAt = performance.now();
  const end = await upload(
    () => batches(Number(records)),
    {
      ledger: { saveIntents: async () => {}, saveOutcomes: async () => {} },
      steps: [{ ...client, idempotent: false, dedupesByKey: true }],
      clock,
      random: Math.random,
      onProgress() {},
    },
    {
      run: "bench",
      concurrency: concurrency === "auto" ? "auto" : connections,
      drain: never,
      abort: never,
    },
  );
  const seconds = (performance.now() - startedAt) / 1000;
  await close();
  await server.stop();
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
      isAmbiguous: false,
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
