import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, test } from "vitest";

import { ACCOUNTS, CUSTOMERS, MAPPING, onlyRun, proofIn, rowsIn, rowsOf, useProofFolders } from "./proof-scene.ts";

const { admin, proofFolder } = useProofFolders();

describe("proof", () => {
  test("accounts for every row, every record and every sum of a push, without rounding", async () => {
    const work = proofFolder();
    expect((await work.push()).code).toBe(1);
    const before = (await admin.history()).length;
    const { code, stdout } = await work.migrate("proof", "--out", "proof");
    expect(code).toBe(0);
    expect(stdout).toContain("Everything is accounted for.");
    expect((await admin.history()).length).toBe(before);

    const run = onlyRun(proofIn(work));
    expect(run.sources).toEqual([
      {
        source: "accounts",
        file: "accounts.csv",
        ...fingerprint(ACCOUNTS),
        ...rowsIn(6, { inRecords: 5, duplicates: 1 }),
        blankLines: 1,
      },
      {
        source: "customers",
        file: "customers.csv",
        ...fingerprint(CUSTOMERS),
        ...rowsIn(7, { inRecords: 6, orphans: 1 }),
        blankLines: 0,
      },
    ]);
    expect(run.setup.map(({ file }) => path.basename(file))).toEqual(["contract.yaml", "mapping.yaml"]);
    expect(run.records).toEqual({
      total: 7,
      byStatus: { accepted: 3, duplicate: 1, invalid: 2, rejected: 1 },
      leftOut: 0,
    });
    expect(run.payloads).toEqual({ same: 6, different: 0 });
    expect(run.measures).toEqual([
      {
        name: "owed",
        attr: "balance",
        by: "account_type",
        unreadable: 0,
        sums: [
          { by: "BUSINESS", source: "-7.25", payloads: "-7.25", sent: "-7.25", accepted: "0" },
          { by: "DOMESTIC", source: "213.505", payloads: "213.505", sent: "112.50", accepted: "112.50" },
        ],
      },
    ]);
  });

  test("lists each difference with its key, and each row with its key and its use", async () => {
    const work = proofFolder();
    await work.push();
    await work.migrate("proof", "--out", "proof");
    expect(
      rowsOf(work, "differences").map(({ kind, key, status, source, sent, accepted }) => [
        kind,
        key,
        status,
        source,
        sent,
        accepted,
      ]),
    ).toEqual([
      ["amount", "0002", "invalid", "1.005", "", ""],
      ["amount", "0003", "rejected", "-7.25", "-7.25", ""],
      ["amount", "0004", "duplicate", "100", "", ""],
    ]);
    expect(
      rowsOf(work, "rows")
        .filter(({ file }) => file === "customers.csv")
        .map(({ line, key, as }) => [line, key, as]),
    ).toEqual([
      ["2", "0001", "record"],
      ["3", "0001", "record"],
      ["4", "0002", "record"],
      ["5", "0003", "record"],
      ["6", "0004", "record"],
      ["6", "0004", "duplicate"],
      ["7", "0005", "record"],
      ["8", "", "orphan"],
    ]);
    const { files } = proofIn(work);
    for (const [name, sha256] of Object.entries(files)) {
      expect(fingerprint(readFileSync(work.file("proof", name), "utf8")).sha256).toBe(sha256);
    }
    for (const name of readdirSync(work.file("proof")))
      expect(statSync(work.file("proof", name)).mode & 0o777).toBe(0o600);
  });

  test("says which rows a push with --only omitted", async () => {
    const work = proofFolder();
    await work.push("--only", "0001");
    expect((await work.migrate("proof", "--out", "proof")).code).toBe(0);
    const run = onlyRun(proofIn(work));
    expect(run.sources.map(({ inRecords, leftOut }) => [inRecords, leftOut])).toEqual([
      [1, 5],
      [2, 4],
    ]);
    expect(run.records).toMatchObject({ total: 1, leftOut: 5 });
  });

  test("does not account for the rows of a record that is missing from the ledger", async () => {
    const work = proofFolder();
    await work.push();
    const ledger = new DatabaseSync(work.file(".migrate", "ledger.db"));
    ledger.exec("delete from items where record = 1");
    ledger.close();
    rmSync(work.file(".migrate", "ledger.db-checksums"));
    const { code, stdout } = await work.migrate("proof", "--out", "proof");
    expect(code).toBe(1);
    expect(stdout).toContain("Some rows or records are not accounted for.");
    expect(onlyRun(proofIn(work)).sources.map(({ leftOut, unaccounted }) => [leftOut, unaccounted])).toEqual([
      [0, 1],
      [0, 2],
    ]);
  });

  test("says which rows the mapping did not select", async () => {
    const work = proofFolder();
    writeFileSync(work.file("mapping.yaml"), MAPPING.replace("on: REF }", "on: REF, distinct: true }"));
    writeFileSync(work.file("customers.csv"), `${CUSTOMERS}0001;Ann;07700 900001\n`);
    await work.push();
    expect((await work.migrate("proof", "--out", "proof")).code).toBe(0);
    expect(onlyRun(proofIn(work)).sources[1]).toMatchObject({ rows: 8, inRecords: 6, orphans: 1, notPicked: 1 });
    expect(rowsOf(work, "rows").at(-1)).toMatchObject({ file: "customers.csv", line: "9", key: "", as: "not picked" });
  });

  test("reports that the extract has changed since the push, and proves the contents of the ledger", async () => {
    const work = proofFolder();
    await work.push();
    writeFileSync(work.file("customers.csv"), `${CUSTOMERS}0001;Al;07700 900007\n`);
    const { code, stdout } = await work.migrate("proof", "--out", "proof");
    expect(code).toBe(1);
    expect(stdout).toContain("customers.csv has changed");
    expect(onlyRun(proofIn(work))).toMatchObject({ sources: [], records: { total: 7 } });
    expect((await work.migrate("proof", "verify", "proof")).code).toBe(0);
  });

  test("--all covers all runs that sent records, in order, and counts the final outcomes of the keys", async () => {
    const work = proofFolder();
    await work.push();
    await work.push("--dry-run");
    writeFileSync(work.file("fixed.csv"), "REF;TYPE;OWED\n0002;D;1\n");
    writeFileSync(work.file("fixed-customers.csv"), "REF;FIRST;MOBILE\n0002;Bob;07700 900003\n");
    const fixed = await work.push("--source", "accounts=fixed.csv", "--source", "customers=fixed-customers.csv");
    expect(fixed.code).toBe(0);
    expect((await work.migrate("proof", "--all", "--out", "proof")).code).toBe(0);
    const { runs, coverage } = proofIn(work);
    expect(runs.map(({ records }) => records.total)).toEqual([7, 1]);
    expect(coverage).toMatchObject([{ supplier: "SANDBOX", operation: "import-account", records: 5, accepted: 4 }]);
    expect((await work.migrate("proof", "verify", "proof")).code).toBe(0);
  });

  test("says that the latest run is a dry run (the output used to look like the proof of a push)", async () => {
    const work = proofFolder();
    await work.push();
    await work.push("--dry-run");
    const { stdout } = await work.migrate("proof", "--out", "proof");
    expect(stdout).toMatch(/^Run \S+ \(dry run\): 7 records$/m);
  });

  test("--read-back looks up accepted records on the platform, and reports records that are missing there", async () => {
    const work = proofFolder();
    await work.push();
    const { code, stdout } = await work.migrate("proof", "--out", "proof", "--read-back");
    // The contract allows only keys to be compared.
    expect(code).toBe(1);
    expect(stdout).toContain("on the platform: 0 with the values that were sent, 3 found, content not compared");
    expect(onlyRun(proofIn(work)).platform).toMatchObject({ notCompared: 3, different: 0, absent: 0, unknown: 0 });
    await admin.reset();
    expect((await work.migrate("proof", "verify", "proof")).code).toBe(0);
    expect((await work.migrate("proof", "--out", "proof", "--read-back")).code).toBe(1);
    expect(onlyRun(proofIn(work)).platform).toMatchObject({ notCompared: 0, absent: 3 });
    expect(
      rowsOf(work, "differences")
        .filter(({ kind }) => kind === "platform: absent")
        .map(({ key }) => key),
    ).toEqual(["0001", "0004", "0005"]);
    expect((await work.migrate("proof", "verify", "proof")).code).toBe(0);
  });

  test("--all --read-back proves the other runs if the contract of one run has no read-back", async () => {
    const work = proofFolder();
    writeFileSync(work.file("blind.yaml"), BLIND);
    await work.push("--only", "0001");
    await work.push("--contract", "blind.yaml");
    const alone = await work.migrate("proof", "--out", "alone", "--read-back");
    expect([alone.code, alone.stderr]).toEqual([5, expect.stringContaining("x-migrate-read-back")]);
    const { code, stderr } = await work.migrate("proof", "--out", "proof", "--all", "--read-back");
    expect(code).toBe(1);
    expect(stderr.replaceAll(/\s+/g, " ")).toContain('how to read back the records of "import-account", so the proof');
    expect(proofIn(work).runs.map(({ platform }) => platform)).toMatchObject([
      { notCompared: 1, unknown: 0 },
      { notCompared: 0, unknown: 3 },
    ]);
    expect((await work.migrate("proof", "verify", "proof")).code).toBe(0);
  });

  test("is refused without a folder, without a run, and if both a run and --all are given", async () => {
    const work = proofFolder();
    expect(await work.migrate("proof")).toMatchObject({ code: 2, stderr: expect.stringContaining("--out") });
    expect(await work.migrate("proof", "--out", "p")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no ledger"),
    });
    await work.push("--dry-run");
    expect(await work.migrate("proof", "--all", "--out", "p")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no run that sent"),
    });
    expect(await work.migrate("proof", "2026", "--all", "--out", "p")).toMatchObject({ code: 2 });
    expect(await work.migrate("proof", "verify", "p")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no proof"),
    });
  });
});

/** An overlay that removes the read-back. */
const BLIND = `
overlay: 1.0.0
info: { title: A contract that says less, version: "1" }
actions:
  - target: $.paths['/data-import/accounts/'].post['x-migrate-read-back']
    remove: true
`;

function fingerprint(text: string): { readonly bytes: number; readonly sha256: string } {
  return { bytes: Buffer.byteLength(text), sha256: createHash("sha256").update(text).digest("hex") };
}
