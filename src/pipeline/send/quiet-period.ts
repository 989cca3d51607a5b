import type { Operation } from "../../contract/operations/operation.ts";
import type { Notifier } from "../../job/dependencies.ts";
import type { SendConnection } from "../../job/target-connection.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Sleeper } from "../../time/clock.ts";

interface QuietEnvironment extends Notifier {
  readonly clock: Sleeper;
  readonly drain: AbortSignal;
}

const STILL_PROCESSED = "the platform may still be processing aborted requests";

/**
 * Returns the remaining milliseconds of the quiet period after an abandoned request: at most `quietMs`, even if the
 * clock was set back.
 */
export function quietLeftMs(quietMs: number, msSinceAbandoned: number | undefined): number {
  if (msSinceAbandoned === undefined) return 0;
  return Math.max(0, Math.min(quietMs, quietMs - msSinceAbandoned));
}

const QUIET_SETTING = "the target's timeouts.quietSeconds";

/**
 * Waits until the quiet period after an abandoned request has ended, or until the user stops the program. Such a
 * request may still be in transit, or may be processed later.
 */
export async function waitForQuiet(
  quietMs: number,
  msSinceAbandoned: number | undefined,
  { clock, drain, notice, setting }: QuietEnvironment & { readonly setting: "--quiet-period" | typeof QUIET_SETTING },
): Promise<void> {
  const left = quietLeftMs(quietMs, msSinceAbandoned);
  if (left <= 0) return;
  notice(`Waiting ${Math.ceil(left / 1000)} s, because ${STILL_PROCESSED} (${setting})`);
  await clock.sleep(left, drain);
}

/**
 * Waits while the platform may still process an abandoned request with different content or fields for a record.
 * Otherwise, the platform could process the earlier request after the new one, and keep the earlier values. Does not
 * wait if the only step refuses records that the platform already has, because such a step never replaces content.
 * @param msSince returns the milliseconds since the last such request was abandoned
 */
export async function waitForOtherContent(
  outcomes: Operation["outcomes"],
  msSince: () => Promise<number | undefined>,
  { quietMs, steps }: SendConnection,
  environment: QuietEnvironment,
): Promise<void> {
  if (steps.length < 2 && outcomes.some(({ outcome }) => outcome === "exists")) return;
  await waitForQuiet(quietMs, await msSince(), { ...environment, setting: QUIET_SETTING });
}

/**
 * Returns the milliseconds until "not found" is trusted for an ambiguous record; 0 if the platform is not queried
 * before a record is sent again.
 */
export async function quietBeforeResend(
  { ledger, run }: { readonly ledger: Pick<Ledger, "history" | "summary">; readonly run: { readonly id: string } },
  { quietMs, steps }: SendConnection,
  { notice }: Pick<QuietEnvironment, "notice">,
): Promise<number> {
  if (steps.every(({ status }) => status === undefined)) return 0;
  const left = quietLeftMs(quietMs, (await ledger.history()).msSinceAbandoned);
  if (left > 0 && ((await ledger.summary(run.id)).counts.ambiguous ?? 0) > 0)
    notice(`Ambiguous records are not sent again for the next ${Math.ceil(left / 1000)} s: ${STILL_PROCESSED}`);
  return left;
}
