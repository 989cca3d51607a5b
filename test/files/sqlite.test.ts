import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { DatabaseSync, hasStableSqlite } from "../../src/files/sqlite.ts";

describe("the SQLite engine", () => {
  it.each([
    ["20.19.0", false],
    ["22.23.3", false],
    ["24.14.1", false],
    ["24.15.0", true],
    ["25.6.1", false],
    ["25.7.0", true],
    ["26.0.0", true],
  ])("of Node.js %s is considered stable: %s", (version, isTaken) => {
    expect(hasStableSqlite(version)).toBe(isTaken);
  });

  it("is considered stable only if loading it prints nothing", () => {
    const { status, stderr } = spawnSync(process.execPath, ["-e", 'require("node:sqlite")'], { encoding: "utf8" });
    expect(hasStableSqlite(process.versions.node)).toBe(status === 0 && stderr === "");
  });

  it("does not create a database if only an existing database may be opened, and reports SQLite's error code", () => {
    expect(() => new DatabaseSync("file:/nowhere/at/all.db?mode=rw")).toThrow(expect.objectContaining({ errcode: 14 }));
  });

  it("binds whole numbers as integers in every kind of statement", () => {
    const database = new DatabaseSync(":memory:");
    const half = database.prepare("select 7 / ? as half, typeof(?) as type, ? as big");
    const expected = { half: 3, type: "real", big: 2 ** 40 };
    expect(half.get(2, 1.5, 2 ** 40)).toEqual(expected);
    expect(half.all(2, 1.5, 2 ** 40)).toEqual([expected]);
    expect([...half.iterate(2, 1.5, 2 ** 40)]).toEqual([expected]);
    database.exec("create table one (value)");
    database.prepare("insert into one values (?)").run(-3);
    expect(database.prepare("select typeof(value) as type from one").get()).toEqual({ type: "integer" });
    database.close();
  });

  it("refuses changes to its own tables in a defensive database", () => {
    const database = new DatabaseSync(":memory:", { defensive: true });
    database.exec("create table one (id integer); pragma writable_schema = on");
    expect(() => database.exec("delete from sqlite_schema")).toThrow(/may not be modified/);
    database.close();
  });
});
