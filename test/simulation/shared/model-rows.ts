import type { NotedOrigin, Recovery } from "../../../src/ledger/journal/recovery.ts";
import type { PlannedItem } from "../../../src/ledger/records/planned-item.ts";
import type { SendableItem } from "../../../src/ledger/records/requests.ts";
import type { Status } from "../../../src/model/outcome.ts";
import type { Problem } from "../../../src/model/problem.ts";

/** The state of a record over all runs. */
interface KnownRecord {
  state: string;
  attempts: number;
  content: string;
  /** Whether the platform may have content other than `content`. */
  mayHoldOther?: boolean;
  acceptedContent?: string;
  account?: string | undefined;
  step?: string | undefined;
}

export interface ModelItem extends Pick<PlannedItem, "record" | "key" | "file" | "line"> {
  readonly identity: string;
  readonly marks: Pick<SendableItem, "identity" | "content">;
  status: Status | "sending";
  attempt?: number;
  account?: string | undefined;
  /** The problems of the last outcome. */
  problems?: readonly Problem[];
}

export interface ModelAttempt {
  readonly run: string;
  readonly record: number;
  readonly attempt: number;
  readonly identity: string;
  harmless: boolean;
  status: string;
  settledAt?: string;
}

/** All tables that are copied with the database. */
export interface ModelRows {
  readonly records: Map<string, KnownRecord>;
  readonly runs: Map<string, readonly ModelItem[]>;
  readonly attempts: Map<string, ModelAttempt>;
  readonly recoveries: Map<string, Recovery>;
  readonly machines: Set<string>;
  /** At most one entry. */
  readonly origins: Map<"noted", NotedOrigin>;
}

/** Returns the later of the time that a process noted and the time of the server. */
export function lastOf(at: string, now: number): string {
  return new Date(Math.max(Date.parse(at), now)).toISOString();
}

export function noRows(): ModelRows {
  return {
    records: new Map(),
    runs: new Map(),
    attempts: new Map(),
    recoveries: new Map(),
    machines: new Set(),
    origins: new Map(),
  };
}

export function attemptKey({ run, record, attempt }: Pick<ModelAttempt, "run" | "record" | "attempt">): string {
  return `${run}/${record}/${attempt}`;
}
