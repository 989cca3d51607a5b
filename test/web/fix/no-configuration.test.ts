import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { EditResult, FixState } from "../../../src/web/fix/fix-types.ts";
import { CONTRACT, goodAccounts, writeExtract } from "../../e2e/push-scene.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { clientOf, type Reply, startWeb, type WebClient } from "../web-scene.ts";

/** Corrects the date of birth of the first customer. Returns the reply. */
async function editDate(client: WebClient): Promise<Reply> {
  let state = await client.get<FixState>("/api/fix");
  while (state.status === "checking") state = await client.get<FixState>("/api/fix");
  if (state.status !== "ready") throw new Error(state.error.message);
  const source = state.sources.findIndex(({ name }) => name === "customers");
  const column = state.sources[source]?.columns.indexOf("DOB");
  const cells = [{ position: 0, column, value: "1971-02-28" }];
  const { session } = state;
  return client.post("/api/fix/edits", { session, tab: "one", seen: 0, values: "hidden", source, cause: 0, cells });
}

test("an edit without a configuration file is refused, with a hint to create the file (the hint used to name a missing file)", async () => {
  const folder = temporaryFolder();
  const accounts = goodAccounts(1);
  writeExtract(folder, { accounts, customers: accounts.map(({ REF }) => ({ REF, DOB: "31/02/1971" })) });
  const web = await startWeb(folder, ["--contract", CONTRACT, "--mapping", "mapping.yaml", "--supplier", "ACME"]);
  onTestFinished(web.stop);
  const client = await clientOf(web);
  const refused = await editDate(client);
  expect(refused.body).toContain("create the file migrate.yaml with this line, then repeat the edit");
  expect(existsSync(path.join(folder, "corrections.csv"))).toBe(false);

  writeFileSync(path.join(folder, "migrate.yaml"), "corrections: corrections.csv\n");
  const { saved }: EditResult = JSON.parse((await editDate(client)).body);
  expect(saved).toBe(1);
  expect(readFileSync(path.join(folder, "corrections.csv"), "utf8")).toContain("1971-02-28");
});

test("the first edit adds its setting with the line endings of the configuration (it used to add a line feed)", async () => {
  const folder = temporaryFolder();
  const accounts = goodAccounts(1);
  writeExtract(folder, { accounts, customers: accounts.map(({ REF }) => ({ REF, DOB: "31/02/1971" })) });
  const configuration = `contract: ${CONTRACT}\r\nmapping: mapping.yaml\r\nsupplier: ACME\r\n`;
  writeFileSync(path.join(folder, "migrate.yaml"), configuration);
  const web = await startWeb(folder);
  onTestFinished(web.stop);
  expect(await editDate(await clientOf(web))).toMatchObject({ status: 200 });
  const written = readFileSync(path.join(folder, "migrate.yaml"), "utf8");
  expect(written).toBe(`${configuration}corrections: corrections.csv\r\n`);
});

test.each([
  [
    "JSON",
    `{ "contract": "${CONTRACT}",\n  "mapping": "mapping.yaml", "supplier": "ACME" }\n`,
    /"ACME", "corrections": "corrections.csv" }\n$/,
  ],
  [
    "indented",
    `  contract: ${CONTRACT}\n  mapping: mapping.yaml\n  supplier: ACME\n`,
    /\n {2}corrections: corrections.csv\n$/,
  ],
  ["only a comment", "# set by flags", /^# set by flags\ncorrections: corrections.csv\n$/],
])(
  "the first edit adds its setting to a configuration that is %s (it used to be refused)",
  async (_, text, expected) => {
    const folder = temporaryFolder();
    const accounts = goodAccounts(1);
    writeExtract(folder, { accounts, customers: accounts.map(({ REF }) => ({ REF, DOB: "31/02/1971" })) });
    const file = path.join(folder, "migrate.yaml");
    writeFileSync(file, text, { mode: 0o640 });
    const web = await startWeb(folder, ["--contract", CONTRACT, "--mapping", "mapping.yaml", "--supplier", "ACME"]);
    onTestFinished(web.stop);
    expect(await editDate(await clientOf(web))).toMatchObject({ status: 200 });
    expect(readFileSync(file, "utf8")).toMatch(expected);
    expect(statSync(file).mode & 0o777).toBe(0o640);
  },
);

test("an edit does not change a read-only configuration", async () => {
  const folder = temporaryFolder();
  const accounts = goodAccounts(1);
  writeExtract(folder, { accounts, customers: accounts.map(({ REF }) => ({ REF, DOB: "31/02/1971" })) });
  const file = path.join(folder, "migrate.yaml");
  const configuration = `contract: ${CONTRACT}\nmapping: mapping.yaml\nsupplier: ACME\n`;
  writeFileSync(file, configuration, { mode: 0o444 });
  const web = await startWeb(folder);
  onTestFinished(web.stop);
  expect((await editDate(await clientOf(web))).body).toContain("migrate.yaml is read-only");
  expect(readFileSync(file, "utf8")).toBe(configuration);
});
