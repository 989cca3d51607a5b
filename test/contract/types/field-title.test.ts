import { expect, it } from "vitest";
import { fieldTitleAt } from "../../../src/contract/types/type-tree.ts";
import { fieldOf } from "../contract-of.ts";

it("finds the title of a field in objects, lists, alternatives and additional properties", () => {
  const { type } = fieldOf({
    type: "object",
    title: "Customer",
    properties: {
      phones: { type: "array", title: "Phones", items: { type: "string", title: "Phone" } },
      payment: {
        oneOf: [
          { type: "object", properties: { day: { type: "integer" } } },
          { type: "object", properties: { day: { type: "integer", title: "Day of the month" } } },
        ],
      },
      notes: { type: "object", additionalProperties: { type: "string", title: "Note" } },
      untitled: { type: "string" },
    },
  });
  const titles = [[], ["phones"], ["phones", 3], ["payment", "day"], ["notes", "any"], ["untitled"], ["unknown", "x"]];
  expect(titles.map((path) => fieldTitleAt(type, path))).toEqual([
    "Customer",
    "Phones",
    "Phone",
    "Day of the month",
    "Note",
    undefined,
    undefined,
  ]);
});
