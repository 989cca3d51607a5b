import { collectDefaultMetrics, Counter, Gauge, Registry } from "prom-client";
import type { CurrentProgress } from "../progress/progress.ts";
import { RUN_METRICS, type RunMetric } from "./run-metrics.ts";

/** The current metrics of a run in the Prometheus text format. */
export interface Exposition {
  readonly contentType: string;
  readonly text: () => Promise<string>;
}

/** @param withProcess also memory and CPU of the process, under the standard Prometheus names */
export function createExposition(
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
