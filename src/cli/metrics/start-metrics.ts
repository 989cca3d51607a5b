import { lstatSync, rmSync } from "node:fs";
import { type IncomingMessage, type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Counter, Gauge, Registry, collectDefaultMetrics } from "prom-client";
import { atExit } from "../../files/at-exit.ts";
import { errorCode, listenError } from "../../files/error-code.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { Failure } from "../../model/failure.ts";
import type { ListenAddress } from "../options/option-parsers.ts";
import type { Logger } from "../process/logger.ts";
import type { CurrentProgress } from "../progress/progress.ts";
import { RUN_METRICS, type RunMetric } from "./run-metrics.ts";

export interface MetricsOptions {
  readonly metrics?: ListenAddress | undefined;
  readonly metricsFile?: string | undefined;
}

/** Stops the server and the file updates. Writes the final values to the file. */
export type StopMetrics = () => Promise<void>;

/**
 * Publishes the metrics of a run over HTTP and in a file until the returned function is called.
 * @throws Failure `usage` if the address or the file cannot be used
 */
export async function startMetrics(
  { metrics, metricsFile }: MetricsOptions,
  current: () => CurrentProgress,
  logger: Logger,
): Promise<StopMetrics> {
  const stops: StopMetrics[] = [];
  // Opens the file first. If this fails, there is no server to stop.
  if (metricsFile !== undefined) {
    stops.push(await keepFile(metricsFile, createExposition(current, { withProcess: false })));
  }
  if (metrics !== undefined) {
    const server = await serve(metrics, createExposition(current, { withProcess: true }));
    const url = `http://${addressText(server)}/metrics`;
    logger.event("metrics_started", { url }, `Metrics: ${url}`);
    stops.push(async () => {
      server.close();
      server.closeAllConnections();
    });
  }
  return async () => {
    for (const stop of stops) await stop();
  };
}

async function serve({ host, port }: ListenAddress, exposition: Exposition): Promise<Server> {
  const server = createServer((request, response) => {
    answer(request, exposition).then(
      ({ status, type = "text/plain", text }) => response.writeHead(status, { "content-type": type }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(cannotListen(`${host}:${port}`, error)));
    server.listen(port, host, resolve);
  });
  // The server must not keep the process alive after the run.
  return server.unref();
}

interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly text: string;
}

async function answer({ url = "", method }: IncomingMessage, exposition: Exposition): Promise<Answer> {
  const [path] = url.split("?");
  if (path !== "/metrics") return { status: 404, text: "Metrics are at /metrics.\n" };
  if (method !== "GET" && method !== "HEAD") return { status: 405, text: "Use GET to read the metrics.\n" };
  return { status: 200, type: exposition.contentType, text: await exposition.text() };
}

function cannotListen(address: string, cause: unknown): Failure {
  return new Failure("usage", `--metrics ${address}: ${listenError(cause)}`, {
    hint: "choose another port, or port 0 for any free port; nothing was read or sent",
    cause,
  });
}

function addressText(server: Server): string {
  const bound = server.address();
  const { address, family, port }: AddressInfo =
    typeof bound === "object" && bound !== null ? bound : { address: "", family: "", port: 0 };
  return `${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

const WRITE_EVERY_MS = 5000;
/** Mode of the metrics file. The metrics collector may run as another user. */
const READABLE_BY_ALL = 0o644;

async function keepFile(file: string, exposition: Exposition): Promise<StopMetrics> {
  const write = async (): Promise<void> =>
    replaceFile(file, await exposition.text(), { mode: READABLE_BY_ALL, durable: false });
  try {
    await write();
  } catch (cause) {
    const code = errorCode(cause) ?? "unknown";
    const [reason, fix] =
      code === "EISDIR"
        ? ["is a folder", "name a file"]
        : [`cannot be written (${code})`, "check that its folder exists and is writable"];
    throw new Failure("usage", `--metrics-file ${file}: ${reason}`, {
      hint: `${fix}; nothing was read or sent`,
      cause,
    });
  }
  let writing = Promise.resolve();
  // A failed update, for example because the disk is full, must not end a push.
  const again = (): void => {
    writing = writing.then(write).catch(() => undefined);
  };
  const timer = setInterval(again, WRITE_EVERY_MS).unref();
  // Otherwise, after a second signal, the file would still show an active run.
  const keep = atExit(() => {
    if (lstatSync(file).isFile()) rmSync(file);
  });
  return async () => {
    clearInterval(timer);
    again();
    await writing;
    keep();
  };
}

interface Exposition {
  readonly contentType: string;
  readonly text: () => Promise<string>;
}

/**
 * @param withProcess whether to include the memory and CPU usage of the process, under the standard Prometheus names
 */
function createExposition(
  current: () => CurrentProgress,
  { withProcess }: { readonly withProcess: boolean },
): Exposition {
  const registry = new Registry();
  for (const metric of RUN_METRICS) register(metric, current, registry);
  if (withProcess) collectDefaultMetrics({ register: registry });
  return { contentType: registry.contentType, text: () => registry.metrics() };
}

function register(
  { name, type, help, labels, samples }: RunMetric,
  current: () => CurrentProgress,
  registry: Registry,
): void {
  const settings = { name, help, labelNames: [...labels], registers: [registry] };
  if (type === "counter") {
    const counter = new Counter({
      ...settings,
      collect() {
        counter.reset();
        for (const { value, labels: own = {} } of samples(current())) counter.inc(own, value);
      },
    });
    return;
  }
  const gauge = new Gauge({
    ...settings,
    collect() {
      gauge.reset();
      for (const { value, labels: own = {} } of samples(current())) gauge.set(own, value);
    },
  });
}
