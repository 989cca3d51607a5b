import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "csv-parse/sync";
import type { JsonObject } from "../../src/json/json-value.ts";
import { receivedRecordText, type RecordView, recordWriter } from "../../src/report/record-formats.ts";
import type { RecordFormat } from "../../src/report/formats/output-format.ts";

const view: RecordView<JsonObject> = {
  columns: [{ title: "code" }, { title: "name" }],
  cells: (record) => ["code", "name"].map((name) => (typeof record[name] === "string" ? record[name] : "")),
  members: ["code", "name"],
};

function written(format: RecordFormat, ...batches: readonly (readonly JsonObject[])[]) {
  const notices: string[] = [];
  const writer = recordWriter(format, view, { width: 80, colour: false, notice: (text) => notices.push(text) });
  const pieces = batches.map((results) => writer.add({ results, json: results.map((one) => JSON.stringify(one)) }));
  return { pieces, text: pieces.join("") + writer.end(), notices };
}

describe("records in batches", () => {
  const a = { code: "A", name: "Ann" };
  const b = { code: "B", name: "Bob" };

  test("as JSON form one array, written batch by batch", () => {
    const { pieces, text } = written("json", [a], [], [b]);
    expect(pieces).toEqual(['[\n{"code":"A","name":"Ann"}', "", ',\n{"code":"B","name":"Bob"}']);
    expect(JSON.parse(text)).toEqual([a, b]);
    expect(JSON.parse(written("json").text)).toEqual([]);
  });

  test("as NDJSON are one per line", () => {
    expect(written("ndjson", [a], [b]).text).toBe('{"code":"A","name":"Ann"}\n{"code":"B","name":"Bob"}\n');
  });

  test("as a table have one header and constant columns", () => {
    const { text } = written("text", [{ code: "ABC", name: "x" }], [{ code: "ABCDEF", name: "y" }]);
    expect(text).toBe("code  name\nABC   x\nABCDEF  y\n");
  });

  test("as CSV have the fields in the API specification first, followed by the other fields of the first batch", () => {
    const { text, notices } = written("csv", [{ more: [1, { x: "=1" }], code: "A" }], [{ code: "B", late: 1 }]);
    expect(text).toBe('code,name,more\nA,,"[1,{""x"":""=1""}]"\nB,,\n');
    expect(notices).toEqual([expect.stringContaining("late")]);
    expect(written("csv").text).toBe("code,name\n");
  });

  test("as CSV contain no formulas, and numbers are unchanged", () => {
    const cells = ["=1+1", "-3.0150", -2, "-1.5E2", -1e-7, "-2+cmd", "+447700900123", "@x", "a\u001b[31m", "0012"];
    const { text } = written("csv", [Object.fromEntries(cells.map((cell, index) => [`c${index}`, cell]))]);
    const [, row] = parse(text);
    expect(row?.slice(2)).toEqual([
      "'=1+1",
      "-3.0150",
      "-2",
      "-1.5E2",
      "-1e-7",
      "'-2+cmd",
      "'+447700900123",
      "'@x",
      "a\\u001b[31m",
      "0012",
    ]);
  });

  test.each(["json", "ndjson"] as const)(
    "as %s contain the received data, with control characters escaped",
    (format) => {
      fc.assert(
        fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.string({ unit: "binary" })), (record) => {
          const { text } = written(format, [record]);
          expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
          expect([JSON.parse(text)].flat()).toEqual([JSON.parse(JSON.stringify(record))]);
        }),
      );
    },
  );
});

describe("one record of any shape", () => {
  const record = { number: "A-1", "=x": { list: [{ phone: "+4477" }, []], note: "a\u001bb\u202e", mpan: "0012" } };
  const shown = (format: RecordFormat): string =>
    receivedRecordText({ record, json: JSON.stringify(record) }, format, 80);

  test("is shown as an outline", () => {
    expect(shown("text")).toContain('number: A-1\n=x:\n  list:\n    - phone: "+4477"\n');
    expect(shown("text").replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  test("is shown as CSV with one row for each value", () => {
    expect(parse(shown("csv"))).toEqual([
      ["attr", "value"],
      ["number", "A-1"],
      ["'=x.list.0.phone", "'+4477"],
      ["'=x.list.1", "[]"],
      ["'=x.note", "a\\u001bb\\u202e"],
      ["'=x.mpan", "0012"],
    ]);
  });

  test.each(["json", "ndjson"] as const)("is shown unchanged on one line as %s", (format) => {
    expect(JSON.parse(shown(format))).toEqual(record);
    expect(shown(format).split("\n")).toHaveLength(2);
  });
});
