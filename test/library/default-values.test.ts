import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { push } from "energy-migrate";
import { goodAccounts, writeExtract } from "../e2e/push-scene.ts";
import { platform, pushOf } from "./scene.ts";

test.each([1, 2])("a push with %d threads sends the default for empty cells", async (threads) => {
  const sandbox = await platform();
  const options = pushOf(0, sandbox);
  const folder = options.folder ?? "";
  const accounts = goodAccounts(30).map((account, index) => ({ ...account, NAME: index % 3 === 0 ? "Ada" : "" }));
  writeExtract(folder, { accounts });
  const mapping = path.join(folder, "mapping.yaml");
  const written = readFileSync(mapping, "utf8");
  const defaulted = written
    .replace("billing_name: NAME", "billing_name: { from: NAME, default: NONE }")
    .replace("given_name: FIRST", 'given_name: { from: MOBILE, default: "Nobody" }');
  expect(defaulted).toContain("NONE");
  expect(defaulted).toContain("Nobody");
  writeFileSync(mapping, defaulted);

  const { summary } = await push({ ...options, threads });
  expect(summary.counts).toEqual({ accepted: 30 });
  const sent = new Map(sandbox.accounts().map(({ key, payload }) => [key, payload]));
  for (const [index, { REF }] of accounts.entries())
    expect(sent.get(REF)).toMatchObject({ billing_name: index % 3 === 0 ? "Ada" : "NONE" });
});
