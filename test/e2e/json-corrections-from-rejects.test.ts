import path from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { runCli } from "./cli.ts";
import { jsonAccount, jsonCustomer, writeJsonExtract } from "./json-extract.ts";
import { type Workplace, workplace } from "./push-scene.ts";
import { addCorrections, replaceIn, storedCorrections, WITH_CORRECTIONS } from "./rejects-scene.ts";

/** Writes a report of two accounts from JSON sources with nested values. */
async function jsonExported(): Promise<Workplace> {
  const folder = temporaryFolder();
  writeJsonExtract(folder, {
    accounts: [
      jsonAccount("A", { account: { ref: "A", type: "X", vacant: "no" }, balance: 12.345 }),
      jsonAccount("B", { address: { lines: ["1 Road", "Town"], postcode: "?" } }),
    ],
    customers: [
      jsonCustomer("A", { born: null, phones: ["1"] }),
      jsonCustomer("A", { phones: ["1"] }),
      jsonCustomer("B"),
    ],
  });
  const work: Workplace = {
    ...workplace({ accounts: [] }, undefined, temporaryFolder()),
    folder,
    file: (...names) => path.join(folder, ...names),
    migrate: (args) => runCli(args, { cwd: folder }),
  };
  expect((await work.migrate(["validate", "--out", "report"])).code).toBe(1);
  return work;
}

describe("returned rejects from JSON sources", () => {
  test("are saved under the paths of the changed JSON values, with the types of the values", async () => {
    const work = await jsonExported();
    replaceIn(work, "report/rejects.ndjson", '"type":"X"', '"type":"B"');
    replaceIn(work, "report/rejects.ndjson", "12.345", "12.34");
    replaceIn(work, "report/rejects.ndjson", '"postcode":"?"', '"postcode":"DE1 2GU"');
    replaceIn(work, "report/rejects.customers.ndjson", '["1"]', '["07700 900731"]');
    const { code, stdout, stderr } = await addCorrections(work);
    expect([code, stdout, stderr]).toEqual([0, "fixes.csv: 4 corrections added\n", expect.anything()]);
    expect(await storedCorrections(work)).toEqual([
      "accounts A account.type B",
      "accounts A balance 12.34",
      "accounts B address.postcode DE1 2GU",
      "customers A phones.0 07700 900731",
    ]);
    const preview = await work.migrate(["preview", ...WITH_CORRECTIONS, "--show-values", "--format", "json"]);
    expect(preview.stdout).toContain('"balance":"12.34"');
    expect((await addCorrections(work)).stdout).toBe("fixes.csv: 0 corrections added, 4 cells already corrected\n");
  });

  test("are reported if a correction cannot store the change", async () => {
    const work = await jsonExported();
    replaceIn(work, "report/rejects.ndjson", '"vacant":"no"', '"vacant":false');
    replaceIn(work, "report/rejects.customers.ndjson", '["1"]', '["07700 900731","07700 900732"]');
    const { code, stdout } = await addCorrections(work, "--accept-changes");
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining(
        "source accounts, column account, a correction cannot change the type or number of JSON values",
      ),
    ]);
    expect(await storedCorrections(work)).toEqual(['customers A phones ["07700 900731","07700 900732"]']);
  });

  test("do not stop corrections of other cells of a row, but a number that loses digits cannot be corrected", async () => {
    const work = await jsonExported();
    replaceIn(work, "accounts.ndjson", "12.345", "12345678901234567890");
    const words = ["corrections", "add", ...WITH_CORRECTIONS, "A", "balance", "5"];
    const { code, stderr } = await work.migrate(words);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("balance of A cannot be corrected, because it could not"),
    ]);
    expect((await work.migrate(["corrections", "add", ...WITH_CORRECTIONS, "A", "name", "Ann"])).code).toBe(0);
    expect(await storedCorrections(work)).toEqual(["accounts A name Ann"]);
  });
});
