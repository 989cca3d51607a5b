import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { describe, expect, test } from "vitest";
import { outcomeLines, statusCounts, useSandbox, type Workplace } from "./push-scene.ts";
import { CONFIGURATION, threeAccounts } from "./corrections-scene.ts";

const { sandbox, admin } = useSandbox();

async function validated({ migrate }: Workplace): Promise<Readonly<Record<string, number>>> {
  return statusCounts(outcomeLines((await migrate(["validate", "--format", "ndjson"])).stdout));
}

describe("corrections", () => {
  test("are applied by validate, listed without their values, and removed", async () => {
    const work = threeAccounts(sandbox);
    const { migrate, file } = work;
    expect((await migrate(["corrections", "add", "EXT-00002", "TYPE", "B"])).stdout).toBe(
      "1 correction added to fixes.csv\n",
    );
    expect(statSync(file("fixes.csv")).mode & 0o777).toBe(0o600);
    expect(await validated(work)).toEqual({ valid: 2, invalid: 1 });

    writeFileSync(
      file("new.csv"),
      "source,key,line,column,value,reason\n" +
        "customers,EXT-00003,4,DOB,1971-02-28,asked\ncustomers,EXT-00003,5,DOB,1972-02-29,asked\n",
    );
    expect((await migrate(["corrections", "add", "--from", "new.csv"])).stdout).toBe(
      "2 corrections added to fixes.csv\n",
    );
    const all = await migrate(["validate", "--format", "ndjson"]);
    expect(statusCounts(outcomeLines(all.stdout))).toEqual({ valid: 3 });
    expect(all.stderr).toContain("fixes.csv: 3 cells corrected");

    const listed = await migrate(["corrections", "list"]);
    expect(listed.stdout).toContain("customers  EXT-00003  DOB");
    expect(listed.stdout).not.toContain("1971");
    expect((await migrate(["corrections", "list", "--show-values"])).stdout).toContain("1971-02-28");

    expect((await migrate(["corrections", "remove", "EXT-00003"])).stdout).toBe(
      "2 corrections removed from fixes.csv\n",
    );
    expect(await validated(work)).toEqual({ valid: 2, invalid: 1 });
    expect((await migrate(["corrections", "remove", "EXT-00003"])).code).toBe(2);
  });

  test("produce the same payloads as a corrected extract, with one thread and with two", async () => {
    const work = threeAccounts(sandbox);
    await work.migrate(["corrections", "add", "EXT-00002", "TYPE", "B"]);
    await work.migrate(["corrections", "add", "EXT-00001", "LAST", "Ünal", "--in", "customers"]);
    const preview = ["preview", "--limit", "3", "--show-values", "--format", "json"];
    const corrected = (await work.migrate(preview)).stdout;
    const threads = await work.migrate(["validate", "--threads", "2", "--format", "ndjson"]);
    expect(statusCounts(outcomeLines(threads.stdout))).toEqual({ valid: 2, invalid: 1 });

    const edited = readFileSync(work.file("customers.csv"), "utf8").replace("Hughes", "Ünal");
    writeFileSync(work.file("customers.csv"), edited);
    const accounts = readFileSync(work.file("accounts.csv"), "utf8").replace("EXT-00002,X", "EXT-00002,B");
    writeFileSync(work.file("accounts.csv"), accounts);
    const again = await work.migrate(preview);
    expect((await work.migrate(["validate"])).stderr).toContain("fixes.csv: 0 cells corrected, 2 already correct");
    expect(corrected.replaceAll(',"isCorrected":true', "")).toBe(again.stdout);
    expect(corrected.match(/"isCorrected":true/g)).toHaveLength(2);
  });

  test("for a cell that has changed are reported but not applied", async () => {
    const work = threeAccounts(sandbox);
    await work.migrate(["corrections", "add", "EXT-00002", "TYPE", "B"]);
    const accounts = readFileSync(work.file("accounts.csv"), "utf8").replace("EXT-00002,X", "EXT-00002,D");
    writeFileSync(work.file("accounts.csv"), accounts);
    const { stderr } = await work.migrate(["validate"]);
    expect(stderr).toContain("fixes.csv: 0 cells corrected, 1 not applied");
    expect(stderr).toContain(
      "fixes.csv: line 2 is not applied, because column TYPE of EXT-00002 (accounts.csv:3) has changed since the correction was made",
    );
  });

  test("of one of several rows with the same key do not apply to another row of the next extract", async () => {
    const { migrate, file } = threeAccounts(sandbox);
    const customers = readFileSync(file("customers.csv"), "utf8");
    const edited = customers.replace(/(EXT-00003,2,.*)31\/02\/1971/, "$101/02/1971");
    writeFileSync(file("customers.csv"), edited);
    await migrate(["corrections", "add", "EXT-00003", "DOB", "1971-02-28", "--in", "customers", "--line", "4"]);
    await migrate(["corrections", "add", "EXT-00003", "FIRST", "Ann", "--in", "customers", "--line", "4"]);
    expect((await migrate(["validate"])).stderr).toContain("fixes.csv: 2 cells corrected");
    const [next = ""] = edited.match(/EXT-00003,1,.*\n/) ?? [];
    writeFileSync(
      file("customers.csv"),
      edited.replace(next, next.replace("31/02/1971", "1971-02-28")) + next.replace(",1,", ",3,"),
    );
    const { stderr } = await migrate(["validate"]);
    expect(stderr).toContain("fixes.csv: 0 cells corrected, 2 not applied");
    expect(stderr).toContain(
      "line 2 is not applied, because column DOB of EXT-00003 (customers.csv:6), another cell of the row,",
    );
  });

  test("of one of several rows name the columns as a reason if only their order has changed", async () => {
    const { migrate, file } = threeAccounts(sandbox);
    await migrate(["corrections", "add", "EXT-00003", "DOB", "1971-02-28", "--in", "customers", "--line", "4"]);
    const rows: string[][] = parse(readFileSync(file("customers.csv")));
    writeFileSync(file("customers.csv"), stringify(rows.map((row) => row.toReversed())));
    const { stderr } = await migrate(["validate"]);
    expect(stderr).toContain(
      "column DOB of EXT-00003 (customers.csv:4), another cell of the row, or the order of the columns has changed",
    );
  });

  test("are part of a run: later corrections do not affect its proof, report or `explain` output", async () => {
    const work = threeAccounts(sandbox);
    const { migrate, file } = work;
    await migrate(["corrections", "add", "EXT-00002", "TYPE", "B"]);
    const first = await migrate(["push", "--format", "ndjson", "--out", "report"]);
    expect(statusCounts(outcomeLines(first.stdout))).toEqual({ accepted: 2, invalid: 1 });
    await migrate(["corrections", "add", "EXT-00002", "NAME", "Someone Else"]);
    await migrate(["corrections", "remove", "EXT-00002"]);

    const proof = await migrate(["proof", "--out", "proof"]);
    expect([proof.code, proof.stdout]).toEqual([0, expect.stringContaining("1 cell corrected")]);
    expect(proof.stderr).toContain("the corrections file fixes.csv has changed");
    const { runs }: { runs: readonly { run: string }[] } = JSON.parse(
      readFileSync(file("proof", "proof.json"), "utf8"),
    );
    const listed = readFileSync(file("proof", `corrections-${runs[0]?.run}.csv`), "utf8");
    expect(listed).toContain("accounts,EXT-00002,TYPE,accounts.csv,3,applied");
    expect((await migrate(["proof", "verify", "proof"])).code).toBe(0);
    expect((await migrate(["report"])).code).toBe(1);

    const explained = await migrate(["explain", "EXT-00002"]);
    expect(explained.stdout).toContain("from accounts.csv:3, column TYPE (lookup) (corrected)");

    writeFileSync(file("fixes.csv"), readFileSync(file("fixes.csv"), "utf8").replace(",B,", ",D,"));
    const lost = await migrate(["proof", "--out", "proof2"]);
    expect([lost.code, lost.stdout]).toEqual([
      1,
      expect.stringContaining("the corrections file fixes.csv has changed"),
    ]);
  });

  test("that are removed do not make the next push send accepted records again", async () => {
    const work = threeAccounts(sandbox);
    await work.migrate(["corrections", "add", "EXT-00001", "NAME", "Ann Hill"]);
    await work.migrate(["push"]);
    await work.migrate(["corrections", "remove", "EXT-00001"]);
    const { stdout } = await work.migrate(["push", "--format", "ndjson"]);
    expect(outcomeLines(stdout).find(({ key }) => key === "EXT-00001")?.status).not.toBe("accepted");
    expect((await admin.imports()).filter(({ key }) => key === "EXT-00001")).toHaveLength(1);
  });

  test("are not applied again to rejects, which contain the corrected values", async () => {
    const work = threeAccounts(sandbox);
    const { migrate, file } = work;
    await migrate(["corrections", "add", "EXT-00003", "DOB", "1971-02-28", "--in", "customers", "--line", "4"]);
    await migrate(["push", "--out", "report"]);
    const rejects = readFileSync(file("report", "rejects.customers.csv"), "utf8");
    expect(rejects).toContain("1971-02-28");
    writeFileSync(file("report", "rejects.customers.csv"), rejects.replace("31/02/1971", "1972-02-29"));
    const again = await migrate(["push", "--rejects", "report", "--format", "ndjson"]);
    expect(outcomeLines(again.stdout).find(({ key }) => key === "EXT-00003")?.status).toBe("accepted");
    expect(again.stderr).not.toContain("fixes.csv");
  });

  test.each([
    [
      "no corrections file",
      ["add", "EXT-00002", "TYPE", "B", "--config", "other.yaml"],
      "no corrections file is configured",
    ],
    ["no value", ["add", "EXT-00002", "TYPE"], "a correction needs a key, a column and a value"],
    ["an unknown key", ["add", "EXT-9", "TYPE", "B"], 'source "accounts" has no row with the key EXT-9'],
    ["an unknown column", ["add", "EXT-00002", "TYP", "B"], 'did you mean "TYPE"?'],
    ["an unknown source", ["add", "EXT-00002", "TYPE", "B", "--in", "acounts"], 'did you mean "accounts"?'],
    [
      "several matching rows",
      ["add", "EXT-00003", "DOB", "1", "--in", "customers"],
      "customers.csv:4, customers.csv:5",
    ],
    ["the line of another row", ["add", "EXT-00002", "TYPE", "B", "--line", "2"], "rows with this key: accounts.csv:3"],
    ["the value that the cell already has", ["add", "EXT-00002", "TYPE", "X"], "already has this value"],
  ])("are refused with %s", async (_, words, message) => {
    const { migrate, file } = threeAccounts(sandbox);
    writeFileSync(file("other.yaml"), CONFIGURATION.replace("corrections: fixes.csv\n", ""));
    const { code, stderr } = await migrate(["corrections", ...words]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test.each([
    ["a file with an invalid header", "a,b\n", "fixes.csv:1: expected the header key,source,column"],
    ["a file with one cell too many", "{header}a,b,c,d,e,f,g,h,i,j,k\n", "fixes.csv:2: expected 10 cells, found 11"],
    ["a file with an empty key", "{header},accounts,NAME,,,x,,,,set\n", "fixes.csv:2: the cell `key` is empty"],
    [
      "a file without a hash",
      "{header}A,accounts,NAME,abc,,x,,,,set\n",
      "fixes.csv:2: the cell `old_sha256` is not a SHA-256 in hex",
    ],
    ["a missing file", undefined, "fixes.csv: no such file"],
  ])("in %s end the run, and the message names the place of the error", async (_, content, message) => {
    const { migrate, file } = threeAccounts(sandbox);
    const header = "key,source,column,old_sha256,row_sha256,value,by,at,reason,change\n";
    if (content !== undefined) writeFileSync(file("fixes.csv"), content.replace("{header}", header));
    const { code, stderr } = await migrate(["validate"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test("remain valid in the format in which a spreadsheet saves them, and are appended in that format", async () => {
    const work = threeAccounts(sandbox);
    await work.migrate(["corrections", "add", "EXT-00002", "TYPE", "B"]);
    await work.migrate(["corrections", "add", "EXT-00001", "NAME", "Ann\r\n; Hill"]);
    const rows: string[][] = parse(readFileSync(work.file("fixes.csv")));
    const saved = stringify(rows, { delimiter: ";", record_delimiter: "\r\n", bom: true });
    writeFileSync(work.file("fixes.csv"), saved);
    await work.migrate(["corrections", "add", "EXT-00003", "NAME", "Ben, Hill"]);
    expect((await work.migrate(["validate"])).stderr).toContain("fixes.csv: 3 cells corrected");
    expect((await work.migrate(["corrections", "remove", "EXT-00003"])).code).toBe(0);
    const listed = await work.migrate(["corrections", "list", "--show-values", "--format", "json"]);
    const { corrections }: { corrections: readonly { value: string }[] } = JSON.parse(listed.stdout);
    expect(corrections.map(({ value }) => value)).toEqual(["B", "Ann\r\n; Hill"]);
  });

  test("for equal rows apply to all of these rows", async () => {
    const work = threeAccounts(sandbox);
    const customers = readFileSync(work.file("customers.csv"), "utf8").replace("EXT-00003,2,", "EXT-00003,1,");
    writeFileSync(work.file("customers.csv"), customers);
    await work.migrate(["corrections", "add", "EXT-00003", "DOB", "1971-02-28", "--in", "customers", "--line", "4"]);
    expect(await validated(work)).toEqual({ valid: 2, invalid: 1 });
  });

  test("apply only to the record with the same key, including case", async () => {
    const work = threeAccounts(sandbox);
    for (const name of ["accounts.csv", "customers.csv"]) {
      const text = readFileSync(work.file(name), "utf8");
      writeFileSync(work.file(name), text.replaceAll("EXT-00001", " ext 1 ").replaceAll("EXT-00003", " EXT 1 "));
    }
    await work.migrate(["corrections", "add", " EXT 1 ", "NAME", "Ann Hill"]);
    const { stdout } = await work.migrate(["preview", "--limit", "3", "--show-values", "--format", "json"]);
    expect(stdout.split("\n").filter((line) => line.includes("Ann Hill"))).toEqual([
      expect.stringContaining('"line":4'),
    ]);
    expect((await work.migrate(["corrections", "add", "Ext 1", "NAME", "x"])).code).toBe(2);
  });

  test.each([
    ["key", ["", "NAME", "x"]],
    ["column", ["EXT-00001", "", "x"]],
  ])("with an empty %s are refused, and the file stays readable", async (_, words) => {
    const work = threeAccounts(sandbox);
    await work.migrate(["corrections", "add", "EXT-00002", "TYPE", "B"]);
    appendFileSync(work.file("accounts.csv"), ",D,Cat Hughes,1 Road,DE1 2GU,1210000007919\n");
    expect((await work.migrate(["corrections", "add", ...words])).code).toBe(2);
    expect((await work.migrate(["corrections", "list"])).code).toBe(0);
  });

  test("in an incomplete last line are ignored with a notice, and the line is removed by the next change", async () => {
    const work = threeAccounts(sandbox);
    const { migrate, file } = work;
    await migrate(["corrections", "add", "EXT-00002", "TYPE", "B"]);
    await migrate(["corrections", "add", "EXT-00001", "NAME", "Ann Hill", "--reason", "asked the customer"]);
    const text = readFileSync(file("fixes.csv"), "utf8");
    writeFileSync(file("fixes.csv"), text.slice(0, text.indexOf("asked") + 9));
    const notice = "fixes.csv: line 3 is incomplete and is ignored";
    const { code, stderr } = await migrate(["validate"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("fixes.csv: 1 cell corrected")]);
    expect(stderr).toContain(notice);
    expect((await migrate(["corrections", "list"])).stderr).toContain(notice);
    await migrate(["push"]);

    const again = await migrate(["corrections", "add", "EXT-00001", "NAME", "Ann Hill"]);
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining(notice)]);
    const next = await migrate(["validate"]);
    expect(next.stderr).toContain("fixes.csv: 2 cells corrected");
    expect(next.stderr).not.toContain("incomplete");
    const proof = await migrate(["proof", "--out", "proof"]);
    expect([proof.code, proof.stdout]).toEqual([0, expect.stringContaining("1 cell corrected")]);
    expect((await migrate(["corrections", "remove", "EXT-00001"])).code).toBe(0);
  });

  test("are appended after a last line without a line ending", async () => {
    const work = threeAccounts(sandbox);
    await work.migrate(["corrections", "add", "EXT-00002", "TYPE", "B"]);
    writeFileSync(work.file("fixes.csv"), readFileSync(work.file("fixes.csv"), "utf8").trimEnd());
    await work.migrate(["corrections", "add", "EXT-00001", "NAME", "Ann Hill"]);
    expect((await work.migrate(["validate"])).stderr).toContain("fixes.csv: 2 cells corrected");
    appendFileSync(work.file("fixes.csv"), "torn\n");
    expect((await work.migrate(["validate"])).stderr).toContain("fixes.csv:4: expected 10 cells, found 1");
  });
});
