import { RUN_STATES, type SendProgress } from "../../job/run-progress.ts";
import { STATUSES } from "../../model/outcome.ts";
import type { CurrentProgress } from "../progress/progress.ts";

interface Sample {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface RunMetric {
  readonly name: string;
  readonly type: "gauge" | "counter";
  readonly help: string;
  readonly labels: readonly string[];
  /** Returns no samples while the value is unknown. */
  readonly samples: (progress: CurrentProgress) => readonly Sample[];
}

/** The states to report. A run whose process was interrupted reports nothing. */
const MEASURED_STATES = RUN_STATES.filter((state) => state !== "interrupted");

/**
 * The metrics of `--metrics` and `--metrics-file`. Each label has few values, and no label value comes from the data.
 */
export const RUN_METRICS: readonly RunMetric[] = [
  {
    name: "migrate_run_info",
    type: "gauge",
    help: "The active run; always 1",
    labels: ["run", "command", "target", "supplier", "operation"],
    samples: ({ run }) => {
      if (run === undefined) return [];
      const { id, command, target, supplier, operation } = run;
      return [{ value: 1, labels: { run: id, command, target, supplier, operation } }];
    },
  },
  {
    name: "migrate_run_state",
    type: "gauge",
    help: "1 for the current state of the run, 0 for all other states",
    labels: ["state"],
    samples: ({ state }) => MEASURED_STATES.map((each) => ({ value: each === state ? 1 : 0, labels: { state: each } })),
  },
  number("migrate_elapsed_seconds", "Seconds since this process started the run", ({ elapsedMs }) => elapsedMs / 1000),
  number(
    "migrate_input_bytes",
    "Size of the input files; for compressed files, the compressed size",
    ({ input }) => input.ofBytes,
  ),
  number("migrate_input_read_bytes", "Bytes read from the input files so far", ({ input }) => input.bytes),
  number("migrate_checked_records", "Records read and validated so far", ({ input }) => input.records),
  number("migrate_checked_invalid_records", "Validated records that have errors", ({ input }) => input.invalid),
  {
    name: "migrate_records",
    type: "gauge",
    help: "Records by status: during the run, sent records with an outcome; after the run, all records",
    labels: ["status"],
    samples: ({ counts, sending }) => {
      const known = counts ?? sending?.counts ?? {};
      return STATUSES.map((status) => ({ value: known[status] ?? 0, labels: { status } }));
    },
  },
  number("migrate_send_records", "Records that the run will send", ({ sending }) => sending?.total),
  number("migrate_sent_records", "Records sent by the run that have an outcome", ({ sending }) => sending?.done),
  number("migrate_send_rate", "Outcomes per second over the last minute", ({ sending }) => sending?.perSecond),
  number("migrate_requests_in_flight", "Requests in flight", ({ sending }) => sending?.inFlight),
  number("migrate_concurrency_limit", "Maximum requests in flight", ({ sending }) => sending?.pace.limit),
  number(
    "migrate_rate_limit",
    "Requests per second that the platform accepts, as measured",
    ({ sending }) => sending?.pace.perSecond,
  ),
  {
    name: "migrate_pace_info",
    type: "gauge",
    help: "Reason for the current concurrency limit, as a label; the value is always 1",
    labels: ["reason"],
    samples: ({ sending }) => {
      const reason = sending?.pace.reason;
      return reason === undefined ? [] : [{ value: 1, labels: { reason } }];
    },
  },
  number("migrate_left_seconds", "Estimated seconds until all records have an outcome", ({ sending }) =>
    sending?.leftMs === undefined ? undefined : sending.leftMs / 1000,
  ),
  number(
    "migrate_waiting_seconds",
    "Duration of the current pause so far, in seconds; 0 while requests are allowed",
    ({ sending }) => (sending === undefined ? undefined : (sending.wait?.forMs ?? 0) / 1000),
  ),
  number(
    "migrate_closed_suppliers",
    "Import suppliers that currently accept no records",
    ({ sending }) => sending?.closedSuppliers.length,
  ),
  number(
    "migrate_workers",
    "Processes that send records for the run, on all machines",
    ({ sending }) => sending?.sharing?.workers,
  ),
  number(
    "migrate_lost_workers",
    "Processes that stopped without leaving the run",
    ({ sending }) => sending?.sharing?.lost,
  ),
  {
    name: "migrate_ranges",
    type: "gauge",
    help: "Ranges of a run with several workers, by state",
    labels: ["state"],
    samples: ({ sending }) =>
      Object.entries(sending?.sharing?.ranges ?? {}).map(([state, value]) => ({ value, labels: { state } })),
  },
  ofWorkers(
    "migrate_worker_send_rate",
    "Outcomes per second, by worker, averaged over about ten seconds",
    (one) => one.perSecond,
  ),
  ofWorkers("migrate_worker_requests_in_flight", "Requests in flight, by worker", (one) => one.inFlight),
  ofWorkers("migrate_worker_concurrency_limit", "Maximum requests in flight, by worker", (one) => one.limit),
  ofWorkers("migrate_worker_ranges", "Ranges that each worker holds", (one) => one.holds.length),
  ofWorkers(
    "migrate_worker_range_first_record",
    "First record of the range that each worker has held longest",
    (one) => oldestRange(one)?.first,
  ),
  ofWorkers(
    "migrate_worker_range_last_record",
    "Last record of the range that each worker has held longest",
    (one) => oldestRange(one)?.last,
  ),
  ofWorkers(
    "migrate_worker_range_taken_timestamp_seconds",
    "Unix time at which the worker claimed its longest-held range, according to the ledger server's clock",
    (one) => unixTime(oldestRange(one)?.since),
  ),
  number(
    "migrate_replies_total",
    "Requests that determined the outcome of a record",
    ({ sending }) => sending?.replies.count,
    "counter",
  ),
  number(
    "migrate_reply_seconds_total",
    "Total duration of the requests that determined an outcome",
    ({ sending }) => sending && sending.replies.totalMs / 1000,
    "counter",
  ),
];

type WorkingProcess = NonNullable<SendProgress["sharing"]>["working"][number];

/**
 * Returns a metric with one value for each active worker. Record numbers are values, because as labels they would
 * create too many time series.
 */
function ofWorkers(name: string, help: string, valueOf: (worker: WorkingProcess) => number | undefined): RunMetric {
  return {
    name,
    type: "gauge",
    help,
    labels: ["worker"],
    samples: ({ sending }) =>
      (sending?.sharing?.working ?? []).flatMap((worker) => {
        const value = valueOf(worker);
        return value === undefined ? [] : [{ value, labels: { worker: `${worker.host}:${worker.pid}` } }];
      }),
  };
}

function oldestRange({ holds }: WorkingProcess): WorkingProcess["holds"][number] | undefined {
  return holds.toSorted((one, other) => Date.parse(one.since) - Date.parse(other.since))[0];
}

function unixTime(stamp: string | undefined): number | undefined {
  return stamp === undefined ? undefined : Date.parse(stamp) / 1000;
}

function number(
  name: string,
  help: string,
  valueOf: (progress: CurrentProgress) => number | undefined,
  type: RunMetric["type"] = "gauge",
): RunMetric {
  return {
    name,
    type,
    help,
    labels: [],
    samples: (progress) => {
      const value = valueOf(progress);
      return value === undefined ? [] : [{ value }];
    },
  };
}
