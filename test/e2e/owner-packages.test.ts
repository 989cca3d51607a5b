import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { keysIn, OWNERS, pushedByOwner } from "./owner-packages-scene.ts";
import { CONTRACT, outcomeLines, type Workplace, workplace } from "./push-scene.ts";
import { readRejects, replaceIn, save, useRejects } from "./rejects-scene.ts";

const { sandbox, keysOnPlatform } = useRejects();

const pushed = (owners?: string): Promise<Workplace> => pushedByOwner(sandbox, owners);

test("report --by-owner writes one folder per owner with only the owner's records", async () => {
  const work = await pushed();
  const before = readFileSync(work.file("report", "rejects.csv"), "utf8");
  const { code, stdout, stderr } = await work.migrate(["report", "--by-owner"]);
  expect([code, stderr]).toEqual([1, ""]);
  expect(stdout).toMatch(/^owner +records +due +folder\nContact data +2 +\d{4}-\d\d-\d\d +report\/Contact-data\n/);
  expect(stdout).toMatch(
    /Next {4}migrate push --rejects report\/Contact-data --rejects report\/Billing --rejects report\/Data-office\n$/,
  );
  const keys = ["Contact-data", "Billing", "Data-office"].map((folder) => keysIn(work, folder));
  expect(keys).toEqual([["K2", "K3"], ["K4"], ["K5"]]);
  expect(readdirSync(work.file("report", "Contact-data")).toSorted()).toEqual([
    "errors.csv",
    "outcomes.ndjson",
    "rejects.csv",
    "rejects.customers.csv",
    "rejects.fingerprints",
    "rejects.json",
    "rejects.xlsx",
    "report.html",
    "summary.json",
  ]);
  const lines = outcomeLines(readFileSync(work.file("report", "Contact-data", "outcomes.ndjson"), "utf8"));
  expect(lines.map(({ record, key }) => [record, key])).toEqual([
    [2, "K2"],
    [3, "K3"],
  ]);
  expect(readFileSync(work.file("report", "rejects.csv"), "utf8")).toBe(before);
});

test("a package's page starts with the owner, the address, the deadline and the files to return", async () => {
  const work = await pushed();
  const { stdout } = await work.migrate(["report", "--by-owner", "--format", "json"]);
  const { packages } = JSON.parse(stdout);
  expect(packages[0]).toEqual({
    owner: "Contact data",
    address: "contacts@example.com",
    due: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    records: 2,
    folder: "report/Contact-data",
  });
  const page = readFileSync(work.file("report", "Contact-data", "report.html"), "utf8").replaceAll(/<[^>]+>|\s+/g, " ");
  const header = page.slice(page.indexOf("Both records"), page.indexOf("Most frequent causes"));
  expect(header).toMatch(
    /Both records need work\. .*Owner +Contact data +Address +contacts@example\.com +Return by +\d{4}/,
  );
  expect(header).toMatch(
    /Open +rejects\.xlsx +, next to this page\..*Return the folder to the sender by \d{4}-\d\d-\d\d/,
  );
});

test("one package can be re-imported without the other packages, even after a second export", async () => {
  const work = await pushed();
  await work.migrate(["report", "--by-owner"]);
  save(
    work,
    "Billing/rejects.csv",
    readRejects(work, "rejects.csv", "report/Billing").map((row) => ({ ...row, TYPE: "D" })),
  );
  await work.migrate(["report", "--by-owner", "--out", "second"]);
  const { code, stderr } = await work.migrate(["push", "--rejects", "report/Billing"]);
  expect([code, stderr]).toEqual([0, expect.stringContaining("1 cell corrected in 1 row")]);
  expect(await keysOnPlatform()).toEqual(["K1", "K4"]);
});

test("a second export does not overwrite corrections, and removes the folder of an owner without records", async () => {
  const work = await pushed();
  await work.migrate(["report", "--by-owner"]);
  writeFileSync(work.file("migrate.yaml"), "owners: [{ owner: Billing }]\n");
  appendFileSync(work.file("report", "Contact-data", "rejects.csv"), "\n");
  const refused = await work.migrate(["report", "--by-owner"]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("Contact-data: rejects.csv changed after the export, and would be overwritten");
  expect(keysIn(work, "Billing")).toEqual(["K4"]);

  const text = readFileSync(work.file("report", "Contact-data", "rejects.csv"), "utf8");
  writeFileSync(work.file("report", "Contact-data", "rejects.csv"), text.slice(0, -1));
  expect((await work.migrate(["report", "--by-owner"])).code).toBe(1);
  expect(keysIn(work, "Billing")).toEqual(["K2", "K3", "K4", "K5"]);
  expect(existsSync(work.file("report", "Contact-data"))).toBe(false);
});

test("report --by-owner requires configured owners and unchanged sources", async () => {
  const work = await pushed("");
  const { code, stderr } = await work.migrate(["report", "--by-owner"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("--by-owner needs `owners` in the configuration file")]);
  writeFileSync(work.file("migrate.yaml"), OWNERS);
  const csv = await work.migrate(["report", "--by-owner", "--format", "csv"]);
  expect([csv.code, csv.stderr]).toEqual([2, expect.stringContaining("--by-owner cannot be shown as csv")]);
  appendFileSync(work.file("accounts.csv"), "\n");
  const changed = await work.migrate(["report", "--by-owner"]);
  expect([changed.code, changed.stderr]).toEqual([2, expect.stringContaining("accounts.csv")]);
});

test("status --by owner counts the open, exported and returned records of each owner", async () => {
  const work = await pushed();
  await work.migrate(["report", "--by-owner", "--out", "packages"]);
  save(
    work,
    "../packages/Billing/rejects.csv",
    readRejects(work, "rejects.csv", "packages/Billing").map((row) => ({ ...row, TYPE: "D" })),
  );
  expect((await work.migrate(["push", "--rejects", "packages/Billing"])).code).toBe(0);
  const { code, stdout } = await work.migrate(["status", "--by", "owner"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^owner +open +overdue +exported +returned +due +address\nContact data +2 +0 +2 +0 +\d{4}-\d\d-\d\d +contacts@example.com\n/,
  );
  const { owners } = JSON.parse((await work.migrate(["status", "--by", "owner", "--json"])).stdout);
  expect(owners.slice(1)).toEqual([
    { owner: "Data office", open: 1, overdue: 0, exported: 1, returned: 0 },
    { owner: "Billing", open: 0, overdue: 0, exported: 1, returned: 1 },
  ]);
  const one = await work.migrate(["status", "latest", "--by", "owner"]);
  expect([one.code, one.stderr]).toEqual([2, expect.stringContaining("--by owner counts the records of all runs")]);
  writeFileSync(work.file("migrate.yaml"), "");
  const none = await work.migrate(["status", "--by", "owner"]);
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("--by owner needs `owners`")]);
});

test("an excluded record is in no package, and does not count as returned", async () => {
  const work = await pushed();
  expect((await work.migrate(["report", "--by-owner"])).code).toBe(1);
  expect((await work.migrate(["exclude", "K2", "--reason", "closed"])).code).toBe(0);
  const { owners } = JSON.parse((await work.migrate(["status", "--by", "owner", "--format", "json"])).stdout);
  expect(owners).toContainEqual(expect.objectContaining({ owner: "Contact data", open: 1, exported: 2, returned: 0 }));
  await work.migrate(["report", "--by-owner"]);
  expect(keysIn(work, "Contact-data")).toEqual(["K3"]);
});

test("with any rules, every row that needs correction is exported, and each record is in exactly one folder", async () => {
  const accounts = ["K1", "K2", "K3", "K4", "K5", "K5"].map((REF, index) => ({
    REF,
    ...(index % 2 === 1 && { TYPE: "?" }),
    ...(index % 3 === 1 && { POSTCODE: "" }),
  }));
  const customers = ["K1", "K2", "K2", "K3", "K4", "K5", "NOBODY"].map((REF, index) => ({
    REF,
    SEQ: String(index),
    ...(index % 2 === 0 && { MOBILE: "1" }),
  }));
  const work = workplace({ accounts, customers }, sandbox);
  await work.push(["--out", "report"]);
  const whole = exportedRows(work, "report");
  expect(whole.length).toBeGreaterThan(8);
  for (const [index, rules] of RULES.entries()) {
    writeFileSync(work.file("migrate.yaml"), `owners: [${rules}, { owner: Rest }]\n`);
    const { stdout } = await work.migrate(["report", "--by-owner", "--format", "json", "--out", `out-${index}`]);
    const { packages }: { packages: readonly { folder: string; records: number }[] } = JSON.parse(stdout);
    const parts = packages.map(({ folder }) => exportedRows(work, folder));
    const records = parts.map((rows) => new Set(rows.map(({ record }) => record)));
    expect(records.map((each) => each.size)).toEqual(packages.map((each) => each.records));
    expect(new Set(records.flatMap((each) => [...each])).size).toBe(records.reduce((sum, { size }) => sum + size, 0));
    // A row that several records share is in the folder of each of them.
    expect(new Set(parts.flat().map(({ row }) => row))).toEqual(new Set(whole.map(({ row }) => row)));
  }
});

const RULES = [
  "{ owner: A, codes: [required, blank] }",
  "{ owner: A, attrs: [customers.*.mobile] }, { owner: B, attrs: [account_type] }",
  "{ owner: A, files: [customers.csv] }, { owner: a, statuses: [rejected] }, { owner: B, codes: [duplicate_key] }",
  "{ owner: A, columns: { TYPE: ['?'] } }, { owner: B, columns: { customers.MOBILE: ['1'] } }",
  "{ owner: A, statuses: [invalid], attrs: [supply_addresses] }, { owner: B, attrs: [customers.1] }",
];

function exportedRows(work: Workplace, folder: string): readonly { record: number; row: string }[] {
  const lines = readFileSync(work.file(folder, "rejects.fingerprints"), "utf8").trimEnd().split("\n");
  return lines.map((line) => {
    const [source, record, , row]: [string, number, string, string] = JSON.parse(line);
    return { record, row: `${source} ${row}` };
  });
}

test("a record is in the folder of the owner that `open` shows, even if the platform has other content", async () => {
  const owners = `owners:
  - { owner: Changed, statuses: [outdated] }
  - { owner: New, statuses: [invalid] }
  - { owner: Rest }
`;
  const work = await pushed(owners);
  const text = readFileSync(work.file("accounts.csv"), "utf8");
  writeFileSync(work.file("accounts.csv"), text.replace("K1,D", "K1,?"));
  await work.push(["--out", "second"]);
  const open = (await work.migrate(["open", "--format", "ndjson"])).stdout.trimEnd().split("\n");
  const names = open.map((line) => {
    const { key, owner }: { key: string; owner: { name: string } } = JSON.parse(line);
    return [key, owner.name];
  });
  expect(Object.fromEntries(names)).toMatchObject({ K1: "Changed", K2: "New" });
  await work.migrate(["report", "--by-owner"]);
  const keysOf = (folder: string) => readRejects(work, "rejects.csv", `second/${folder}`).map(({ REF }) => REF);
  expect([keysOf("Changed"), keysOf("New")]).toEqual([["K1"], ["K2", "K3", "K4", "K5"]]);
});

test("report --by-owner does not overwrite the packages of another run or the run's own input", async () => {
  const work = await pushed();
  await work.migrate(["report", "--by-owner"]);
  await work.migrate(["push", "--rejects", "report/Billing", "--rejects", "report/Contact-data", "--out", "second"]);
  const input = await work.migrate(["report", "--by-owner", "--out", "report"]);
  expect([input.code, input.stderr]).toEqual([2, expect.stringContaining("would overwrite its own input")]);
  await work.push(["--out", "report"]);
  const other = await work.migrate(["report", "--by-owner"]);
  expect([other.code, other.stderr]).toEqual([2, expect.stringMatching(/contains rejects of run \S+, which would be/)]);
});

test("the changed cells in returned packages can be saved as corrections, so that the next push skips their records", async () => {
  const work = await pushed();
  await work.migrate(["report", "--by-owner"]);
  for (const folder of ["Contact-data", "Billing"]) {
    const name = `../report/${folder}/rejects`;
    const accounts = readRejects(work, "rejects.csv", `report/${folder}`);
    save(
      work,
      `${name}.csv`,
      accounts.map((row) => ({ ...row, TYPE: "D" })),
    );
    const customers = readRejects(work, "rejects.customers.csv", `report/${folder}`);
    save(
      work,
      `${name}.customers.csv`,
      customers.map((row) => ({ ...row, MOBILE: "07700 900731" })),
    );
  }
  const folders = ["--rejects", "report/Contact-data", "--rejects", "report/Billing"];
  const sent = await work.migrate(["push", ...folders, "--accept-changes"]);
  expect(sent.code).toBe(0);
  expect(sent.stderr).toContain(
    "To correct the next extract in the same way: migrate corrections add --rejects report/Contact-data --rejects report/Billing",
  );
  const given = ["--contract", CONTRACT, "--mapping", "mapping.yaml"];
  const words = ["corrections", "add", "--corrections", "fixes.csv", ...folders, ...given, "--accept-changes"];
  const kept = await work.migrate(words);
  expect([kept.code, kept.stdout]).toEqual([0, "fixes.csv: 5 corrections added\n"]);
  const next = await work.push(["--corrections", "fixes.csv"]);
  expect(outcomeLines(next.stdout).map(({ key, status }) => [key, status])).toEqual([
    ["K1", "skipped"],
    ["K2", "skipped"],
    ["K3", "skipped"],
    ["K4", "skipped"],
    ["K5", "invalid"],
  ]);
});

test("conflicting records are in one package, so that an uncorrected package sends none of them", async () => {
  const accounts = [
    { REF: "K1", NAME: "North" },
    { REF: "K2", NAME: "North", TYPE: "?" },
    { REF: "K3", NAME: "North" },
    { REF: "K3", NAME: "South" },
    { REF: "K4", NAME: "South" },
    { REF: "K5", NAME: "North" },
    { REF: "K05", NAME: "South" },
    { REF: "K6", NAME: "South", TYPE: "?" },
  ];
  // K4 and K5 have the same customer. The customer k05 has no account, but may belong to K05.
  const customers = ["K1", "K2", "K3", "K4", "K5", "K05", "k05", "K6"].map((REF, index) => ({
    REF,
    SEQ: REF === "K5" ? "3" : String(index),
  }));
  const work = workplace({ accounts, customers }, sandbox);
  replaceIn(work, "mapping.yaml", "orderBy: SEQ", "orderBy: SEQ, key: SEQ");
  writeFileSync(
    work.file("migrate.yaml"),
    `owners:
  - { owner: Orphans, codes: [source_orphan_row] }
  - { owner: North, columns: { NAME: [North] } }
  - { owner: South }
`,
  );
  await work.push(["--out", "report"]);
  const { packages } = JSON.parse((await work.migrate(["report", "--by-owner", "--format", "json"])).stdout);
  expect(packages).toMatchObject([
    { owner: "South", records: 5 },
    { owner: "North", records: 3 },
  ]);
  expect([keysIn(work, "North"), keysIn(work, "South")]).toEqual([
    ["K2", "K3", "K3"],
    ["K4", "K5", "K05", "K6"],
  ]);
  for (const folder of ["North", "South"]) {
    expect((await work.migrate(["push", "--rejects", `report/${folder}`])).code).toBe(1);
  }
  expect(await keysOnPlatform()).toEqual(["K1"]);
});
