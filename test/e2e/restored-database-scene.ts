import { cpSync } from "node:fs";
import path from "node:path";
import { beforeEach, expect } from "vitest";
import { PRIVATE_POSTGRES_IS_HERE } from "../ledger/postgres/cluster.ts";
import { DUMP_IS_HERE, dumpDatabase } from "../ledger/postgres/dump.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import type { CliOptions } from "./cli.ts";
import { type Admin, goodAccounts, useSandbox, writeExtract } from "./push-scene.ts";
import { sharedPush, type SharedPush, useServer } from "./shared-run-scene.ts";

/** Whether this machine has PostgreSQL, `pg_dump` and `psql`. */
export const CAN_RESTORE = PRIVATE_POSTGRES_IS_HERE && DUMP_IS_HERE;
export const ONCE = ["--contract", "no-dedupe.yaml"];
/** The number of records on the first day. */
export const DAY_1 = 10;
/** The number of records on the second day, including the records of the first day. */
export const ALL = 40;

/** Creates the folders of another machine: a folder with the input, and a state folder. */
export function machine(scene: SharedPush): CliOptions & { readonly cwd: string } {
  const cwd = temporaryFolder();
  cpSync(scene.folder, cwd, { recursive: true });
  return { cwd, env: { XDG_STATE_HOME: path.join(cwd, "state") } };
}

/** Provides a private database server, and a platform that does not detect repeats and is reset before each test. */
export function useRestores(): {
  readonly admin: Admin;
  readonly server: ReturnType<typeof useServer>["server"];
  /** Creates a workplace with this many records, and a new database for its ledger. */
  readonly inScene: (records: number) => Promise<SharedPush>;
  /** Dumps the database of the ledger. Returns a function that restores the dump. */
  readonly dumpOf: (scene: SharedPush) => () => Promise<void>;
  /**
   * Pushes on two days. On the second day, a worker on another machine sends the records. Then restores the dump of the
   * first day.
   */
  readonly restored: () => Promise<SharedPush & { readonly other: CliOptions }>;
  /** Returns the number of duplicate accounts on the platform. */
  readonly twice: () => Promise<number>;
} {
  const { server } = useServer("private");
  const { sandbox, admin } = useSandbox(["--forgetful", "--latency", "20"]);
  beforeEach(() => admin.faults({ forgetful: true }));
  const inScene = (records: number): Promise<SharedPush> => sharedPush(records, sandbox, server());
  const dumpOf = ({ ledger }: SharedPush): (() => Promise<void>) => dumpDatabase(server(), path.basename(ledger));
  return {
    admin,
    server,
    inScene,
    dumpOf,
    async restored() {
      const scene = await inScene(DAY_1);
      expect((await scene.push([...ONCE, "--ledger", scene.ledger])).code).toBe(0);
      const restore = dumpOf(scene);
      writeExtract(scene.folder, { accounts: goodAccounts(ALL) });
      const other = machine(scene);
      const push = scene.share(0, ONCE);
      await push.waitForOutput(/no worker on this machine/);
      expect((await scene.migrate(["worker", "--ledger", scene.ledger], other)).code).toBe(0);
      expect((await push.ended).code).toBe(0);
      await restore();
      expect(await admin.accounts()).toHaveLength(ALL);
      return { ...scene, other };
    },
    async twice() {
      const accounts = await admin.accounts();
      return accounts.length - new Set(accounts.map(({ key }) => key)).size;
    },
  };
}
