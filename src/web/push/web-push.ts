import { push, type PushOptions } from "../../commands/upload/push.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import { hostOf } from "../../job/target-connection.ts";
import { requireTarget } from "../../job/settings/platform-settings.ts";
import { Failure, failureDetails } from "../../model/failure.ts";
import type { Counts } from "../../job/run-progress.ts";
import type { RunReport } from "../../pipeline/run/run-report.ts";
import { counted } from "../../text/count.ts";
import { errorDetails, RefusedRequest } from "../error-reply.ts";
import type { WebProject } from "../web-project.ts";
import type { PushEnd, PushPlan, PushState } from "./push-data.ts";

/** Runs at most one push at a time: a dry run, then the push itself once the user has confirmed it. */
export interface WebPush {
  readonly state: () => PushState;
  /**
   * Starts counting the records that a push would send.
   * @throws RefusedRequest `busy` if a check or a push is in progress
   */
  readonly check: () => void;
  /**
   * Sends the records of a plan.
   * @param typed the code of the supplier, or the host if there is no supplier; required for a production target
   * @throws RefusedRequest `outdated` if the plan is not the current plan, `not_confirmed` if `typed` is wrong
   */
  readonly start: (plan: string, typed: string) => void;
  /** Cancels a check, or stops sending. A push ends once the requests in flight have finished. */
  readonly stop: () => void;
  /**
   * Discards the plan or the result.
   * @throws RefusedRequest `busy` if a check or a push is in progress
   */
  readonly dismiss: () => void;
  /** Resolves when no check or push is in progress. */
  readonly settled: () => Promise<void>;
}

interface PlannedPush {
  readonly plan: PushPlan;
  readonly options: PushOptions;
}

export function createWebPush(project: WebProject): WebPush {
  let state: PushState = { kind: "idle" };
  let planned: PlannedPush | undefined;
  let work = Promise.resolve();
  let stopping = new AbortController();

  const requireIdle = (): void => {
    if (state.kind === "checking" || state.kind === "sending")
      throw new RefusedRequest(409, "busy", "A check or a push is in progress");
  };
  const begin = (next: PushState, task: () => Promise<PushState>): void => {
    requireIdle();
    state = next;
    stopping = new AbortController();
    work = task().then(
      (done) => void (state = done),
      (error: unknown) => void (state = { kind: "failed", error: errorDetails(error, project.logBug) }),
    );
  };
  return {
    state: () => state,
    check: () =>
      begin({ kind: "checking" }, async () => {
        planned = await planPush(project, stopping.signal);
        return { kind: "checked", plan: planned.plan };
      }),
    start: (id, typed) => {
      const current = planned;
      if (state.kind !== "checked" || current?.plan.id !== id)
        throw new RefusedRequest(
          409,
          "outdated",
          "This confirmation is no longer valid",
          "Close it, then check again.",
        );
      const { plan } = current;
      requireConfirmation(plan, typed);
      planned = undefined;
      begin({ kind: "sending", plan, isStopping: false }, async () => ({
        kind: "ended",
        plan,
        end: await sendPlan(project, current, stopping.signal),
      }));
    },
    stop: () => {
      stopping.abort();
      if (state.kind === "sending") state = { ...state, isStopping: true };
    },
    dismiss: () => {
      requireIdle();
      state = { kind: "idle" };
      planned = undefined;
    },
    settled: () => work,
  };
}

/** Uses a dry run to count the records to send. The dry run compares the records with the ledger. */
async function planPush(project: WebProject, stop: AbortSignal): Promise<PlannedPush> {
  return project.withSettings(async (settings) => {
    await project.checkBeforeSending(settings.configFile);
    const target = requireTarget(settings.target, "to push to");
    const options: PushOptions = { ...settings, target, dryRun: false, yes: false, by: project.operator };
    const done = await push({ ...options, dryRun: true, isUnlisted: true }, dependenciesOf(project, stop));
    try {
      const [failure] = done.failures;
      if (failure !== undefined) throw failure;
      return { options, plan: planOf(done, options) };
    } finally {
      await done.close();
    }
  });
}

function planOf({ report }: RunReport, { target, supplier }: PushOptions): PushPlan {
  const { counts } = report.summary;
  return {
    id: report.run?.id ?? "",
    target: hostOf(target),
    isProduction: target.production,
    supplier: supplier.code ?? "",
    operation: report.run?.operation ?? "",
    records: counts.valid ?? 0,
    counts,
  };
}

/**
 * Sends the records of a plan with the settings of its check.
 * @throws Failure `source_changed` if the number of records to send has changed, and the failures of a push
 */
async function sendPlan(project: WebProject, { plan, options }: PlannedPush, stop: AbortSignal): Promise<PushEnd> {
  const confirm = async ({ pending = 0 }: Counts): Promise<void> => {
    if (pending === plan.records) return;
    throw new Failure(
      "source_changed",
      `the push would send ${counted(pending, "record")} now, not the ${counted(plan.records, "record")} that you confirmed`,
      { hint: "nothing was sent; check again" },
    );
  };
  const done = await push({ ...options, yes: true, confirm }, dependenciesOf(project, stop));
  try {
    const { summary, run, folder, next } = done.report;
    return {
      run: run?.id ?? "",
      exitCode: done.exitCode,
      counts: summary.counts,
      failures: done.failures.map(failureDetails),
      ...(next !== undefined && { next }),
      ...(folder !== undefined && { folder }),
    };
  } finally {
    await done.close();
  }
}

function dependenciesOf({ dependencies }: WebProject, stop: AbortSignal): Dependencies {
  return { ...dependencies, canAsk: false, drain: AbortSignal.any([dependencies.drain, stop]) };
}

/** @throws RefusedRequest `not_confirmed` */
function requireConfirmation({ isProduction, supplier, target }: PushPlan, typed: string): void {
  if (!isProduction || typed.trim() === (supplier || target)) return;
  const what = supplier === "" ? "the host" : "the code of the supplier";
  throw new RefusedRequest(422, "not_confirmed", `This is a production target: type ${what} to confirm the push`);
}
