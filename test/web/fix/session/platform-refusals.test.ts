import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CONTRACT, goodAccounts, useSandbox, type Workplace, workplace } from "../../../e2e/push-scene.ts";
import { edit, errorsOf, type FixScene, rowsOf, sceneIn, TAB } from "../fix-scene.ts";

const { sandbox } = useSandbox();

/** Pushes a project with three accounts, one of which the platform refuses because of its postcode. */
async function refusedByPlatform(prepare?: (scene: FixScene) => void): Promise<FixScene & Pick<Workplace, "push">> {
  const place = workplace({ accounts: [...goodAccounts(2), { REF: "REFUSED", POSTCODE: "DE1 2CU" }] }, sandbox);
  prepare?.(sceneIn(place.file(".")));
  const configuration = `contract: ${CONTRACT}\nmapping: mapping.yaml\nsupplier: ${sandbox.ready.supplier}\ncorrections: fixes.csv\n`;
  writeFileSync(place.file("migrate.yaml"), configuration);
  writeFileSync(place.file("fixes.csv"), "key,source,column,old_sha256,row_sha256,value,by,at,reason,change\n");
  expect((await place.push([])).code).toBe(1);
  return { ...sceneIn(place.file(".")), push: place.push };
}

test("a refusal by the platform is listed at its cell, and counts as open until the cell changes", async () => {
  const scene = await refusedByPlatform();
  const session = await scene.open();
  expect(session.overview().records).toEqual({ total: 1, open: 1, recheck: 0 });
  expect(rowsOf(session, "accounts")[0]?.marks).toMatchObject([{ by: "platform", severity: "error" }]);
  expect(errorsOf(session, "accounts").join("\n")).toMatch(/^4 POSTCODE: /);

  await edit(session, ["accounts", 0, "NAME", "Someone Else"]);
  expect(session.overview().records.open).toBe(1);
  expect((await scene.open()).overview().records.open).toBe(1);

  await edit(session, ["accounts", 0, "POSTCODE", "DE1 2GU"]);
  expect(session.overview().records.open).toBe(0);
  expect((await scene.open()).overview().records.total).toBe(0);
  await session.undo(TAB);
  expect(session.overview().records.open).toBe(1);

  await edit(session, ["accounts", 0, "POSTCODE", "DE1 2GU"]);
  expect((await scene.push([])).code).toBe(0);
  expect((await scene.open()).overview().records.total).toBe(0);
});

test("a refusal of a joined value is listed at all of its cells, and counts as open until one of them changes", async () => {
  const scene = await refusedByPlatform(({ change }) => {
    change("accounts.csv", "POSTCODE", "OUT,IN");
    for (const code of ["2GU", "2GU", "2CU"]) change("accounts.csv", `DE1 ${code}`, `DE1,${code}`);
    for (const field of ["billing_postcode", "supply_postcode"])
      change("mapping.yaml", `${field}: POSTCODE`, `${field}: { from: [OUT, IN], join: " " }`);
  });
  const session = await scene.open();
  expect(errorsOf(session, "accounts").join("\n")).toMatch(/^4 OUT: .*\n4 IN: /);
  await edit(session, ["accounts", 0, "IN", "2GU"]);
  expect(session.overview().records.open).toBe(0);
  expect((await scene.open()).overview().records.total).toBe(0);
});

test("a refusal no longer counts as open if the extract has since changed", async () => {
  const scene = await refusedByPlatform();
  scene.change("accounts.csv", "DE1 2CU", "DE1 2GU");
  expect((await scene.open()).overview().records.total).toBe(0);
});

test("a refusal still counts as open if only the mapping of another field has changed", async () => {
  const scene = await refusedByPlatform();
  scene.change("mapping.yaml", "billing_name: NAME", "billing_name: { from: NAME, upper: true }");
  const { overview } = await scene.open();
  expect(overview()).toMatchObject({ records: { total: 1, open: 1 }, resolvedRefusals: 0 });
});

test("a refusal no longer counts as open if a new mapping changes the refused value", async () => {
  const scene = await refusedByPlatform();
  scene.change("mapping.yaml", "billing_postcode: POSTCODE", "billing_postcode: { value: DE1 2GU }");
  scene.change("mapping.yaml", "supply_postcode: POSTCODE", "supply_postcode: { value: DE1 2GU }");
  const { overview } = await scene.open();
  expect(overview()).toMatchObject({ records: { total: 0 }, resolvedRefusals: 1 });
});

test("a refusal still counts as open if a correction of another cell is removed after the push", async () => {
  const scene = await refusedByPlatform();
  const session = await scene.open();
  await edit(session, ["accounts", 0, "NAME", "Someone Else"]);
  expect((await scene.push([])).code).toBe(1);
  await session.undo(TAB);
  expect((await scene.open()).overview().records.total).toBe(1);
});

test("a refusal no longer counts as open if the extract has changed after a correction of another cell", async () => {
  const scene = await refusedByPlatform();
  await edit(await scene.open(), ["accounts", 0, "NAME", "Someone Else"]);
  scene.change("accounts.csv", "DE1 2CU", "DE1 2GU");
  const { overview } = await scene.open();
  expect(overview()).toMatchObject({ records: { total: 0 }, resolvedRefusals: 1 });
});

test("a refusal by another operation with the same key is not listed (it used to count as open)", async () => {
  const scene = await refusedByPlatform();
  const contract = readFileSync(CONTRACT, "utf8").replaceAll("/data-import/accounts/", "/data-import/tariffs/");
  writeFileSync(scene.file("other.yaml"), contract);
  scene.change("migrate.yaml", `contract: ${CONTRACT}`, "contract: other.yaml");
  const { overview } = await scene.open();
  expect(overview()).toMatchObject({ records: { total: 0 }, resolvedRefusals: 0 });
});
