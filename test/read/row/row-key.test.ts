import { expect, test } from "vitest";
import { keyOf } from "../../../src/read/row/row-key.ts";
import { jsonRow } from "../../map/rows.ts";

test.each([
  ["00123", "00123"],
  [123, "123"],
  [1e-7, "0.0000001"],
  [1e21, "1000000000000000000000"],
  [" ", undefined],
  [null, undefined],
  [true, "true"],
  [[true], undefined],
])("the key %j of a JSON row is read as %j", (value, key) => {
  expect(keyOf(jsonRow({ REF: value }), "REF")).toBe(key);
});
