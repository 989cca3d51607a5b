import type { SharedStatus, WorkerStatus } from "../../../ledger/runs/shared-run.ts";
import { counted, duration, formatCount, rateText } from "../../../text/count.ts";
import { suppliersText } from "../../progress/progress-text.ts";

type Line = readonly [name: string, text: string | undefined];

/** Describes a run whose records several processes send: its ranges, its pace, and the ranges of each worker. */
export function sharedLines(shared: SharedStatus): readonly Line[] {
  const { ranges, workers, state, hold, failure } = shared;
  const working = workers.filter((worker) => worker.state === "working");
  const joining = workers.filter((worker) => worker.state === "joining");
  const { waiting, taken, done } = ranges;
  return [
    ["ranges", `${formatCount(done)} done, ${formatCount(taken)} taken, ${formatCount(waiting)} waiting`],
    ["pace", paceText(shared)],
    ["waiting", hold === undefined ? closedText(shared) : `${duration(hold.forMs)} more: ${hold.reason}`],
    ["stops", failure === undefined ? STATE_TEXTS[state] : failure.message],
    ...working.map((worker, index): Line => [index === 0 ? "workers" : "", workerText(worker, shared.at)]),
    ["joining", joining.map(nameOf).join(", ") || undefined],
    ["ended", endedWorkersText(workers.filter(({ state: one }) => one === "left" || one === "lost"))],
  ];
}

const STATE_TEXTS: Readonly<Record<SharedStatus["state"], string | undefined>> = {
  open: undefined,
  draining: "requests in flight finish, and no new requests start",
  stopped: "the platform accepts no more records",
  ended: undefined,
};

function closedText({ findings }: SharedStatus): string | undefined {
  const closed = (findings?.suppliers ?? []).filter(({ open }) => !open).map(({ supplier }) => supplier);
  return closed.length === 0 ? undefined : `for ${suppliersText(closed)}; one worker keeps checking`;
}

function paceText({ concurrency, rps, workers, findings }: SharedStatus): string {
  const working = workers.filter((worker) => worker.state === "working");
  const perSecond = working.reduce((sum, worker) => sum + worker.perSecond, 0);
  const inFlight = working.reduce((sum, worker) => sum + worker.inFlight, 0);
  const most = rps === undefined ? "" : `, at most ${rps}/s`;
  const now = `${rateText(perSecond)}/s, ${formatCount(inFlight)} in flight`;
  const found = findings?.rate === undefined ? "" : `, platform accepts ${rateText(findings.rate.perSecond)}/s`;
  return `${now}; limit ${formatCount(concurrency)} in flight${most}${found}, for ${counted(working.length, "worker")} in total`;
}

function workerText(worker: WorkerStatus, at: string): string {
  const { perSecond, inFlight, holds, reason, limit } = worker;
  const held = holds.map(({ first, last, since }) => `${first}-${last} for ${duration(elapsed(since, at))}`);
  const pace = limit === undefined ? "" : `, limit ${limit}${reason === undefined ? "" : ` (${reason})`}`;
  const what = held.length === 0 ? "no records" : `records ${held.join(", ")}`;
  return `${nameOf(worker)}: ${rateText(perSecond)}/s, ${formatCount(inFlight)} in flight${pace}; ${what}`;
}

/** Returns the milliseconds between two times on the server's clock. */
function elapsed(since: string, until: string): number {
  return Math.max(0, Date.parse(until) - Date.parse(since));
}

/** Maximum number of workers in the text. A cluster may have hundreds of workers. The JSON output lists all of them. */
const MAX_LISTED_WORKERS = 5;

function endedWorkersText(gone: readonly WorkerStatus[]): string | undefined {
  if (gone.length === 0) return undefined;
  const left = gone.filter(({ state }) => state === "left").length;
  const counts = [
    ...(left === 0 ? [] : [`${formatCount(left)} left`]),
    ...(left === gone.length ? [] : [`${formatCount(gone.length - left)} lost`]),
  ];
  const latest = gone.toSorted((one, other) => other.seenAt.localeCompare(one.seenAt)).slice(0, MAX_LISTED_WORKERS);
  const named = latest.map((worker) => `${nameOf(worker)} ${worker.state}`);
  return `${counts.join(", ")}: ${named.join(", ")}${gone.length > MAX_LISTED_WORKERS ? " and others" : ""}`;
}

function nameOf({ host, pid }: WorkerStatus): string {
  return `${host} (process ${pid})`;
}
