import { createRequire } from "node:module";
import type * as Sqlite from "@photostructure/sqlite";

type DatabaseClass = typeof Sqlite.DatabaseSync;
/** A prepared statement of either module. */
export type Statement = ReturnType<InstanceType<DatabaseClass>["prepare"]>;

const load = createRequire(import.meta.url);

/** SQLite: Node's own module if it is stable, otherwise a package with the same interface and a bundled binary. */
export const DatabaseSync: DatabaseClass = engine();

function engine(): DatabaseClass {
  if (!hasStableSqlite(process.versions.node)) {
    const sqlite: typeof Sqlite = load("@photostructure/sqlite");
    return sqlite.DatabaseSync;
  }
  const own: typeof Sqlite = load("node:sqlite");
  return withIntegers(own.DatabaseSync);
}

/**
 * Whether closing a database releases its file immediately. The package releases it only when its statements are
 * garbage-collected.
 */
export const closesImmediately: boolean = hasStableSqlite(process.versions.node);

/** Whether this version of Node.js loads `node:sqlite` without an experimental warning. */
export function hasStableSqlite(node: string): boolean {
  const [major = 0, minor = 0] = node.split(".").map(Number);
  if (major === 24) return minor >= 15;
  return major === 25 ? minor >= 7 : major > 25;
}

/**
 * Makes Node bind integers as INTEGER, as the package does. Node itself binds every number as a REAL, so that `7 / ?`
 * is 3.5.
 */
function withIntegers(Own: DatabaseClass): DatabaseClass {
  return class extends Own {
    override prepare(...options: Parameters<InstanceType<DatabaseClass>["prepare"]>): Statement {
      return bindingIntegers(super.prepare(...options));
    }
  };
}

function bindingIntegers(statement: Statement): Statement {
  const run = statement.run.bind(statement);
  const get = statement.get.bind(statement);
  const all = statement.all.bind(statement);
  const iterate = statement.iterate.bind(statement);
  return Object.assign(statement, {
    run: (...values: readonly unknown[]) => run(...values.map(asInteger)),
    get: (...values: readonly unknown[]): unknown => get(...values.map(asInteger)),
    all: (...values: readonly unknown[]): readonly unknown[] => all(...values.map(asInteger)),
    iterate: (...values: readonly unknown[]) => iterate(...values.map(asInteger)),
  });
}

/** Converts only 32-bit integers, as the package does. */
function asInteger(value: unknown): unknown {
  return typeof value === "number" && Math.trunc(value) === value && Math.abs(value) < 2 ** 31 ? BigInt(value) : value;
}
