import { RUN_STATES, type RunState } from "../../job/run-progress.ts";
import { STATUSES } from "../../model/outcome.ts";
import type { CurrentProgress } from "../progress/progress.ts";

/** One number that a run tells, with the labels that it has. */
interface Sample {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface RunMetric {
  readonly name: string;
  readonly type: "gauge" | "counter";
  readonly help: string;
  readonly labels: readonly string[];
  /** None while it is not known. */
  readonly samples: (progress: CurrentProgress) => readonly Sample[];
}

/** What `--metrics` and `--metrics-file` tell. Labels have few values: none comes from the data. */
export const RUN_METRICS: readonly RunMetric[] = [
  {
    name: "migrate_run_info",
    type: "gauge",
    help: "The run that is at work; always 1",
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
    help: "1 for the state that the run is in",
    labels: ["state"],
    samples: ({ state }) =>
      RUN_STATES.filter(canBeTold).map((each) => ({ value: each === state ? 1 : 0, labels: { state: each } })),
  },
  number("migrate_elapsed_seconds", "Since this process began its work", ({ elapsedMs }) => elapsedMs / 1000),
  number("migrate_input_bytes", "Size of the input's files, packed if they are", ({ input }) => input.ofBytes),
  number("migrate_input_read_bytes", "Bytes of them that were read so far", ({ input }) => input.bytes),
  number("migrate_checked_records", "Records that were read and checked so far", ({ input }) => input.records),
  number("migrate_checked_invalid_records", "Those of them that have errors", ({ input }) => input.invalid),
  {
    name: "migrate_records",
    type: "gauge",
    help: "Records by status: of those to be sent, those with an outcome; of all, once the run has ended",
    labels: ["status"],
    samples: ({ counts, sending }) => {
      const known = counts ?? sending?.counts ?? {};
      return STATUSES.map((status) => ({ value: known[status] ?? 0, labels: { status } }));
    },
  },
  number("migrate_send_records", "Records that the run is to send", ({ sending }) => sending?.total),
  number("migrate_sent_records", "Those of them that have their outcome", ({ sending }) => sending?.done),
  number("migrate_send_rate", "Outcomes a second, over the last minute", ({ sending }) => sending?.perSecond),
  number("migrate_requests_in_flight", "Requests without an answer", ({ sending }) => sending?.inFlight),
  number("migrate_concurrency_limit", "Requests in flight at most", ({ sending }) => sending?.pace.limit),
  number(
    "migrate_rate_limit",
    "Requests a second that the platform was found to let through",
    ({ sending }) => sending?.pace.perSecond,
  ),
  number("migrate_left_seconds", "Until all have their outcomes, at this rate", ({ sending }) =>
    sending?.leftMs === undefined ? undefined : sending.leftMs / 1000,
  ),
  number("migrate_waiting_seconds", "How long nothing has been allowed to leave; 0 otherwise", ({ sending }) =>
    sending === undefined ? undefined : (sending.wait?.forMs ?? 0) / 1000,
  ),
  number(
    "migrate_closed_suppliers",
    "Import suppliers that take no records for now",
    ({ sending }) => sending?.closedSuppliers.length,
  ),
  number("migrate_workers", "Processes that send the run, on all machines", ({ sending }) => sending?.sharing?.workers),
  {
    name: "migrate_ranges",
    type: "gauge",
    help: "Ranges of a run that several processes send, by what became of them",
    labels: ["state"],
    samples: ({ sending }) =>
      Object.entries(sending?.sharing?.ranges ?? {}).map(([state, value]) => ({ value, labels: { state } })),
  },
  {
    name: "migrate_replies_total",
    type: "counter",
    help: "Requests that gave records their outcomes",
    labels: [],
    samples: ({ sending }) => (sending === undefined ? [] : [{ value: sending.replies.count }]),
  },
  {
    name: "migrate_reply_seconds_total",
    type: "counter",
    help: "How long those requests took, together",
    labels: [],
    samples: ({ sending }) => (sending === undefined ? [] : [{ value: sending.replies.totalMs / 1000 }]),
  },
];

/** A process that was interrupted tells nothing any more. */
function canBeTold(state: RunState): boolean {
  return state !== "interrupted";
}

function number(name: string, help: string, valueOf: (progress: CurrentProgress) => number | undefined): RunMetric {
  return {
    name,
    type: "gauge",
    help,
    labels: [],
    samples: (progress) => {
      const value = valueOf(progress);
      return value === undefined ? [] : [{ value }];
    },
  };
}
