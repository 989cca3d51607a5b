import type { Outcome, Status, Summary } from "../model/outcome.ts";

/** A finished run as the reporters see it. */
export interface Report {
  readonly summary: Summary;
  /** The outcomes in input order, in batches; may be asked for more than once. Without statuses: all of them. */
  readonly outcomes: (statuses?: readonly Status[]) => AsyncIterable<readonly Outcome[]>;
  /** Show the values of cells beside their shapes (`--show-values`). */
  readonly showValues: boolean;
  readonly colour: boolean;
  /** Columns of the terminal. */
  readonly width: number;
  /** What was run: "validate accounts.csv". */
  readonly title: string;
  /** The exact command to go on with. */
  readonly next?: string;
  /** The folder that the report files lie in. */
  readonly folder?: string;
  /** Rows of records that need work and that its rejects could not take. */
  readonly leftOut?: number;
}

/** Takes a piece of text to where the report goes. */
export type Write = (text: string) => Promise<void> | void;

/** Renders a report to the end; raises what `write` or the outcomes raise. */
export type Reporter = (report: Report, write: Write) => Promise<void>;
