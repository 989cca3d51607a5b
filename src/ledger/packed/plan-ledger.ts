import type { Outcome, ValidOutcomes } from "../../model/outcome.ts";
import type { Ledger } from "../ledger.ts";
import type { Run, StatusFilter } from "../records/run.ts";

/** The part of a ledger that a run needs if it sends nothing. */
export interface PlanLedger
  extends
    Pick<Ledger, "plan" | "exclude" | "finishPlan" | "finishRun" | "summary" | "close">,
    Partial<Pick<Ledger, "attempts" | "earlierWithoutKey" | "exclusions" | "runs" | "timeline" | "undecidedByKey">> {
  findRun(id: string): Promise<Run | undefined>;
  outcomes(run: string, filter?: StatusFilter): AsyncIterable<readonly Outcome[]>;
  /**
   * Yields all outcomes, with valid records grouped in columns. Absent if the ledger does not store records in columns.
   */
  outcomesInColumns?(run: string): AsyncIterable<readonly (Outcome | ValidOutcomes)[]>;
}
