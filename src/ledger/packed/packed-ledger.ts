import { timestamp } from "../../time/clock.ts";
import { systemClock } from "../../time/system-clock.ts";
import type { PlanLedger } from "./plan-ledger.ts";
import type { NewRun, Run } from "../records/run.ts";
import { newRunId } from "../runs/run-id.ts";
import { outcomesInColumns, outcomesOf } from "./packed-outcomes.ts";
import { addItems, newPackedPlan, type PackedPlan, summaryOf } from "./packed-plan.ts";
import { createPieceStore } from "./spool/piece-store.ts";
import { excludeRows, settleKeys } from "./settle-plan.ts";

/** A run of a command that never sends. A dry run of a push is not such a run. */
export type UnsentRun = NewRun & { readonly command: Exclude<NewRun["command"], "push"> };

/** A ledger for runs that send nothing and cannot be resumed. */
export interface PackedLedger extends PlanLedger {
  readonly startRun: (run: UnsentRun) => Promise<Run>;
}

/** Limits on data in memory. When a limit is exceeded, the ledger uses its file. */
interface MemoryLimits {
  readonly bytes: number;
  /** Maximum number of items sorted in memory. */
  readonly sortedItems: number;
}

const LIMITS: MemoryLimits = { bytes: 16 * 1024 * 1024, sortedItems: 30_000 };

/**
 * Opens a ledger that lasts as long as the process. The ledger stores items as columns: in memory up to the limit, then
 * in a private, unnamed file in `folder`. Other runs cannot see its records.
 */
export function openPackedLedger(folder: string, limits: MemoryLimits = LIMITS): PackedLedger {
  const pieces = createPieceStore(folder, limits.bytes);
  const runs = new Map<string, OpenRun>();

  function runOf(id: string): OpenRun {
    const found = runs.get(id);
    if (found === undefined) throw new Error(`There is no run ${id}.`);
    return found;
  }

  function requirePlanning(id: string): OpenRun {
    const found = runOf(id);
    if (found.run.state !== "planning") throw new Error("The run's plan is already finished.");
    return found;
  }

  return {
    async startRun(newRun) {
      const id = newRunId(newRun.startedAt);
      const run: Run = { ...newRun, id, state: "planning" };
      runs.set(id, { run, plan: newPackedPlan(pieces, limits.sortedItems) });
      return run;
    },
    findRun: async (id) => runs.get(id)?.run,
    plan: async (id, items) => addItems(requirePlanning(id).plan, items),
    exclude: async (id, excluded) => excludeRows(requirePlanning(id).plan, excluded),
    async finishPlan(id, policy) {
      const found = requirePlanning(id);
      await excludeRows(found.plan, policy.excluded ?? []);
      await settleKeys(found.plan, policy);
      found.run = { ...found.run, state: "sending" };
    },
    async finishRun(id, exitCode) {
      const found = runOf(id);
      const state = found.run.state === "planning" ? "planning" : "finished";
      found.run = { ...found.run, state, exitCode, finishedAt: timestamp(systemClock) };
    },
    summary: async (id) => summaryOf(runOf(id).plan),
    outcomes: (id, { statuses } = {}) => outcomesOf(runOf(id).plan, statuses),
    outcomesInColumns: (id) => outcomesInColumns(runOf(id).plan),
    async close() {
      runs.clear();
      pieces.close();
    },
  };
}

interface OpenRun {
  run: Run;
  readonly plan: PackedPlan;
}
