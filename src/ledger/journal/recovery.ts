import type { RequestFacts } from "../records/requests.ts";

/** A request as recorded in a journal outside the ledger. */
export interface JournaledRequest extends RequestFacts {
  /** Identifies the source row and the destination (`rowMarker`), if the row is known. */
  readonly rowMark?: number | undefined;
}

/** A completed comparison of the ledger with journals. The ledger accounts for every request in these journals. */
export interface Recovery {
  readonly id: string;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** Whether the journals may lack some requests. If so, records that are new to the ledger may have been sent. */
  readonly isUncertain: boolean;
}

export interface LedgerRecovery {
  /**
   * Returns the requests that are missing from the ledger. A request is missing if the ledger has fewer attempts for
   * its record than the request's attempt number.
   */
  readonly unknownRequests: (requests: readonly JournaledRequest[]) => Promise<readonly JournaledRequest[]>;
  /**
   * Adds the missing requests as attempts with an unknown outcome, abandoned at `at`. Their records become `ambiguous`,
   * or keep their state if the request was idempotent or repeated the accepted content. Resolves to the number of added
   * requests.
   */
  readonly markPossiblySent: (requests: readonly JournaledRequest[], at: string) => Promise<number>;
  /**
   * Saves a recovery. After an uncertain recovery, every record that is neither accepted nor in flight becomes
   * `ambiguous`. A record that is new to the ledger also becomes `ambiguous` when it is planned, unless the platform
   * deduplicates by business key.
   */
  readonly noteRecovery: (recovery: Recovery) => Promise<void>;
  readonly isRecoveryKnown: (id: string) => Promise<boolean>;
}

export interface LedgerOrigin {
  /** Notes that a process on this machine is about to send requests. */
  readonly noteMachine: (machine: string) => Promise<void>;
  /**
   * Notes that the ledger at this origin is complete.
   * @param at ISO 8601 UTC
   */
  readonly noteOrigin: (origin: string, at: string) => Promise<void>;
  readonly facts: () => Promise<OriginFacts>;
}

/** Facts about a ledger's database that allow a process to detect a restored copy. */
export interface OriginFacts {
  /**
   * Identifies the server, the database, the tables and the timeline. If the database user may not read the server's
   * control data, identifies only the database and the tables.
   */
  readonly origin: string;
  /**
   * Position in the server's log, which increases as long as the origin stays the same. Always 0 if the database user
   * may not read the server's control data.
   */
  readonly position: number;
  /**
   * When the server started. Restoring the server's files requires a restart. After the restart, the position may be
   * higher than before.
   */
  readonly startedAt?: string | undefined;
  /** Ids of the machines that have sent requests. */
  readonly machines: readonly string[];
  /** The origin that was last noted in the ledger. In a restored copy, this is the origin of the original ledger. */
  readonly noted?: NotedOrigin | undefined;
}

export interface NotedOrigin {
  readonly origin: string;
  /** ISO 8601 UTC. */
  readonly at: string;
}

/** The reason stored with a request that was added from a journal. */
export const UNKNOWN_REQUEST = "known only from a journal: the ledger was restored from an older copy";
