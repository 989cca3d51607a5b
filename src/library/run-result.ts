import type { ExitCode } from "../model/exit-codes.ts";
import type { Failure } from "../model/failure.ts";
import type { Status, Summary } from "../model/outcome.ts";
import type { Place } from "../model/place.ts";
import type { Severity } from "../model/problem.ts";

/** The result of a run. */
export interface RunResult {
  /** The id of the run in its ledger; absent for `validate`, which records no run. */
  readonly run?: string | undefined;
  /** The exit code that the equivalent command would have (`EXIT_CODES`). */
  readonly exitCode: ExitCode;
  /** The number of records per status, and the number of errors and of warnings per code. */
  readonly summary: Summary;
  /** The reasons why the run stopped early or its report is incomplete, main reason first; empty if there are none. */
  readonly failures: readonly Failure[];
  /** The files of the report; absent if no report was requested or the report could not be written. */
  readonly report?: ReportPaths | undefined;
  /** The command to run next, if any. */
  readonly next?: string | undefined;
  /** Yields the outcomes with these statuses (default: all), in input order. May be called repeatedly. */
  readonly outcomes: (statuses?: readonly Status[]) => AsyncGenerator<RecordOutcome>;
  /** Returns all problems, grouped by cause as in the report. Reads only the outcomes with problems. */
  readonly causes: () => Promise<Causes>;
  /** Releases the resources of a validation. A run with a ledger keeps nothing open. */
  readonly close: () => Promise<void>;
}

export interface ReportPaths {
  readonly folder: string;
  readonly outcomes: string;
  readonly errors: string;
  readonly page: string;
  readonly summary: string;
  /** The rows that must be corrected, one file per source of the mapping. */
  readonly rejects: readonly RejectsFile[];
}

export interface RejectsFile {
  /** The child source; absent for the root. */
  readonly source?: string | undefined;
  readonly path: string;
  readonly rows: number;
}

/** Problems grouped by likely cause. */
export interface Causes {
  /** The causes: errors before warnings, most frequent first. */
  readonly causes: readonly Cause[];
  /**
   * Number of problems that are in no group, because their cause first occurred after the limit of 1,000 shapes was
   * reached.
   */
  readonly others: number;
}

export interface Cause {
  readonly code: string;
  /** The attr, with `*` instead of each list index, such as `customers.*.mobile`. */
  readonly attr: string;
  readonly severity: Severity;
  readonly by: "local" | "platform";
  readonly count: number;
  /** A sentence that describes the problem without values. */
  readonly detail: string;
  /** Shapes of the values, most frequent first. */
  readonly shapes: readonly CauseShape[];
}

export interface CauseShape {
  /** The shape of the value, such as `9{5} 9{6}`; absent if there is no value. */
  readonly shape?: string | undefined;
  readonly count: number;
  readonly example: { readonly record: number; readonly source: Place };
}

/** The outcome of one record, as an object with the members of an outcome line (docs/errors.md, "Outcome lines"). */
export interface RecordOutcome {
  /** 1-based number of the record in the whole input. */
  readonly record: number;
  /** The business key, if the record has one. */
  readonly key?: string;
  readonly source: Place;
  readonly status: Status;
  /** Absent if there are no problems. */
  readonly errors?: readonly RecordError[];
  /** HTTP status of the last reply. */
  readonly http?: number;
  readonly attempts?: number;
  /** The account number that the platform assigned. */
  readonly account?: string;
  readonly durationMs?: number;
}

/** One problem of a record. */
export interface RecordError {
  /** The attr, such as `customers.0.mobile`, or `non_field_errors` for a problem that concerns no single field. */
  readonly attr: string;
  /** The code (docs/errors.md). The platform and the rules define further codes. */
  readonly code: string;
  /** A sentence that describes the problem. It may change between versions. */
  readonly detail: string;
  readonly severity: Severity;
  readonly by: "local" | "platform";
  readonly source?: Place;
  /** The invalid value; present only with `showValues`. */
  readonly value?: string;
}
