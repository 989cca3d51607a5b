import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  POSTGRES_IS_HERE,
  type PostgresCluster,
  SKIPPED_WITHOUT_POSTGRES,
  startPostgres,
} from "../ledger/postgres/cluster.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { ACCOUNTS, comparedPlans, planOf, pushedWithErrors, replaceExtract } from "./changes-scene.ts";
import { type CliEnd, type TestSandbox, startTestSandbox } from "./cli.ts";
import { adminOf, CONTRACT, type Extract, goodAccounts, latestRun, type Workplace, workplace } from "./push-scene.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.stop());
beforeEach(() => adminOf(sandbox).reset());

async function pushed(extract: Extract, env: Readonly<Record<string, string>> = {}): Promise<Workplace> {
  const work = workplace(extract, { env: { ...sandbox.env, ...env } });
  expect((await work.push()).code).toBe(0);
  return work;
}

function editMapping(work: Workplace): void {
  const mapping = readFileSync(work.file("mapping.yaml"), "utf8");
  const edited = mapping.replace("billing_name: NAME", "billing_name: { from: NAME, upper: true }");
  writeFileSync(work.file("mapping.yaml"), edited);
}

function changes(work: Workplace, flags: readonly string[] = [], source = "accounts.csv"): Promise<CliEnd> {
  return work.migrate(["changes", source, "--contract", CONTRACT, "--mapping", "mapping.yaml", ...flags]);
}

/** Returns the key, the result and the attrs of each record. */
async function resultsOf(work: Workplace, source?: string): Promise<readonly string[]> {
  const { stdout } = await changes(work, ["--format", "ndjson"], source);
  const lines = stdout.split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const { key, result, attrs }: { key: string; result: string; attrs?: readonly string[] } = JSON.parse(line);
    return [key, result, ...(attrs ?? [])].join(" ");
  });
}

describe("changes", () => {
  test("lists every record as new before the first push, and creates no ledger", async () => {
    const work = workplace({ accounts: ACCOUNTS }, sandbox);
    const { code, stdout } = await changes(work);
    expect([code, stdout]).toEqual([0, expect.stringContaining("4 records compared: 4 new, 0 changed,")]);
    expect((await work.migrate(["status"])).code).toBe(2);
  });

  test("needs no permission for a local platform without TLS, because it connects to nothing", async () => {
    const work = workplace(
      { accounts: ACCOUNTS },
      { env: { MIGRATE_BASE_URL: "http://127.0.0.1:9/v1/", MIGRATE_SUPPLIER: "S" } },
    );
    const { code, stdout } = await changes(work);
    expect([code, stdout]).toEqual([0, expect.stringContaining("4 records compared: 4 new, 0 changed,")]);
  });

  test("lists new, changed, removed and unchanged records, without values", async () => {
    const work = await pushed({ accounts: ACCOUNTS });
    const [first, second, third] = ACCOUNTS;
    if (first === undefined || second === undefined || third === undefined) throw new Error("too few accounts");
    replaceExtract(work, { accounts: [first, { ...second, ADDRESS: "9 New Lane" }, { REF: "EXT-9" }, third] });
    const { code, stdout } = await changes(work);
    expect(code).toBe(0);
    expect(stdout).toContain(
      "4 records compared: 1 new, 1 changed, 0 changed by the mapping or contract alone, 2 same, 1 removed",
    );
    expect(stdout).toContain(
      "The changed attrs of 1 record are unknown. " +
        "Possible reasons: the earlier extract has changed or no longer exists",
    );
    expect(stdout).toMatch(/EXT-00002 +changed +accounts\.csv:3/);
    expect(stdout).toMatch(/EXT-00004 +removed +accounts\.csv:5/);
    expect(stdout).not.toContain("EXT-00001");
    expect(stdout).not.toContain("Lane");
    const csv = await changes(work, ["--format", "csv"]);
    expect(csv.stdout.split("\n").slice(0, 3)).toEqual([
      "key,result,attrs,file,line",
      "EXT-00001,same,,accounts.csv,2",
      "EXT-00002,changed,,accounts.csv,3",
    ]);
  });

  test("names the attrs of a changed record while the earlier extract exists", async () => {
    const work = await pushed({ accounts: ACCOUNTS });
    writeFileSync(
      work.file("february.csv"),
      readFileSync(work.file("accounts.csv"), "utf8").replace("EXT-00003,D,Amina Hughes", "EXT-00003,D,Amina Jones"),
    );
    expect(await resultsOf(work, "february.csv")).toEqual([
      "EXT-00001 same",
      "EXT-00002 same",
      "EXT-00003 changed billing_name",
      "EXT-00004 same",
    ]);
  });

  test("names the attrs of a changed record after a push that refused the change", async () => {
    const work = await pushed({ accounts: ACCOUNTS });
    const text = readFileSync(work.file("accounts.csv"), "utf8");
    writeFileSync(work.file("february.csv"), text.replace("EXT-00003,D,Amina Hughes", "EXT-00003,D,Amina Jones"));
    const push = ["push", "february.csv", "--contract", CONTRACT, "--mapping", "mapping.yaml"];
    expect((await work.migrate(push)).code).toBe(1);
    expect((await resultsOf(work, "february.csv"))[2]).toBe("EXT-00003 changed billing_name");
  });

  test("distinguishes a change in the mapping from a change in the rows, including joined rows", async () => {
    const work = await pushed({ accounts: ACCOUNTS });
    editMapping(work);
    const customers = ACCOUNTS.map(({ REF }) => (REF === "EXT-00002" ? { REF, LAST: "Jones" } : { REF }));
    replaceExtract(work, { accounts: ACCOUNTS, customers });
    expect(await resultsOf(work)).toEqual([
      "EXT-00001 mapping billing_name",
      "EXT-00002 changed",
      "EXT-00003 mapping billing_name",
      "EXT-00004 mapping billing_name",
    ]);
  });

  test("compares with the latest of several extracts", async () => {
    const work = await pushed({ accounts: ACCOUNTS });
    replaceExtract(work, { accounts: [{ REF: "EXT-00001", ADDRESS: "9 New Lane" }, ...goodAccounts(5).slice(4)] });
    await adminOf(sandbox).reset();
    expect((await work.push(["--revise"])).code).toBe(0);
    expect(await resultsOf(work)).toEqual([
      "EXT-00001 same",
      "EXT-00005 same",
      "EXT-00002 removed",
      "EXT-00003 removed",
      "EXT-00004 removed",
    ]);
    editMapping(work);
    expect((await resultsOf(work)).slice(0, 2)).toEqual([
      "EXT-00001 mapping billing_name",
      "EXT-00005 mapping billing_name",
    ]);
  });

  test("exits with 1 for invalid records, and does not look for removed records with --limit", async () => {
    const work = await pushed({ accounts: ACCOUNTS });
    // The customer of the account without a key is an orphan.
    replaceExtract(work, { accounts: [{ REF: "EXT-00001", POSTCODE: "" }, { REF: "" }] });
    const { code, stdout } = await changes(work);
    expect(code).toBe(1);
    expect(stdout).toContain("3 records with errors: see `migrate validate`");
    expect(stdout).toContain("2 records not compared, because the key is missing");
    expect((await changes(work, ["--limit", "1"])).stdout).toContain("not checked for removed records");
  });

  test("compares only the first of several records with the same key", async () => {
    const work = workplace({ accounts: [...ACCOUNTS, { REF: "EXT-00002", ADDRESS: "9 New Lane" }] }, sandbox);
    expect((await work.push()).code).toBe(1);
    const { code, stdout } = await changes(work);
    expect(code).toBe(1);
    expect(stdout).toContain(
      "4 records compared: 0 new, 0 changed, 0 changed by the mapping or contract alone, 4 same",
    );
    expect(stdout).toContain(
      "1 record not compared, because an earlier record has the same key: see `migrate validate`",
    );
    expect(stdout).toMatch(/EXT-00002 +duplicate +accounts\.csv:6/);
  });

  test("compares only with pushes for the same supplier", async () => {
    const work = await pushed({ accounts: ACCOUNTS });
    const { code, stdout } = await changes(work, ["--supplier", "ANOTHER"]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/4 new, .* 0 same, 0 removed/)]);
  });

  test("recognises a change in the mapping even if the records are in another order", async () => {
    const work = await pushed({ accounts: ACCOUNTS });
    editMapping(work);
    replaceExtract(work, { accounts: ACCOUNTS.toReversed() });
    expect(await resultsOf(work)).toEqual([
      "EXT-00004 mapping billing_name",
      "EXT-00003 mapping billing_name",
      "EXT-00002 mapping billing_name",
      "EXT-00001 mapping billing_name",
    ]);
  });

  test("fails if the sources or the mapping are missing, or if the ledger cannot be read", async () => {
    const work = workplace({ accounts: ACCOUNTS }, sandbox);
    expect((await changes(work, [], "absent.csv")).code).toBe(2);
    copyFileSync(work.file("accounts.csv"), work.file("text.db"));
    expect((await changes(work, ["--ledger", "text.db"])).code).not.toBe(0);
    rmSync(work.file("mapping.yaml"));
    expect((await changes(work)).code).toBe(2);
  });
});

describe("the plan of a push", () => {
  test("says how many records are new, changed and unchanged, in a push, a dry run and a resumed run", async () => {
    const { said, expected } = await comparedPlans(sandbox, await pushedWithErrors(sandbox));
    expect(said).toEqual(expected);
  });

  test("counts corrected rejects as changed", async () => {
    const work = await pushedWithErrors(sandbox);
    const folder = `.migrate/runs/${await latestRun(work)}`;
    const file = work.file(folder, "rejects.customers.csv");
    writeFileSync(file, readFileSync(file, "utf8").replace("04000 000000", "07700 900730"));
    const corrected = await work.migrate(["push", "--rejects", folder]);
    expect(planOf(corrected)).toBe("2 records: 1 to send (1 changed), 1 invalid");
  });
});

describe.skipIf(!POSTGRES_IS_HERE)(`with a ledger in PostgreSQL ${SKIPPED_WITHOUT_POSTGRES},`, () => {
  let server: PostgresCluster;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  test("the plan of a push is the same as with a ledger in a file", async () => {
    process.env["XDG_STATE_HOME"] = temporaryFolder();
    const MIGRATE_LEDGER = await server.createDatabase("migrate_test_changes_plan");
    const { said, expected } = await comparedPlans(sandbox, await pushedWithErrors(sandbox, { MIGRATE_LEDGER }));
    expect(said).toEqual(expected);
  });

  test("`changes` lists the same records as with a ledger in a file", async () => {
    process.env["XDG_STATE_HOME"] = temporaryFolder();
    const MIGRATE_LEDGER = await server.createDatabase("migrate_test_changes");
    const work = await pushed({ accounts: ACCOUNTS }, { MIGRATE_LEDGER });
    editMapping(work);
    const customers = ACCOUNTS.map(({ REF }) => (REF === "EXT-00002" ? { REF, LAST: "Jones" } : { REF }));
    replaceExtract(work, {
      accounts: [...ACCOUNTS.slice(1), { REF: "EXT-9" }],
      customers: [...customers, { REF: "EXT-9" }].slice(1),
    });
    expect(await resultsOf(work)).toEqual([
      "EXT-00002 changed",
      "EXT-00003 mapping billing_name",
      "EXT-00004 mapping billing_name",
      "EXT-9 new",
      "EXT-00001 removed",
    ]);
  });
});
