import { expect, test } from "vitest";
import { counted, verbOfShare } from "../../src/text/count.ts";

test.each([
  [0, 1, "0 of 1 record is"],
  [1, 1, "1 of 1 record is"],
  [1, 3, "1 of 3 records is"],
  [0, 3, "0 of 3 records are"],
  [2, 3, "2 of 3 records are"],
])("the verb after %i of %i agrees with the numbers", (part, whole, text) => {
  expect(`${part} of ${counted(whole, "record")} ${verbOfShare(part, whole, ["is", "are"])}`).toBe(text);
});
