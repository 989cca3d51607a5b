import { AFTER_INTERRUPTION } from "../runs/recorded-run.ts";
import type { RecordRange } from "../runs/shared-run.ts";
import { abandonedAt } from "./abandoned.ts";
import { type Tables, type Work } from "./tables.ts";

/**
 * Closes the attempts that a dead process left in flight. It is unknown whether the platform has processed them.
 * Callers must hold the ledger's lock or the lease of the range, so that no live run is affected.
 * @param range default: the whole ledger
 */
export function* closeInterruptedAttempts(
  tables: Tables,
  at: string,
  range?: RecordRange & { readonly run: number },
): Work<void> {
  const within =
    range === undefined ? "" : ` and run = ${range.run} and record between ${range.first} and ${range.last}`;
  for (const { harmless, status, reason } of AFTER_INTERRUPTION) {
    const inFlight = `from migrate.attempts where status = 'sending' and harmless = ${harmless}${within}`;
    const interrupted = `status = 'sending' and (run, record) in (select run, record ${inFlight})`;
    // On PostgreSQL, triggers count every change. On SQLite, changes to and from this status are counted in bulk.
    if (tables.dialect === "sqlite") yield* countAsMoved(tables, interrupted, status);
    yield* tables.run(`update migrate.items set status = $1 where ${interrupted}`, status);
    yield* tables.run(
      `update migrate.records set state = $1 where state = 'sending' and identity in (select identity ${inFlight})`,
      status,
    );
    const settle = (settledAt: string): string => `
      update migrate.attempts set status = $1, settled_at = ${settledAt}, reason = $3
      where status = 'sending' and harmless = ${harmless}${within}`;
    yield* tables.run({ sqlite: settle("$2"), postgres: settle(abandonedAt("$2")) }, status, at, reason);
  }
}

function* countAsMoved(tables: Tables, moved: string, status: string): Work<void> {
  for (const [name, count] of [["sending", "-count(*)"] as const, [status, "count(*)"] as const]) {
    yield* tables.run(
      `insert into counts (run, kind, name, count)
       select run, 'status', $1, ${count} from items where ${moved} group by run
       on conflict (run, kind, name) do update set count = count + excluded.count`,
      name,
    );
  }
}
