import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { EditResult, FixState } from "../../../src/web/fix/fix-types.ts";
import { CONTRACT, goodAccounts, writeExtract } from "../../e2e/push-scene.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { clientOf, startWeb } from "../web-scene.ts";

test("an edit without a configuration file is refused, with a hint to create the file (the hint used to name a missing file)", async () => {
  const folder = temporaryFolder();
  const accounts = goodAccounts(1);
  writeExtract(folder, { accounts, customers: accounts.map(({ REF }) => ({ REF, DOB: "31/02/1971" })) });
  const web = await startWeb(folder, ["--contract", CONTRACT, "--mapping", "mapping.yaml", "--supplier", "ACME"]);
  onTestFinished(web.stop);
  const client = await clientOf(web);
  let state = await client.get<FixState>("/api/fix");
  while (state.status === "checking") state = await client.get<FixState>("/api/fix");
  if (state.status !== "ready") throw new Error(state.error.message);
  const source = state.sources.findIndex(({ name }) => name === "customers");
  const column = state.sources[source]?.columns.indexOf("DOB");
  const cells = [{ position: 0, column, value: "1971-02-28" }];
  const edit = { session: state.session, tab: "one", seen: 0, values: "hidden", source, cause: 0, cells };

  const refused = await client.post("/api/fix/edits", edit);
  expect(refused.body).toContain("create the file migrate.yaml with this line, then repeat the edit");
  expect(existsSync(path.join(folder, "corrections.csv"))).toBe(false);

  writeFileSync(path.join(folder, "migrate.yaml"), "corrections: corrections.csv\n");
  const { saved }: EditResult = JSON.parse((await client.post("/api/fix/edits", edit)).body);
  expect(saved).toBe(1);
  expect(readFileSync(path.join(folder, "corrections.csv"), "utf8")).toContain("1971-02-28");
});
