import type { AttemptOutcome, Decision } from "../../src/ledger/records/requests.ts";
import type { ExcludedRow, PlannedItem, PlanPolicy } from "../../src/ledger/records/planned-item.ts";
import type { NewRun } from "../../src/ledger/records/run.ts";
import type { Verification } from "../../src/ledger/records/verifications.ts";
import type { JournaledRequest } from "../../src/ledger/journal/recovery.ts";

/** The plan of a run, in batches; each batch is one call. */
export interface ScriptedPlan {
  readonly run: NewRun;
  readonly batches: readonly (readonly PlannedItem[])[];
  readonly excluded: readonly ExcludedRow[];
  readonly policy: PlanPolicy;
  /** If false, the process dies before the plan is complete. */
  readonly isFinished: boolean;
}

/** The reply to a request, without the record that it belongs to. */
export type ScriptedReply = Pick<AttemptOutcome, "status" | "problems" | "http" | "durationMs"> &
  Partial<Pick<AttemptOutcome, "step" | "mayHoldOther" | "partial" | "reason">> & {
    /**
     * `new`: an account that no other record has. `shared`: one of two accounts, possibly known from an earlier
     * request.
     */
    readonly account: "none" | "new" | "shared" | "shared, known before";
  };

/** A step of a process that uses the ledger. */
export type Step =
  | { readonly does: "plan"; readonly plan: ScriptedPlan }
  | {
      readonly does: "send";
      readonly records: number;
      readonly idempotent: boolean;
      /** Whether the requests for ambiguous records only poll. */
      readonly polls: boolean;
      readonly step?: string | undefined;
      /** Replies to earlier requests, saved in the same transaction. */
      readonly replies: readonly ScriptedReply[];
    }
  | { readonly does: "receive"; readonly replies: readonly ScriptedReply[] }
  | { readonly does: "repeat the last intents or outcomes"; readonly what: "intents" | "outcomes" }
  | { readonly does: "resume" | "refresh"; readonly run: number; readonly policy: PlanPolicy }
  | { readonly does: "decide"; readonly decisions: readonly ScriptedDecision[]; readonly policy: PlanPolicy }
  | { readonly does: "recover"; readonly requests: readonly ScriptedRequest[]; readonly isUncertain: boolean }
  | { readonly does: "note"; readonly what: Note }
  | { readonly does: "process work"; readonly what: ProcessStep };

/** A fact that a process stores. */
export type Note =
  | { readonly does: "note a position"; readonly record: number; readonly file: string }
  | { readonly does: "exclude" | "end exclusions"; readonly keys: readonly string[] }
  | { readonly does: "verify"; readonly run: number; readonly results: readonly Verification[] };

/** A step that ends, restarts, adds or replaces a process. */
export type ProcessStep =
  | { readonly does: "finish" }
  | { readonly does: "restart" }
  | { readonly does: "open a second writer" }
  | {
      readonly does: "take over";
      readonly run: number;
      readonly policy: PlanPolicy;
      readonly firstCloses: "at once" | "at the end";
    };

export type ScriptedDecision = Pick<Decision, "decision" | "isNewAccount"> & {
  readonly account: ScriptedReply["account"];
};

/**
 * A request in a journal. Its attempt number is a base plus `later`. The base is the attempt number of the previous
 * request for the same record in this step. For the first request for a record, the base is the first attempt that the
 * ledger does not know.
 */
export interface ScriptedRequest extends Pick<
  JournaledRequest,
  "identity" | "content" | "idempotent" | "isPoll" | "rowMark"
> {
  readonly later: number;
}
