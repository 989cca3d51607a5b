/**
 * Faults at chosen moments of a process, from outside: loaded before the program (`node --import`), and no part of it.
 *
 *   MIGRATE_FAILPOINT=<point>:<n>:<action>   MIGRATE_FAILPOINT_FIRED=<file that is made when it strikes>
 *
 * The nth time that the program comes to the point it is killed (`kill`), or the call fails as on a full disk (`enospc`) or
 * a broken one (`eio`); or there is an error that nobody has foreseen: in the call (`throw`), where nobody waits for it
 * (`uncaught`), in a promise that nobody holds (`unhandled`). Points: `commit` (a transaction of the ledger), `checkpoint` (the log goes into the ledger), `sync`
 * (fsync of seal or report), `seal` (a write to the seal), `report` (a write to a file of the report), `rename`.
 */
import fs from "node:fs";
import promises from "node:fs/promises";
import Module, { syncBuiltinESMExports } from "node:module";

const [point, nth, action] = (process.env["MIGRATE_FAILPOINT"] ?? "").split(":");
const fired = process.env["MIGRATE_FAILPOINT_FIRED"];
const realWrite = fs.writeFileSync;
let met = 0;

/** SQLite's codes for the same two faults: FULL and IOERR. */
const FAULTS = { enospc: { code: "ENOSPC", errno: -28, errcode: 13 }, eio: { code: "EIO", errno: -5, errcode: 10 } };

/** As JavaScript has it: what it stumbled over is quoted in the message. */
const stumble = () => JSON.parse("Amina Hughes, 07700 900730");
const BUGS = {
  throw: stumble,
  uncaught: () => void setImmediate(stumble),
  unhandled: () => void Promise.resolve().then(stumble),
};

/** The program has come to a point of this kind. */
function reach(name) {
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

/** Puts the point before every call of a method to which it applies; a method of SQLite cannot be assigned. */
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
before(fs, "writeSync", () => "seal");
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

// SQLite is Node's own, or a package, of which the build makes a file: commits and checkpoints pass by a failpoint.
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
