import { expect, it } from "vitest";
import { rejectRows } from "../../../src/report/rejects/rejected-rows.ts";
import { jsonRow, missing, outcomeOf, recordsOf } from "../inputs.ts";
import { need } from "./reject-scene.ts";

it("a problem at /m/10/x is assigned to the row /m/10, not to /m/1", () => {
  const joined = ["/m/1", "/m/10"].map((pointer) => jsonRow("a.json", 1, pointer, {}));
  const [record] = recordsOf([{ ...jsonRow("a.json", 1, "/0", {}), children: new Map([["m", joined]]) }]);
  const problem = { ...missing("x", need(joined[1])), place: { file: "a.json", line: 1, pointer: "/m/10/x" } };
  const rows = rejectRows(need(record), outcomeOf(need(record), [problem]));
  expect(rows.map(({ problems }) => problems.length)).toEqual([0, 0, 1]);
});
