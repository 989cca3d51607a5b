import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CONTRACT, goodAccounts, useSandbox, workplace } from "./push-scene.ts";

const scene = useSandbox();

const MAPPING = `
operation: import-account
key: external_account_number
sources: { accounts: { files: accounts.ndjson } }
payload: { external_account_number: REF, billing_name: NMAE }
`;

test("the notice for a missing JSON path is shown by push, but not again by report", async () => {
  const work = workplace({ accounts: goodAccounts(1) }, scene.sandbox);
  writeFileSync(work.file("mapping.yaml"), MAPPING);
  writeFileSync(work.file("accounts.ndjson"), '{"REF":"A1","NAME":"Ada"}\n');
  const notice = /accounts\.ndjson: no row has "NMAE" \(did you mean "NAME"\?\), which mapping\.yaml reads\n/;
  const { stderr } = await work.migrate(["push", "--contract", CONTRACT, "--mapping", "mapping.yaml"]);
  expect(stderr).toMatch(notice);
  expect((await work.migrate(["report"])).stderr).not.toMatch(notice);
});
