import { expect, onTestFinished, test } from "vitest";
import type { FixState } from "../../../src/web/fix/fix-types.ts";
import { jsonAccount, jsonCustomer, writeJsonExtract } from "../../e2e/json-extract.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { clientOf, startWeb } from "../web-scene.ts";

test("a value of 5,000,000 characters in a JSON record is saved (it used to be refused as an invalid request)", async () => {
  const folder = temporaryFolder();
  writeJsonExtract(folder, { accounts: [jsonAccount("A", { name: "" })], customers: [jsonCustomer("A")] });
  const web = await startWeb(folder, ["--corrections", "fixes.csv"]);
  onTestFinished(web.stop);
  const client = await clientOf(web);
  let state = await client.get<FixState>("/api/fix");
  while (state.status === "checking") state = await client.get<FixState>("/api/fix");
  if (state.status !== "ready") throw new Error(state.error.message);
  const source = state.sources.findIndex(({ name }) => name === "accounts");
  const column = state.sources[source]?.columns.indexOf("name");
  const editor = { session: state.session, tab: "one", seen: 0, values: "hidden", source, cause: 0 };
  const cells = [{ position: 0, column, value: "x".repeat(5_000_000) }];
  const reply = await client.post("/api/fix/edits", { ...editor, cells });
  expect(reply.body.slice(0, 300)).toContain('"saved":1');
});
