import { chownSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  PRIVATE_POSTGRES_IS_HERE,
  SKIPPED_WITHOUT_POSTGRES,
  startPrivatePostgres,
  unprivilegedUser,
} from "../ledger/postgres/cluster.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { noSmallDisk, smallDisk } from "./small-disk.ts";
import { type CliOptions, type TestSandbox, startTestSandbox } from "./cli.ts";
import type { Examination } from "./doctor-scene.ts";
import { adminOf, CONTRACT, goodAccounts, type Workplace, workplace } from "./push-scene.ts";

const NAME = "refusals";
const PASSWORD = "not-the-s3cret";

describe.skipIf(!PRIVATE_POSTGRES_IS_HERE)(`an unusable ledger in PostgreSQL ${SKIPPED_WITHOUT_POSTGRES}`, () => {
  let server: Awaited<ReturnType<typeof startPrivatePostgres>>;
  let sandbox: TestSandbox;
  let work: Workplace;
  let ledger: string;
  beforeAll(async () => {
    server = await startPrivatePostgres();
    sandbox = await startTestSandbox();
    await server.query(
      "create role limited login connection limit 1; create role reader login; create role stranger login; create role old login",
    );
    await server.query("alter role reader set default_transaction_read_only = on");
  });
  afterAll(async () => {
    await sandbox.stop();
    await server.stop();
  });
  beforeEach(async () => {
    await adminOf(sandbox).reset();
    ledger = await server.createDatabase(NAME);
    // Each test recreates the database. With the state folder of an earlier test, a push would refuse the new
    // database.
    process.env["XDG_STATE_HOME"] = temporaryFolder();
    work = workplace({ accounts: goodAccounts(3) }, sandbox);
  });

  const as = (user: string): string => ledger.replace("tester", user);
  /**
   * Returns the exit code and the message as one line. Checks that nothing was sent and that the password appears
   * nowhere.
   */
  const refused = async (args: readonly string[], options: CliOptions = {}): Promise<string> => {
    const env = { PGPASSWORD: PASSWORD, ...options.env };
    const { code, stdout, stderr } = await work.migrate(args, { ...options, env });
    expect(await adminOf(sandbox).imports()).toEqual([]);
    expect([stdout, stderr, ...written(work.folder)].filter((text) => text.includes(PASSWORD))).toEqual([]);
    expect(stderr).not.toMatch(/^\s+at /m);
    return `${code} ${stderr.trim().replaceAll(/\s+/g, " ")}`;
  };
  const pushTo = (url: string, flags: readonly string[] = [], options: CliOptions = {}): Promise<string> =>
    refused([...PUSH, "--ledger", url, ...flags], options);

  /** Returns the exit code and the text of the doctor's check of the ledger. */
  const diagnosis = async (user: string): Promise<string> => {
    const { stdout } = await work.migrate(["doctor", "--offline", "--format", "json", "--ledger", as(user)]);
    const found: Pick<Examination, "checks"> = JSON.parse(stdout);
    const { exitCode, text } = found.checks.find(({ name }) => name === "ledger") ?? {};
    return `${exitCode} ${text}`;
  };

  test.each([[], ["--workers", "2"]])(
    "is refused with a message that names the wrong password, user, database or host, with the flags %j",
    async (...flags) => {
      expect(await pushTo(as("guarded"), flags)).toMatch(
        /^2 migrate: the ledger postgres:\S+ the password for guarded is wrong/,
      );
      expect(await pushTo(as("nobody-here"), flags)).toMatch(
        /^2 migrate: the ledger \S+ the server rejects nobody-here/,
      );
      expect(await pushTo(`${ledger}-not`, flags)).toMatch(
        /^2 migrate: the ledger \S+ the server has no database refusals-not/,
      );
      expect(await pushTo("postgres://tester@127.0.0.1:1/x", flags)).toMatch(
        /^6 migrate: the ledger \S+ cannot be reached: .*ECONNREFUSED/,
      );
      expect(await pushTo("postgres://tester@no.such.host.invalid/x", flags)).toMatch(
        /^6 migrate: the ledger \S+ cannot be reached: .*no\.such\.host\.invalid/,
      );
    },
  );

  test("is refused without permission to create or read the schema, or to assign work", async () => {
    expect(await pushTo(as("stranger"))).toMatch(
      /^2 migrate: the ledger \S+ denies a permission: permission denied for database.*docs\/cluster\.md/,
    );
    expect(await diagnosis("stranger")).toMatch(/^2 the ledger \S+ denies a permission: no CREATE privilege/);
    expect((await work.push(["--ledger", ledger, "--dry-run"])).code).toBe(0);
    expect(await pushTo(as("stranger"))).toMatch(
      /^2 migrate: the ledger \S+ denies a permission: permission denied for schema migrate/,
    );
    expect(await refused(["status", "--ledger", as("stranger")])).toMatch(/^2 .*denies a permission/);
    expect(await refused(["worker", "--ledger", as("stranger")])).toMatch(/^2 .*denies a permission/);
    await server.query(READ_AND_WRITE, NAME);
    expect(await pushTo(as("stranger"), ["--workers", "1"])).toMatch(
      /^2 migrate: the ledger \S+ denies a permission: permission denied for database.*migrate_jobs/,
    );
    await server.query("create schema migrate_jobs; grant usage on schema migrate_jobs to stranger", NAME);
    expect(await pushTo(as("stranger"), ["--workers", "1"])).toMatch(
      /^2 migrate: the ledger \S+ denies a permission: permission denied for schema migrate_jobs.*migrate_jobs/,
    );
    expect(
      (await server.query("select from migrate.runs", NAME)).length,
      "the missing permission is detected before a run begins",
    ).toBe(1);
    await server.query("alter schema migrate_jobs owner to stranger", NAME);
    expect((await work.push(["--ledger", as("stranger"), "--workers", "1"])).code).toBe(0);
  });

  test("can be read but not written if transactions are read-only", async () => {
    expect((await work.push(["--ledger", ledger, "--dry-run"])).code).toBe(0);
    await server.query(READ_AND_WRITE.replaceAll("stranger", "reader"), NAME);
    expect(await pushTo(as("reader"))).toMatch(
      /^6 migrate: the ledger \S+ accepts no changes: .*use --ledger with the primary server/,
    );
    expect(await diagnosis("reader")).toMatch(/^6 the ledger \S+ accepts no changes: /);
    const looked = await work.migrate(["status", "--ledger", as("reader")]);
    expect([looked.code, looked.stdout]).toEqual([0, expect.stringContaining("3")]);
  });

  test("is refused on a server that is too old, and nothing is stored there", async () => {
    await server.query(OLD_SERVER, NAME);
    for (const flags of [[], ["--workers", "2"], ["--dry-run"]]) {
      expect(await pushTo(as("old"), flags)).toMatch(
        /^2 migrate: the server of postgres:\S+ is PostgreSQL 12; a ledger needs 13 or newer .*newer server/,
      );
    }
    expect(await server.query("select 1 from pg_namespace where nspname like 'migrate%'", NAME)).toEqual([]);
    expect(await refused(["status", "--ledger", as("old")])).toMatch(/^2 migrate: there is no ledger at/);
  });

  test("is refused on a server without free connections for this user", async () => {
    expect((await work.push(["--ledger", ledger, "--dry-run"])).code).toBe(0);
    await server.query(READ_AND_WRITE.replaceAll("stranger", "limited"), NAME);
    const other = new Client({ connectionString: as("limited") });
    await other.connect();
    try {
      expect(await pushTo(as("limited"))).toMatch(/^6 migrate: the ledger \S+ .*connection/);
    } finally {
      await other.end();
    }
  });

  test("is refused on a server whose disk is full, until space is available", async ({ skip }) => {
    const why = noSmallDisk();
    if (why !== undefined) skip(why);
    const disk = smallDisk(40_000);
    const { uid = 0, gid = 0 } = unprivilegedUser() ?? {};
    mkdirSync(disk.file("space"));
    for (const name of ["", "space"]) chownSync(disk.file(name), uid, gid);
    await server.query(`create tablespace small location '${disk.file("space")}'`);
    await server.query(`alter database ${NAME} set tablespace small`);
    try {
      work = workplace({ accounts: goodAccounts(2_000) }, sandbox);
      expect((await work.push(["--ledger", ledger, "--dry-run", "--limit", "1"])).code).toBe(0);
      disk.fill();
      expect(await pushTo(ledger)).toMatch(
        /^6 .*migrate: the ledger \S+ has no disk space left: .*free some disk space on the server/,
      );
      disk.free();
      expect((await work.push(["--ledger", ledger, "--limit", "20"])).code).toBe(0);
    } finally {
      await server.query(`drop database ${NAME} with (force)`);
      await server.query("drop tablespace small");
    }
  });

  test("is refused if its version is newer, if its address contains a password, or if the run does not exist", async () => {
    expect((await work.push(["--ledger", ledger, "--dry-run"])).code).toBe(0);
    expect(await refused(["status", "20000101", "--ledger", ledger])).toMatch(
      /^2 migrate: the ledger has no run 20000101/,
    );
    expect(await refused(["worker", "--run", "20000101", "--ledger", ledger])).toMatch(
      /^2 migrate: the ledger has no run 20000101/,
    );
    expect(await refused(["worker", "--ledger", ledger])).toMatch(
      /^2 migrate: run \S+ (has ended|does not accept workers)/,
    );
    await server.query("update migrate.ledger set version = version + 1", NAME);
    for (const args of [[...PUSH], ["status"], ["worker"], ["resume"]]) {
      expect(await refused([...args, "--ledger", ledger])).toMatch(
        /^2 migrate: .*written by a newer version of migrate/,
      );
    }
    const open = ledger.replace("tester@", `tester:${PASSWORD}@`);
    for (const args of [[...PUSH], ["status"], ["worker"]]) {
      expect(await refused([...args, "--ledger", open])).toMatch(/^2 migrate: .*password/);
    }
  });
});

const PUSH = ["push", "accounts.csv", "--contract", CONTRACT, "--mapping", "mapping.yaml", "--yes"] as const;

const READ_AND_WRITE = `
  grant usage on schema migrate to stranger;
  grant select, insert, update, delete on all tables in schema migrate to stranger`;

/** SQL that makes the server report version 12 to the `old` user in this database. */
const OLD_SERVER = `
  create schema old;
  create function old.current_setting(name text) returns text language sql return
    case name when 'server_version_num' then '120022' else pg_catalog.current_setting(name) end;
  grant usage on schema old to public;
  alter role old in database ${NAME} set search_path = old, pg_catalog`;

function written(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), "utf8"));
}
