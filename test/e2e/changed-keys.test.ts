import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import {
  CONTRACT,
  goodAccounts,
  latestRun,
  outcomeLines,
  statusCounts,
  type Workplace,
  workplace,
} from "./push-scene.ts";
import { useRejects } from "./rejects-scene.ts";

const { sandbox, admin, fourAccounts, keysOnPlatform } = useRejects();

const FUNCTIONS = `import { PREFIX } from "./prefix.mjs";\nexport const keyOf = (value) => PREFIX + value;\n`;

const codesOf = (lines: ReturnType<typeof outcomeLines>): readonly string[] => [
  ...new Set(lines.flatMap(({ errors = [] }) => errors.map(({ code }) => code))),
];

/** Makes the mapping compute keys with a function that imports their prefix from another module. */
function useFunction({ file }: Workplace): void {
  const mapping = readFileSync(file("mapping.yaml"), "utf8");
  const called = mapping.replace("external_account_number: REF", "external_account_number: { from: REF, call: keyOf }");
  writeFileSync(file("mapping.yaml"), `functions: ./functions.mjs\n${called}`);
  writeFileSync(file("functions.mjs"), FUNCTIONS);
  writeFileSync(file("prefix.mjs"), `export const PREFIX = "A-";\n`);
}

describe("after an interrupted run,", () => {
  test.each([
    { what: "a module that the functions import", name: "prefix.mjs", kind: "function file", from: "A-", to: "B-" },
    {
      what: "the mapping",
      name: "mapping.yaml",
      kind: "mapping",
      from: "{ from: REF, call: keyOf }",
      to: "{ from: REF, replace: { EXT: ALT } }",
    },
  ])("a change to $what creates no account twice", async ({ name, kind, from, to }) => {
    const work = workplace({ accounts: goodAccounts(40) }, sandbox);
    useFunction(work);
    await admin.faults({ pauseAt: 15 });
    expect((await work.push(["--concurrency", "2"])).code).toBe(4);
    const interrupted = await latestRun(work);
    await admin.supplier("Ongoing");
    const sent = await keysOnPlatform();
    expect(sent.length).toBeGreaterThan(0);

    const changed = work.file(name);
    writeFileSync(changed, readFileSync(changed, "utf8").replace(from, to));
    const pushed = await work.push();
    const lines = outcomeLines(pushed.stdout);
    expect(statusCounts(lines)).toEqual({ invalid: sent.length, accepted: 40 - sent.length });
    expect(codesOf(lines)).toEqual(["row_sent_under_other_key"]);
    expect(await keysOnPlatform()).toHaveLength(40);

    const resumed = await work.migrate(["resume", interrupted, "--format", "ndjson"]);
    expect(resumed.stderr).toMatch(new RegExp(`the ${kind} .*${name} has changed.* stored with the run`));
    expect(statusCounts(outcomeLines(resumed.stdout))).toEqual({ accepted: sent.length, invalid: 40 - sent.length });
    expect(await keysOnPlatform()).toHaveLength(40);
  });
});

test("a correction of a row that was sent does not let a changed mapping create a second account", async () => {
  const work = workplace({ accounts: goodAccounts(2) }, sandbox);
  expect((await work.push()).code).toBe(0);
  const given = ["--corrections", "fixes.csv", "--contract", CONTRACT, "--mapping", "mapping.yaml"];
  expect((await work.migrate(["corrections", "add", "EXT-00001", "NAME", "Ada Example", ...given])).code).toBe(0);
  const mapping = readFileSync(work.file("mapping.yaml"), "utf8");
  const changed = "external_account_number: { from: REF, replace: { EXT: ALT } }";
  writeFileSync(work.file("mapping.yaml"), mapping.replace("external_account_number: REF", changed));
  const { stdout } = await work.push(["--corrections", "fixes.csv"]);
  const lines = outcomeLines(stdout);
  expect(statusCounts(lines)).toEqual({ invalid: 2 });
  expect(codesOf(lines)).toEqual(["row_sent_under_other_key"]);
  expect(await keysOnPlatform()).toHaveLength(2);
});

/** Removes leading zeros, as a spreadsheet does when it saves the file. */
const withoutZeros = (text: string): string => text.replaceAll(/(?<=^|,)0+(?=\d+(?:,|\r?$))/gm, "");

/** Pushes two valid and two invalid accounts. */
async function rejected(): Promise<Workplace> {
  const work = fourAccounts();
  expect((await work.push(["--out", "report"])).code).toBe(1);
  expect(await keysOnPlatform()).toHaveLength(2);
  return work;
}

function corrected({ file }: Workplace): string {
  return readFileSync(file("report", "rejects.csv"), "utf8").replaceAll("?", "D");
}

describe("a rejects file that is used as an ordinary source", () => {
  test("is pushed after it has been corrected", async () => {
    const work = await rejected();
    writeFileSync(work.file("accounts.csv"), corrected(work));
    const { code } = await work.push();
    expect(code).not.toBe(2);
    expect(await keysOnPlatform()).toEqual(["00000001", "00000002", "00000003", "00000004"]);
  });

  test.each(["plain", "packed", "renamed"] as const)(
    "creates no account from keys that lost their leading zeros: %s",
    async (kind) => {
      const work = await rejected();
      const text = withoutZeros(corrected(work));
      expect(text).toMatch(/^3,/m);
      const children = withoutZeros(readFileSync(work.file("customers.csv"), "utf8"));
      writeFileSync(work.file("customers.csv"), children);
      const name = { plain: "accounts.csv", packed: "accounts.csv.gz", renamed: "again.csv" }[kind];
      writeFileSync(work.file(name), kind === "packed" ? gzipSync(text) : text);
      const { code, stdout } = await work.migrate([
        "push",
        name,
        "--contract",
        CONTRACT,
        "--mapping",
        "mapping.yaml",
        "--format",
        "ndjson",
      ]);
      expect(code).toBe(1);
      const lines = outcomeLines(stdout).filter(({ key }) => key !== undefined);
      expect(new Set(lines.flatMap(({ errors = [] }) => errors.map(({ code: one }) => one)))).toContain(
        "near_known_key",
      );
      expect(await keysOnPlatform()).toHaveLength(2);
    },
  );

  test("is refused if a key differs from the exported key, unless --new-keys is given", async () => {
    const work = await rejected();
    const text = corrected(work).replace(/^00000003,/m, "77777777,");
    writeFileSync(work.file("accounts.csv"), text);
    appendFileSync(work.file("customers.csv"), "77777777,1,Amina,Hughes,07700 900730,1947-06-16\n");
    const { stdout } = await work.push();
    const [first] = outcomeLines(stdout);
    expect(first?.errors?.map(({ code }) => code)).toEqual(["key_differs_from_reject"]);
    expect(await keysOnPlatform()).not.toContain("77777777");
    await work.push(["--new-keys"]);
    expect(await keysOnPlatform()).toContain("77777777");
  });

  test("keeps a ragged row ragged, and does not use another of its cells as the key", async () => {
    const work = await rejected();
    const row = "00000003,";
    const text = readFileSync(work.file("accounts.csv"), "utf8");
    const lines = text.split("\n").map((line) => (line.startsWith(row) ? `${line.trimEnd()},secret cell` : line));
    writeFileSync(work.file("accounts.csv"), lines.join("\n"));
    await work.migrate(["validate", "--contract", CONTRACT, "--mapping", "mapping.yaml", "--out", "again"]);
    writeFileSync(work.file("accounts.csv"), readFileSync(work.file("again/rejects.csv")));
    const { stdout } = await work.push();
    const ragged = outcomeLines(stdout).find(({ key }) => key === "00000003");
    expect(ragged?.errors?.map(({ code }) => code)).toEqual(["source_ragged_row"]);
    expect(stdout).not.toContain("secret");
  });
});
