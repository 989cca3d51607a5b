import type { ExitCode } from "../model/exit-codes.ts";
import type { Failure } from "../model/failure.ts";
import type { Status, Summary } from "../model/outcome.ts";
import type { Place } from "../model/place.ts";
import type { Severity } from "../model/problem.ts";

/** How a run ended, as data. */
export interface RunResult {
  /** The run's id in its ledger; absent for `validate`, which keeps none. */
  readonly run?: string | undefined;
  /** What the command would have ended with; `EXIT_CODES` has the meanings. */
  readonly exitCode: ExitCode;
  /** How many records of which status, and how many errors of which code. */
  readonly summary: Summary;
  /** Why it stopped before its end, or its report is not whole; the cause first. Empty otherwise. */
  readonly failures: readonly Failure[];
  /** The files of the report; absent where none was asked for, or it could not be written. */
  readonly report?: ReportPaths | undefined;
  /** The command that goes on from here, where there is one. */
  readonly next?: string | undefined;
  /** Every record, or those with these statuses, in input order; may be asked for again and again. */
  readonly outcomes: (statuses?: readonly Status[]) => AsyncGenerator<RecordOutcome>;
  /** All problems, grouped as in the report: the most frequent first. Reads the outcomes that have problems. */
  readonly causes: () => Promise<Causes>;
  /** Of a validation: gives up the memory of its records. A run with a ledger keeps nothing open. */
  readonly close: () => Promise<void>;
}

export interface ReportPaths {
  readonly folder: string;
  readonly outcomes: string;
  readonly errors: string;
  readonly page: string;
  readonly summary: string;
  /** The rows that need work, a file for each source of the mapping. */
  readonly rejects: readonly RejectsFile[];
}

export interface RejectsFile {
  /** The child source; absent for the root. */
  readonly source?: string | undefined;
  readonly path: string;
  readonly rows: number;
}

/** Problems that are likely to have one reason. */
export interface Causes {
  /** Errors before warnings, the most frequent first. */
  readonly causes: readonly Cause[];
  /** How many problems are in none of them: there are at most a thousand shapes in all. */
  readonly others: number;
}

export interface Cause {
  readonly code: string;
  /** With list indexes as `*`: `customers.*.mobile`. */
  readonly attr: string;
  readonly severity: Severity;
  readonly by: "local" | "platform";
  readonly count: number;
  /** In words, without any value. */
  readonly detail: string;
  /** What the values look like, the most frequent first. */
  readonly shapes: readonly CauseShape[];
}

export interface CauseShape {
  /** `9{5} 9{6}`; absent where there is no value. */
  readonly shape?: string | undefined;
  readonly count: number;
  readonly example: { readonly record: number; readonly source: Place };
}

/** What became of one record: an outcome line (docs/errors.md, "Outcome lines") as an object. */
export interface RecordOutcome {
  /** 1-based over the whole input. */
  readonly record: number;
  /** The business key, where the record has one. */
  readonly key?: string;
  readonly source: Place;
  readonly status: Status;
  /** Absent where there are none. */
  readonly errors?: readonly RecordError[];
  /** HTTP status of the last reply. */
  readonly http?: number;
  readonly attempts?: number;
  /** The account number that the platform gave. */
  readonly account?: string;
  readonly durationMs?: number;
}

/** One thing that is wrong with a record. */
export interface RecordError {
  /** `customers.0.mobile`; `non_field_errors` for what is about no single field. */
  readonly attr: string;
  /** docs/errors.md lists them; the platform and rules have codes of their own. */
  readonly code: string;
  /** In words. They may change from version to version. */
  readonly detail: string;
  readonly severity: Severity;
  readonly by: "local" | "platform";
  readonly source?: Place;
  /** The offending value, with `showValues` alone. */
  readonly value?: string;
}
