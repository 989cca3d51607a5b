import { parentPort, workerData } from "node:worker_threads";
import { Failure, type FailureCode } from "../../../model/failure.ts";
import type { ExcludedRow, PlanPolicy } from "../../ledger.ts";
import type { PackedItems } from "../../packed/item-columns.ts";
import { unpackItems } from "../../packed/packed-items.ts";
import { createPlanner } from "./planner.ts";
import { countChanges } from "../tables/counts.ts";
import { requireRun } from "../tables/run-log.ts";
import { openTemporary } from "../sqlite-database.ts";

/** What the worker of `plannedInWorker` is asked; each request gets one `PlanReply`, in order. */
export type PlanRequest =
  | { readonly kind: "open" }
  | { readonly kind: "restartPlan"; readonly run: string }
  | { readonly kind: "plan"; readonly run: string; readonly items: PackedItems }
  | { readonly kind: "exclude"; readonly run: string; readonly excluded: readonly ExcludedRow[] }
  | { readonly kind: "finishPlan"; readonly run: string; readonly policy: PlanPolicy };

export interface PlanReply {
  readonly failure?: { readonly code: FailureCode; readonly message: string; readonly hint?: string };
}

const database = openTemporary(String(workerData));
countChanges(database);
const planner = createPlanner(database);

parentPort?.on("message", (request: PlanRequest) => {
  parentPort?.postMessage(replyTo(request), []);
});

function replyTo(request: PlanRequest): PlanReply {
  try {
    answer(request);
    return {};
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { code, message, hint } = error;
    return { failure: { code, message, ...(hint !== undefined && { hint }) } };
  }
}

function answer(request: PlanRequest): void {
  if (request.kind === "open") return;
  const run = requireRun(database, request.run);
  if (request.kind === "plan") planner.plan(run, unpackItems(request.items));
  else if (request.kind === "restartPlan") planner.restartPlan(run);
  else if (request.kind === "exclude") planner.exclude(run, request.excluded);
  else planner.finishPlan(run, request.policy);
}
