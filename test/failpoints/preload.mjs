/**
 * Faults at chosen points of a process: loaded before the program (`node --import`).
 *
 *   MIGRATE_FAILPOINT=<point>:<n>:<action>   MIGRATE_FAILPOINT_FIRED=<file that is created when the fault happens>
 *   MIGRATE_FAILPOINT_LIST=<file with a line for each point that is reached: thread and point>
 *
 * When the program reaches the point for the nth time, the action happens. `kill` kills the process. `enospc` makes the
 * call fail as on a full disk, `eio` as on a broken disk. Unexpected errors: `throw` (in the call), `uncaught` (outside
 * of any caller) and `unhandled` (in a promise without a handler). Points: `commit` (a transaction of the ledger),
 * `checkpoint` (the log is written to the ledger), `sync` (fsync of the checksum file or report), `checksums` (a write
 * to the checksum file), `report` (a write to a file of the report), `rename`.
 */
import fs from "node:fs";
import promises from "node:fs/promises";
import Module, { syncBuiltinESMExports } from "node:module";
import { threadId } from "node:worker_threads";

const [point, nth, action] = (process.env["MIGRATE_FAILPOINT"] ?? "").split(":");
const fired = process.env["MIGRATE_FAILPOINT_FIRED"];
const list = process.env["MIGRATE_FAILPOINT_LIST"];
const { writeFileSync: realWrite, appendFileSync: realAppend } = fs;
let met = 0;

/** The error codes of both faults in Node.js and, as `errcode`, in SQLite (FULL and IOERR). */
const FAULTS = { enospc: { code: "ENOSPC", errno: -28, errcode: 13 }, eio: { code: "EIO", errno: -5, errcode: 10 } };

/** Throws an error whose message quotes a value of the input, as messages of JavaScript errors can. */
const throwSyntaxError = () => JSON.parse("Amina Hughes, 07700 900730");
const BUGS = {
  throw: throwSyntaxError,
  uncaught: () => void setImmediate(throwSyntaxError),
  unhandled: () => void Promise.resolve().then(throwSyntaxError),
};

let isListing = false;

/** Adds a line to the list. Does not list its own writes. */
function listPoint(name) {
  isListing = true;
  realAppend(list, `${threadId} ${name}\n`);
  isListing = false;
}

function reach(name) {
  if (list !== undefined && !isListing) listPoint(name);
  if (name !== point) return;
  met += 1;
  if (met !== Number(nth)) return;
  if (fired !== undefined) realWrite(fired, point);
  if (action === "kill") process.kill(process.pid, "SIGKILL");
  if (action in BUGS) BUGS[action]();
  else throw faultOf(name);
}

function faultOf(name) {
  const { code, errno, errcode } = FAULTS[action];
  const isSqlite = name === "commit" || name === "checkpoint";
  return Object.assign(new Error(`${code}: made to fail`), isSqlite ? { errcode } : { code, errno });
}

/**
 * Adds the point before every matching call of a method. Redefines the property, because SQLite's methods cannot be
 * assigned.
 */
function before(owner, method, pointOf) {
  const real = owner[method];
  const value = function reached(...args) {
    const name = pointOf(...args);
    if (name !== undefined) reach(name);
    return real.apply(this, args);
  };
  Object.defineProperty(owner, method, { value, writable: true, configurable: true, enumerable: true });
}

before(fs, "fsyncSync", () => "sync");
before(fs, "writeSync", () => "checksums");
before(fs, "renameSync", () => "rename");
before(promises, "rename", () => "rename");

const realOpen = promises.open;
promises.open = async function opened(file, flags, mode) {
  const handle = await realOpen(file, flags, mode);
  const isWritten = typeof flags === "number" ? (flags & fs.constants.O_WRONLY) !== 0 : flags?.startsWith("w") === true;
  if (isWritten) {
    for (const method of ["write", "writeFile", "appendFile"]) before(handle, method, () => "report");
    before(handle, "sync", () => "sync");
  }
  return handle;
};
syncBuiltinESMExports();

// SQLite is either built into Node.js or a bundled package. In both cases, commits and checkpoints pass a failpoint.
const LOAD = "_load";
const realLoad = Module[LOAD];
Module[LOAD] = function loaded(request, ...rest) {
  const found = realLoad.call(this, request, ...rest);
  if (!/^node:sqlite$|[/]sqlite(?:[/]lib[/]index\.cjs)?$/.test(request)) return found;
  return { ...found, DatabaseSync: withFaults(found.DatabaseSync) };
};

function withFaults(RealDatabase) {
  return class DatabaseSync extends RealDatabase {
    exec(sql) {
      if (sql === "commit") reach("commit");
      return super.exec(sql);
    }

    prepare(sql) {
      const statement = super.prepare(sql);
      if (sql.includes("wal_checkpoint")) before(statement, "get", () => "checkpoint");
      return statement;
    }
  };
}
