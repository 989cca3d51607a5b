import type { RunEvent } from "../../job/run-event.ts";
import { type RunProgress, sendTotals } from "../../job/run-progress.ts";
import type { SendComparison } from "../../ledger/records/planned-item.ts";
import { STATUSES } from "../../model/outcome.ts";
import { counted, countsByName, duration, formatCount } from "../../text/count.ts";
import type { Logger } from "../process/logger.ts";
import { paceText, progressLine } from "./progress-text.ts";

/** Logs the start, the plan, changes of pace and the end of a run. Ignores all other events. */
export function logRunEvent(event: RunEvent, progress: RunProgress, logger: Logger): void {
  const run = progress.run?.id;
  if (event.kind === "begun") logBegun(event, logger);
  else if (event.kind === "planned") logPlanned(event, run, logger);
  else if (event.kind === "pace") {
    const { limit, perSecond, reason } = event;
    const fields = { run, limit, rateLimit: perSecond, reason };
    logger.event("pace_changed", fields, `In flight: ${paceText(event) ?? ""}`);
  } else if (event.kind === "ended") {
    const { state, exitCode, counts } = event;
    logger.event("run_ended", { run, state, exitCode, counts, elapsedSeconds: inSeconds(progress.elapsedMs) });
  }
}

function logBegun({ run }: Extract<RunEvent, { kind: "begun" }>, logger: Logger): void {
  const { id, command, target, supplier, operation } = run;
  const what = [
    command === "push" ? `${command} to ${target}` : command,
    ...(supplier === "" ? [] : [`supplier ${supplier}`]),
    operation,
  ];
  logger.event("run_started", { run: id, command, target, supplier, operation }, `Run ${id}: ${what.join(", ")}`);
}

function logPlanned(
  { counts, compared, isDryRun = false }: Extract<RunEvent, { kind: "planned" }>,
  run: string | undefined,
  logger: Logger,
): void {
  const records = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const sent = isDryRun ? "valid" : "pending";
  const toSend = counts[sent] ?? 0;
  const others = countsByName({ ...counts, [sent]: 0 }, STATUSES);
  const text = [`${counted(records, "record")}: ${toSendText(toSend, compared)}`, ...others].join(", ");
  logger.event("run_planned", { run, records, toSend, ...compared, counts }, text);
}

/**
 * Describes the number of records to send as `16 to send (12 new, 4 changed)`, or as `16 to send` for the first push to
 * a destination.
 */
function toSendText(toSend: number, compared: SendComparison | undefined): string {
  const text = `${formatCount(toSend)} to send`;
  if (compared === undefined || toSend === 0) return text;
  return `${text} (${countsByName(compared, ["new", "changed", "unchanged"]).join(", ")})`;
}

export function logProgress(progress: RunProgress, logger: Logger): void {
  const { run, input, sending, elapsedMs } = progress;
  const common = { run: run?.id, elapsedSeconds: inSeconds(elapsedMs) };
  const text = progressLine(progress);
  if (sending === undefined) return logger.event("check_progress", { ...common, ...input }, text);
  const { total, done, counts, perSecond, inFlight, pace, leftMs, wait } = sending;
  const fields = {
    ...common,
    total,
    sent: done,
    counts: sendTotals(counts).counts,
    rate: perSecond,
    inFlight,
    limit: pace.limit,
    rateLimit: pace.perSecond,
    etaSeconds: leftMs === undefined ? undefined : inSeconds(leftMs),
    waitingFor: wait?.reason,
  };
  logger.event("send_progress", fields, text);
}

function inSeconds(ms: number): number {
  return Math.round(ms / 1000);
}

type Pause = Extract<RunEvent, { kind: "pause" }>;
type SupplierChange = Extract<RunEvent, { kind: "supplier" }>;

/** Logs the start and the end of a wait, and a reminder at intervals. One wait may consist of many pauses. */
interface WaitLog {
  readonly pause: (event: Pause) => void;
  readonly supplier: (event: SupplierChange) => void;
  /** Logs the end of the wait if there has been no pause for `QUIET_MS`. Call it regularly. */
  readonly tick: () => void;
}

/** Maximum gap between pauses of the same wait. */
const QUIET_MS = 30_000;
const REMIND_EVERY_MS = 5 * 60_000;

/** @param run returns the id of the run, if there is one */
export function createWaitLog(logger: Logger, now: () => number, run: () => string | undefined): WaitLog {
  const suppliers = createSupplierLog(logger, now, run);
  let wait: { readonly since: number; until: number; reason: string; pauses: number; loggedAt: number } | undefined;

  const begin = ({ forMs, reason }: Pause): void => {
    wait = { since: now(), until: now() + forMs, reason, pauses: 1, loggedAt: now() };
    const forSeconds = Math.ceil(forMs / 1000);
    logger.event("wait_started", { run: run(), reason, forSeconds }, `Waiting ${forSeconds} s: ${reason}`);
  };
  const tick = (): void => {
    if (wait === undefined || now() <= wait.until + QUIET_MS) return;
    const { since, until, reason, pauses } = wait;
    wait = undefined;
    const fields = { run: run(), reason, pauses, elapsedSeconds: inSeconds(until - since) };
    const times = pauses === 1 ? "" : `, ${pauses} pauses in ${duration(until - since)}`;
    logger.event("wait_ended", fields, `No longer waiting (${reason}${times})`);
  };

  return {
    tick,
    supplier: suppliers,
    pause(event) {
      tick();
      if (wait === undefined) return begin(event);
      wait.until = Math.max(wait.until, now() + event.forMs);
      wait.reason = event.reason;
      wait.pauses += 1;
      if (now() - wait.loggedAt < REMIND_EVERY_MS) return;
      wait.loggedAt = now();
      const { reason, pauses, since } = wait;
      const elapsedMs = now() - since;
      const fields = { run: run(), reason, pauses, elapsedSeconds: inSeconds(elapsedMs) };
      const text = `Still pausing from time to time after ${duration(elapsedMs)}: ${reason}`;
      logger.event("wait_continues", fields, text);
    },
  };
}

function createSupplierLog(logger: Logger, now: () => number, run: () => string | undefined): WaitLog["supplier"] {
  const closed = new Map<string, { readonly since: number; loggedAt: number }>();
  return ({ supplier, open, code, probeInMs }) => {
    const who = ["Import supplier", supplier].filter((word) => word !== "").join(" ");
    const known = closed.get(supplier);
    if (open) {
      closed.delete(supplier);
      const elapsedMs = now() - (known?.since ?? now());
      const fields = { run: run(), supplier, elapsedSeconds: inSeconds(elapsedMs) };
      return logger.event("supplier_opened", fields, `${who} accepts records again, after ${duration(elapsedMs)}`);
    }
    const next = probeInMs === undefined ? "" : `; checking again in ${duration(probeInMs)}`;
    const text = `${who} accepts no records for now (${code ?? "no code"})${next}`;
    if (known !== undefined && now() - known.loggedAt < REMIND_EVERY_MS) return logger.detail(text);
    closed.set(supplier, { since: known?.since ?? now(), loggedAt: now() });
    const fields = { run: run(), supplier, code, nextProbeSeconds: probeInMs && inSeconds(probeInMs) };
    logger.event("supplier_closed", fields, text);
  };
}
