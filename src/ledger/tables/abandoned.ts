import type { WallClock } from "../../time/clock.ts";
import { quickStatement, SERVER_TIME, type Tables, type Work } from "./tables.ts";

/**
 * SQL for the time at which a request was abandoned, on PostgreSQL: at least the server's time, because the clock of
 * the machine that sent the request may be slow.
 */
export function abandonedAt(at: string): string {
  return `greatest(${at}, ${SERVER_TIME})`;
}

/** Returns the milliseconds since a request was abandoned. On PostgreSQL, the server's clock determines them. */
export function* sinceAbandoned(tables: Tables, at: string | null, clock: WallClock): Work<number | undefined> {
  if (at === null) return undefined;
  const now = tables.dialect === "postgres" ? (yield* tables.row(SELECT_NOW))?.now : undefined;
  return (now === undefined ? clock.now() : Date.parse(now)) - Date.parse(at);
}

const SELECT_NOW = quickStatement<{ now: string }>(`select ${SERVER_TIME} as now`);
