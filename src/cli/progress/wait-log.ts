import type { RunEvent } from "../../job/run-event.ts";
import type { Logger } from "../process/logger.ts";
import { duration } from "../../text/measures.ts";

type Pause = Extract<RunEvent, { kind: "pause" }>;
type SupplierChange = Extract<RunEvent, { kind: "supplier" }>;

/** Logs the start and the end of a wait, and a reminder at intervals. A wait may consist of many pauses. */
export interface WaitLog {
  readonly pause: (event: Pause) => void;
  readonly supplier: (event: SupplierChange) => void;
  /** Logs the end of a wait that is over. Called regularly. */
  readonly tick: () => void;
}

/** Pauses with at most this gap belong to the same wait. */
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
    const fields = { run: run(), reason, pauses, elapsedSeconds: Math.round((until - since) / 1000) };
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
      const fields = { run: run(), reason, pauses, elapsedSeconds: Math.round((now() - since) / 1000) };
      logger.event(
        "wait_continues",
        fields,
        `Still pausing from time to time, for ${duration(now() - since)} so far: ${reason}`,
      );
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
      const fields = { run: run(), supplier, elapsedSeconds: Math.round(elapsedMs / 1000) };
      return logger.event("supplier_opened", fields, `${who} accepts records again, after ${duration(elapsedMs)}`);
    }
    const next = probeInMs === undefined ? "" : `; checking again in ${duration(probeInMs)}`;
    const text = `${who} accepts no records for now (${code ?? "no code"})${next}`;
    if (known !== undefined && now() - known.loggedAt < REMIND_EVERY_MS) return logger.detail(text);
    closed.set(supplier, { since: known?.since ?? now(), loggedAt: now() });
    const fields = {
      run: run(),
      supplier,
      code,
      nextProbeSeconds: probeInMs && Math.round(probeInMs / 1000),
    };
    logger.event("supplier_closed", fields, text);
  };
}
