import { describe, expect, it } from "vitest";
import type { Row } from "../../../src/model/record.ts";
import { csvRow, csvTable, jsonRow, missing, outcomeOf, recordsOf } from "../inputs.ts";
import { need, rejectScene } from "./reject-scene.ts";

const { write, files, content } = rejectScene();

describe("rejects of JSON sources", () => {
  it("are the original values, one per line, except for values that could not be read exactly", async () => {
    const records = recordsOf([
      jsonRow("a.json", 2, "/0", { ref: "1", list: [1, { a: null }] }),
      jsonRow("a.json", 2, "/1", { ref: "2" }),
      jsonRow("a.json", 2, "/10", { big: 12345678901234567000 }),
    ]);
    const [one, two, three] = records;
    const unsafe = { attr: "big", code: "source_unsafe_number", severity: "error", by: "local" } as const;
    const { rejects } = await write(records, [
      outcomeOf(need(one), [missing("x", need(one).row)]),
      outcomeOf(need(two)),
      outcomeOf(need(three), [{ ...unsafe, place: { file: "a.json", line: 2, pointer: "/10/big" } }]),
    ]);
    expect(await files()).toEqual(["rejects.ndjson"]);
    expect(await content("rejects.ndjson")).toBe('{"ref":"1","list":[1,{"a":null}]}\n');
    expect(rejects.leftOut).toBe(1);
  });

  it("omit all values of a record whose list of unsafe numbers is truncated", async () => {
    const joined = new Map([["meters", [jsonRow("m.ndjson", 1, "", { id: 1 })]]]);
    const records = recordsOf([{ ...jsonRow("a.ndjson", 1, "", { ref: "1" }), children: joined }]);
    const [one] = records;
    const unsafe = { attr: "big", code: "source_unsafe_number", severity: "error", by: "local", unlisted: 7 } as const;
    const { rejects } = await write(records, [
      outcomeOf(need(one), [{ ...unsafe, place: { file: "m.ndjson", line: 1, pointer: "/big" } }]),
    ]);
    expect(rejects.leftOut).toBeGreaterThan(0);
    expect(await content("rejects.ndjson")).toBe("");
  });

  it("omit rows joined to an omitted value, because they would be orphans", async () => {
    const table = csvTable("customers.csv", ["ACC"]);
    const joined = (key: string, line: number): ReadonlyMap<string, readonly Row[]> =>
      new Map([["customers", [csvRow(table, line, [key])]]]);
    const records = recordsOf([
      { ...jsonRow("a.ndjson", 1, "", { ref: "1" }), children: joined("1", 2) },
      { ...jsonRow("a.ndjson", 2, "", {}), children: joined("2", 3) },
    ]);
    const [one, two] = records;
    const twice = { attr: "", code: "source_duplicate_name", name: "ref", severity: "error", by: "local" } as const;
    await write(
      records,
      [
        outcomeOf(need(one), [missing("x", need(one).row)]),
        outcomeOf(need(two), [{ ...twice, place: { file: "a.ndjson", line: 2, pointer: "/ref" } }]),
      ],
      { sources: ["accounts", "customers"] },
    );
    expect(await content("rejects.ndjson")).toBe('{"ref":"1"}\n');
    expect((await content("rejects.customers.csv")).split("\n")).toEqual([
      "ACC,migrate_key,migrate_attr,migrate_code,migrate_detail",
      "1,K1,,,",
      "",
    ]);
  });
});
