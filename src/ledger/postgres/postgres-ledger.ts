import type { WallClock } from "../../time/clock.ts";
import type { Ledger } from "../ledger.ts";
import type { HeldLease } from "../runs/held-lease.ts";
import type { SendingStatus } from "../runs/run-outcome.ts";
import { type Change, type FrequentWrites, type TableAccess, tablesLedger } from "../tables-ledger.ts";
import { finish, waitFor } from "../tables/tables.ts";
import { noteRun } from "./lock/writer-lease.ts";
import { planItems } from "./plan-items.ts";
import type { Fence, PostgresDatabase, TransactionOptions } from "./postgres-database.ts";
import { type PostgresTables, postgresTables } from "./postgres-tables.ts";
import type { Queries } from "./queries.ts";
import { isRecoveryKnown, markPossiblySent, noteRecovery, originOf, unknownRequests } from "./tables/recovery-rows.ts";
import { saveIntents, saveOutcomes } from "./tables/save-attempts.ts";

export interface PostgresLedgerOptions {
  /** Allows this process to write. Without a fence, the caller must ensure that there is no other writer. */
  readonly fence?: Fence | undefined;
  readonly clock?: WallClock;
  /** The lease of the whole ledger. */
  readonly lease?: HeldLease | undefined;
  readonly close: () => Promise<void>;
}

const LONG: TransactionOptions = { isLong: true };

const CHANGES: Readonly<Record<Change, TransactionOptions>> = {
  rows: {},
  tables: LONG,
  position: { isDurable: false },
};

/** Opens the ledger in the schema `migrate` of a database. The tables must exist and have the current format. */
export function postgresLedger(database: PostgresDatabase, options: PostgresLedgerOptions): Ledger {
  const { fence, clock, lease, close } = options;
  return {
    ...tablesLedger(accessTo(database, fence), frequentWrites, { clock, sending: "ambiguous", close }),
    ...(lease !== undefined && { lease }),
    origin: originOf(database),
    recovery: {
      unknownRequests: (requests) => unknownRequests(database, requests),
      isRecoveryKnown: (id) => isRecoveryKnown(database, id),
      markPossiblySent: (requests, at) =>
        database.transaction((transaction) => markPossiblySent(transaction, requests, at), { ...LONG, fence }),
      noteRecovery: (recovery) =>
        database.transaction((transaction) => noteRecovery(transaction, recovery), { ...LONG, fence }),
    },
  };
}

function accessTo(database: PostgresDatabase, fence: Fence | undefined): TableAccess<PostgresTables> {
  return {
    read: (work) => finish(work(postgresTables(database))),
    change: (change, work) =>
      database.transaction((transaction) => finish(work(postgresTables(transaction))), { ...CHANGES[change], fence }),
  };
}

const frequentWrites: FrequentWrites<PostgresTables> = {
  plan: ({ queries }, run, items) => waitFor(planItems(queries, run, items)),
  saveIntents: ({ queries }, run, intents, outcomes) => waitFor(saveIntents(queries, run, intents, outcomes)),
  saveOutcomes: ({ queries }, run, outcomes) => waitFor(saveOutcomes(queries, run, outcomes)),
  // The plan has just been written, so the server has no statistics about it yet.
  endPlan: (tables) => tables.run("analyze migrate.items"),
  noteRun: ({ queries }, id) => waitFor(noteRun(queries, id)),
};

/** Returns a read-only ledger on a snapshot of a database. */
export function ledgerToRead(queries: Queries, sending: SendingStatus, close: () => Promise<void>): Ledger {
  const tables = postgresTables(queries);
  return tablesLedger({ read: (work) => finish(work(tables)), change: refused }, frequentWrites, { sending, close });
}

async function refused(): Promise<never> {
  throw new Error("this ledger was opened read-only");
}
