import type { SendEnvironment } from "../../job/dependencies.ts";
import type { Job } from "../../job/job.ts";
import type { Connection } from "../../job/target-connection.ts";
import type { WallClock } from "../../time/clock.ts";
import type { RunHandle } from "../plan/plan-records.ts";

type QuietEnvironment = Pick<SendEnvironment, "drain" | "notice"> & {
  readonly clock: Pick<SendEnvironment["clock"], "now" | "sleep">;
};

const STILL_PROCESSED = "abandoned requests may still be processed";

/**
 * Returns the remaining milliseconds of the quiet period after an abandoned request: at most `quietMs`, even if the
 * clock jumps.
 */
export function quietLeftMs(quietMs: number, abandonedAt: string | undefined, clock: WallClock): number {
  if (abandonedAt === undefined) return 0;
  return Math.max(0, Math.min(quietMs, Date.parse(abandonedAt) + quietMs - clock.now()));
}

/**
 * Waits until the quiet period after an abandoned request has ended, or until the user stops the program. Such a
 * request may still be in transit, or may be processed later.
 */
export async function waitForQuiet(
  quietMs: number,
  abandonedAt: string | undefined,
  { clock, drain, notice, setting }: QuietEnvironment & { readonly setting: "--quiet-period" | "quietSeconds" },
): Promise<void> {
  const left = quietLeftMs(quietMs, abandonedAt, clock);
  if (left <= 0) return;
  notice(`Waiting ${Math.ceil(left / 1000)} s, because ${STILL_PROCESSED} (${setting})`);
  await clock.sleep(left, drain);
}

/** The parts of a run that show whether outdated requests may still be processed. */
interface RunToSend {
  readonly ledger: Pick<RunHandle["ledger"], "otherContentAbandonedAt">;
  readonly run: Pick<RunHandle["run"], "id">;
  readonly job: { readonly operation: Pick<Job["operation"], "outcomes"> };
}

/**
 * Waits while the platform may still process an abandoned request with different content for a record. Otherwise, the
 * platform could process the earlier request after the new one, and keep the earlier content. Does not wait if the only
 * step refuses records that the platform already has, because such a step never replaces content.
 */
export async function waitForOtherContent(
  { ledger, run, job }: RunToSend,
  { quietMs, steps }: Pick<Connection, "quietMs" | "steps">,
  environment: QuietEnvironment,
): Promise<void> {
  if (steps.length < 2 && job.operation.outcomes.some(({ outcome }) => outcome === "exists")) return;
  await waitForQuiet(quietMs, await ledger.otherContentAbandonedAt(run.id), {
    ...environment,
    setting: "quietSeconds",
  });
}

/**
 * Returns the milliseconds until "not found" is trusted for an ambiguous record; 0 if the platform is not queried
 * before a record is sent again.
 */
export async function quietBeforeResend(
  { ledger }: { readonly ledger: Pick<RunHandle["ledger"], "history"> },
  { quietMs, steps }: Pick<Connection, "quietMs" | "steps">,
  { clock, notice }: Pick<QuietEnvironment, "clock" | "notice">,
): Promise<number> {
  if (steps.every(({ status }) => status === undefined)) return 0;
  const left = quietLeftMs(quietMs, (await ledger.history()).lastAbandonedAt, clock);
  if (left > 0)
    notice(`Ambiguous records are not sent again for the next ${Math.ceil(left / 1000)} s: ${STILL_PROCESSED}`);
  return left;
}
