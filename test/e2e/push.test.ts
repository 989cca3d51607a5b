import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import type { CliEnd } from "./cli.ts";
import {
  CONTRACT,
  goodAccounts,
  type OutcomeLine,
  outcomeLines,
  statusCounts,
  useSandbox,
  type Workplace,
  workplace,
  writeExtract,
} from "./push-scene.ts";

const { sandbox, admin } = useSandbox();

describe("valid records", () => {
  test("are accepted once each, with the platform's account numbers", async () => {
    const { push } = workplace({ accounts: goodAccounts(30) }, sandbox);
    const { code, stdout } = await push();
    const lines = outcomeLines(stdout);
    expect(code).toBe(0);
    expect(lines.map(({ record }) => record)).toEqual(lines.map((_, index) => index + 1));
    expect(lines[0]).toMatchObject({
      record: 1,
      key: "EXT-00001",
      source: { file: "accounts.csv", line: 2 },
      status: "accepted",
      http: 201,
      attempts: 1,
    });
    const held = new Map((await admin.accounts()).map(({ key, number }) => [key, number]));
    expect(new Map(lines.map(({ key, account }) => [key, account]))).toEqual(held);
    expect(await admin.imports()).toHaveLength(30);
  });

  test("are not sent again by a second push", async () => {
    const { push } = workplace({ accounts: goodAccounts(20) }, sandbox);
    const first = outcomeLines((await push()).stdout);
    const sent = await admin.history();
    const { code, stdout } = await push();
    expect(code).toBe(0);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ skipped: 20 });
    expect(outcomeLines(stdout).map(({ account }) => account)).toEqual(first.map(({ account }) => account));
    expect(await admin.history()).toEqual(sent);
  });
});

describe("records with errors", () => {
  test("found by validation are not sent", async () => {
    const { push } = workplace(
      { accounts: [{ REF: "GOOD" }, { REF: "BAD", TYPE: "X" }, { REF: "BARE", POSTCODE: "" }] },
      sandbox,
    );
    const { code, stdout } = await push();
    expect(code).toBe(1);
    expect(outcomeLines(stdout).map(({ key, status }) => [key, status])).toEqual([
      ["GOOD", "accepted"],
      ["BAD", "invalid"],
      ["BARE", "invalid"],
    ]);
    expect((await admin.imports()).map(({ key }) => key)).toEqual(["GOOD"]);
  });

  test("found by the platform are reported at the cell, even in joined files", async () => {
    const { push } = workplace(
      {
        accounts: [{ REF: "A" }, { REF: "B" }, { REF: "C", POSTCODE: "DE1 2CU" }],
        customers: [
          { REF: "A" },
          { REF: "B", SEQ: "2", FIRST: "Liam", MOBILE: "0400 000000" },
          { REF: "C" },
          { REF: "B", SEQ: "1" },
        ],
      },
      sandbox,
    );
    const { code, stdout } = await push();
    const [, second, third] = outcomeLines(stdout);
    expect(code).toBe(1);
    expect(second).toMatchObject({ key: "B", status: "rejected", http: 400, attempts: 1 });
    expect(second?.errors).toEqual([
      {
        attr: "customers.1.mobile",
        code: "invalid_phone_number",
        detail: "The phone number is not valid.",
        severity: "error",
        by: "platform",
        source: { file: "customers.csv", line: 3, column: "MOBILE", columnNumber: 5 },
      },
    ]);
    expect(third?.errors?.map(({ attr, code: found, source }) => [attr, found, source?.line, source?.column])).toEqual([
      ["billing_postcode", "invalid_postcode", 4, "POSTCODE"],
      ["supply_addresses.0.supply_postcode", "invalid_postcode", 4, "POSTCODE"],
    ]);
  });

  test("show their values only with --show-values", async () => {
    const extract = {
      accounts: [{ REF: "A" }, { REF: "B", NAME: "Zebediah Quux".repeat(30) }],
      customers: [{ REF: "A", MOBILE: "0400 777888" }, { REF: "B" }],
    };
    const { push, file } = workplace(extract, sandbox);
    const { stdout, stderr } = await push(["--out", "report", "--verbose", "--format", "csv"]);
    const files = ["report/outcomes.ndjson", "report/errors.csv", "report/summary.json"];
    const output = [stdout, stderr, ...files.map((name) => readFileSync(file(name), "utf8"))].join("\n");
    expect(output).toContain("invalid_phone_number");
    expect(output).not.toContain("777888");
    expect(output).not.toContain("Quux");
    const text = await workplace(extract, sandbox).push(["--show-values", "--format", "text"]);
    expect(text.stdout).toContain("0400 777888");
  });

  test("can be corrected in rejects.csv and pushed from there until every record is accepted", async () => {
    const work = workplace(
      {
        accounts: [...goodAccounts(5), { REF: "BAD-POSTCODE", POSTCODE: "DE1 2CU" }, { REF: "BAD-TYPE", TYPE: "X" }],
        customers: [...goodAccounts(5), { REF: "BAD-POSTCODE" }, { REF: "BAD-TYPE" }].map(({ REF }) => ({ REF })),
      },
      sandbox,
    );
    const first = await work.push(["--out", "report"]);
    expect(statusCounts(outcomeLines(first.stdout))).toEqual({ accepted: 5, rejected: 1, invalid: 1 });

    const rejects = work.file("report/rejects.csv");
    const rows: Record<string, string>[] = parse(readFileSync(rejects), { columns: true });
    expect(Object.keys(rows[0] ?? {}).slice(-4)).toEqual([
      "migrate_key",
      "migrate_attr",
      "migrate_code",
      "migrate_detail",
    ]);
    const mended = new Map(rows.map((row) => [row["REF"], { ...row, TYPE: "D", POSTCODE: "DE1 2GU" }]));
    writeFileSync(rejects, stringify([...mended.values()], { header: true }));

    const next = nextCommand(first.stderr);
    expect(next.slice(0, 2)).toEqual(["migrate", "push"]);
    const second = await work.migrate([...next.slice(1), "--format", "ndjson"]);
    expect(statusCounts(outcomeLines(second.stdout))).toEqual({ accepted: 2 });
    expect(second.code).toBe(0);
    expect((await admin.accounts()).map(({ key }) => key).toSorted()).toEqual(
      [...goodAccounts(5).map(({ REF }) => REF), "BAD-POSTCODE", "BAD-TYPE"].toSorted(),
    );
  });
});

describe("records that were previously accepted with other content", () => {
  test("are refused before anything is sent, unless --revise is given", async () => {
    const { push, folder } = workplace({ accounts: [{ REF: "A" }, { REF: "B" }] }, sandbox);
    await push();
    writeExtract(folder, { accounts: [{ REF: "A", NAME: "Another Name" }, { REF: "B" }] });

    const refused = await push();
    expect(refused.code).toBe(1);
    const [changed, same] = outcomeLines(refused.stdout);
    expect(same?.status).toBe("skipped");
    expect(changed).toMatchObject({
      status: "invalid",
      errors: [
        {
          attr: "external_account_number",
          code: "unique",
          by: "local",
          source: { file: "accounts.csv", line: 2, column: "REF", columnNumber: 1 },
        },
      ],
    });
    expect(await admin.imports()).toHaveLength(2);

    const revised = await push(["--revise"]);
    // The platform already has the record, and ignores the change.
    expect(outcomeLines(revised.stdout)[0]).toMatchObject({
      key: "A",
      status: "rejected",
      errors: [{ code: "revision_ignored", by: "platform" }],
    });
    expect((await admin.imports()).map(({ key }) => key).slice(2)).toEqual(["A"]);
  });
});

describe("flags that limit a push:", () => {
  test("--dry-run sends nothing and does not contact the platform", async () => {
    const { push, migrate } = workplace({ accounts: [...goodAccounts(3), { REF: "BAD", TYPE: "X" }] }, sandbox);
    const { code, stdout, stderr } = await push(["--dry-run"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Next {4}migrate push (?!.*--dry-run)/m);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ valid: 3, invalid: 1 });
    expect(await admin.history()).toEqual([]);
    expect((await migrate(["resume"])).code).toBe(2);
    expect(statusCounts(outcomeLines((await push()).stdout))).toEqual({ accepted: 3, invalid: 1 });
  });

  test("--only sends the records with these keys, and keeps their record numbers", async () => {
    const { push } = workplace({ accounts: goodAccounts(10) }, sandbox);
    const { code, stdout } = await push(["--only", "EXT-00004,EXT-00009"]);
    expect(code).toBe(0);
    expect(outcomeLines(stdout).map(({ record, key }) => [record, key])).toEqual([
      [4, "EXT-00004"],
      [9, "EXT-00009"],
    ]);
    expect(await admin.accounts()).toHaveLength(2);
  });

  test("--limit sends only the first records", async () => {
    const { push } = workplace({ accounts: goodAccounts(10) }, sandbox);
    const { stdout } = await push(["--limit", "3"]);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: 3 });
    expect(await admin.accounts()).toHaveLength(3);
  });

  test.each([["1"], ["10%"]])(
    "--max-errors %s prevents the push and its resume from sending anything if more records are invalid",
    async (most) => {
      const bad = [
        { REF: "BAD-1", TYPE: "X" },
        { REF: "BAD-2", TYPE: "X" },
      ];
      const { push, migrate } = workplace({ accounts: [...goodAccounts(8), ...bad] }, sandbox);
      const { code, stdout } = await push(["--max-errors", most]);
      expect(code).toBe(1);
      expect(statusCounts(outcomeLines(stdout))).toEqual({ pending: 8, invalid: 2 });
      expect((await migrate(["resume"])).code).toBe(1);
      expect(await admin.history()).toEqual([]);
      expect((await push(["--max-errors", "2"])).code).toBe(1);
      expect(await admin.accounts()).toHaveLength(8);
    },
  );
});

describe("a key that occurs twice in the input", () => {
  test("is sent once if the contents are the same", async () => {
    const work = workplace({ accounts: [] }, sandbox);
    const { code, stdout } = await pushPayloads(work, ["Amina", "Amina", "Amina"]);
    expect(code).toBe(1);
    expect(outcomeLines(stdout).map(({ status }) => status)).toEqual(["accepted", "duplicate", "duplicate"]);
    expect(codes(outcomeLines(stdout)[1])).toEqual(["duplicate_key"]);
    expect(await admin.imports()).toHaveLength(1);
  });

  test("is not sent if the contents differ", async () => {
    const work = workplace({ accounts: [] }, sandbox);
    const { code, stdout } = await pushPayloads(work, ["Amina", "Liam"]);
    expect(code).toBe(1);
    expect(outcomeLines(stdout).map(({ status }) => status)).toEqual(["invalid", "invalid"]);
    expect(outcomeLines(stdout).map(codes)).toEqual([["duplicate_key"], ["duplicate_key"]]);
    expect(await admin.imports()).toHaveLength(0);
  });

  test("is reported with the cell of its business key in a CSV file", async () => {
    const { push } = workplace(
      {
        accounts: [{ REF: "ONCE" }, { REF: "TWICE" }, { REF: "TWICE", NAME: "Someone Else" }],
        customers: [{ REF: "ONCE" }, { REF: "TWICE" }],
      },
      sandbox,
    );
    const { stdout } = await push();
    const [once, ...both] = outcomeLines(stdout);
    expect(once?.status).toBe("accepted");
    expect(both.map(({ status }) => status)).toEqual(["invalid", "invalid"]);
    const places = both.map(({ errors }) => errors?.find(({ code }) => code === "duplicate_key")?.source);
    expect(places).toMatchObject([
      { file: "accounts.csv", line: 3, column: "REF" },
      { file: "accounts.csv", line: 4, column: "REF" },
    ]);
  });
});

/** Pushes payloads that share one key and differ only in the name. */
function pushPayloads(work: Workplace, names: readonly string[]): Promise<CliEnd> {
  const supplied = { supply_address1: "63 Station Road", supply_postcode: "DE1 2GU" };
  const meterPoint = { identifier: "1210000007919", supply_type: "ELECTRICITY", supply_start_date: "2024-01-01" };
  const payloads = names.map((name) => ({
    external_account_number: "TWICE",
    import_supplier: "SANDBOX",
    account_type: "DOMESTIC",
    billing_name: name,
    billing_address1: "63 Station Road",
    billing_postcode: "DE1 2GU",
    customers: [{ given_name: "Amina", family_name: "Hughes" }],
    supply_addresses: [{ ...supplied, meter_points: [meterPoint] }],
  }));
  writeFileSync(work.file("payloads.ndjson"), payloads.map((payload) => JSON.stringify(payload)).join("\n"));
  const contract = ["--contract", CONTRACT, "--operation", "import-account"];
  return work.migrate(["push", "payloads.ndjson", "--format", "ndjson", ...contract]);
}

function codes(line: OutcomeLine | undefined): readonly string[] {
  return (line?.errors ?? []).map(({ code }) => code);
}

/** Returns the words of the next command that the summary suggests. */
function nextCommand(stderr: string): readonly string[] {
  const [, command = ""] = /^Next {2,}(.+)$/m.exec(stderr) ?? [];
  return command.split(" ");
}
