import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/json/json-value.ts";
import { initOfProperties } from "./init-scene.ts";

const ROWS = Array.from({ length: 12 }, (_, index) => index);

describe("init and lists in JSON records", () => {
  const meter_points = {
    type: "array",
    items: {
      type: "object",
      required: ["mpan"],
      properties: { mpan: { type: "string" }, tariff: { type: "string", enum: ["T1", "T2"] } },
    },
  };
  const draft = async (lists: readonly (readonly JsonObject[])[]): Promise<string> => {
    const lines = lists.map((meterPoints, row) => JSON.stringify({ accountNumber: `A${row + 100}`, meterPoints }));
    const files = { "points.ndjson": lines.join("\n") };
    const { mapping } = await initOfProperties({ meter_points }, files, { key: "account_number" });
    return mapping.replaceAll(/\n *# /g, " ");
  };

  test("reports that only the first item of a list is mapped", async () => {
    const one = { mpan: "1000000000001", tariff: "T1" };
    expect(await draft([[one, { mpan: "1000000000002", tariff: "T1" }], [one]])).toContain(
      "TODO points: the payload uses only the first item of meterPoints, but some records have more; map the other items too, such as meterPoints.1",
    );
    expect(await draft([[one], [one]])).not.toContain("TODO points");
  });

  test("does not combine values of different items", async () => {
    const mapping = await draft(
      ROWS.map((row) => [
        { mpan: `10000000000${row + 10}`, tariff: row % 2 === 0 ? "T1" : "Unknown" },
        { mpan: `20000000000${row + 10}`, tariff: "T2" },
      ]),
    );
    expect(mapping).toContain("mpan: meterPoints.0.mpan");
    expect(mapping).not.toMatch(/(?:from|tariff): meterPoints\.1/);
  });
});

describe("init and the business key", () => {
  const FIELDS = { billing_name: { type: "string" }, customer_reference: { type: "string" } };
  const options = { key: "external_account_number", required: ["billing_name"] };
  const names = ROWS.map((row) => `A${row + 100},Ann ${row}`).join("\n");

  test("counts as required, even if the contract does not require it", async () => {
    const { mapping } = await initOfProperties(FIELDS, { "records.csv": `Cust Ref,Billing name\n${names}\n` }, options);
    expect(mapping).toMatch(/# TODO external_account_number: required; no matching column$/m);
  });

  test("gets its column before a field that fits the column better", async () => {
    const files = {
      "records.csv": `Cust Ref,Billing name\n${names}\n`,
      "notes.csv": `Cust Ref,Text\n${names}\n`,
    };
    const { mapping } = await initOfProperties(FIELDS, files, options);
    expect(mapping).toMatch(/^ {2}external_account_number: Cust Ref +# required; 0\.60$/m);
    expect(mapping).not.toContain("customer_reference: Cust Ref");
  });

  test("shows no alternative to a chosen column", async () => {
    const { mapping } = await initOfProperties(
      FIELDS,
      { "records.csv": `Cust Ref,Billing name\n${names}\n` },
      { ...options, keyColumn: "Cust Ref" },
    );
    expect(mapping).toMatch(/^ {2}external_account_number: Cust Ref +# required; 1\.00$/m);
  });
});
