import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/json/json-value.ts";
import { initOfProperties } from "./init-scene.ts";

const ROWS = Array.from({ length: 12 }, (_, index) => index);

/** Drafts a mapping from a file with an account number and these columns. Returns the text of its payload. */
async function payloadOf(properties: JsonObject, columns: Readonly<Record<string, (row: number) => string>>) {
  const lines = ROWS.map((row) => [`A${row + 100}`, ...Object.values(columns).map((cell) => cell(row))].join(","));
  const text = [["Account number", ...Object.keys(columns)].join(","), ...lines].join("\n");
  const { mapping } = await initOfProperties(properties, { "records.csv": text }, { key: "account_number" });
  return mapping.slice(mapping.indexOf("payload:"), mapping.indexOf("# optional"));
}

const isYes = (row: number): string => (row % 2 === 0 ? "Y" : "N");
const email = (row: number): string => `a${row}@example.org`;
const mobile = (row: number): string => `077009000${row + 10}`;
const letter = (row: number): string => `_${"ABCD"[row % 4]}`;
const birth = (row: number): string => `19${row + 50}-05-10`;

describe("init does not map a yes to a field in which it may mean no", () => {
  test.each([
    ["opted_into_sms", "Opted out of SMS"],
    ["opted_into_sms", "SMS opt out"],
    ["opted_into_sms", "SMS_OPTOUT"],
    ["opted_into_sms", "SMS consent withdrawn"],
    ["opted_into_sms", "SMS consent revoked"],
    ["opted_into_sms", "No SMS"],
    ["opted_into_sms", "NOSMS"],
    ["opted_out", "Opted in"],
    ["opted_out_of_sms", "SMS opt"],
    ["unknown_occupier", "Occupier"],
  ])("%s from the column %s", async (field, column) => {
    const choice = { type: "string", enum: ["YES", "NO"] };
    for (const type of [{ type: "boolean" }, choice])
      expect(await payloadOf({ [field]: type }, { [column]: isYes })).not.toContain(column);
  });

  test.each([
    ["opted_into_sms", "SMS opt in"],
    ["opted_into_sms", "Customer consent SMS"],
    ["opted_out_of_sms", "SMS opt out"],
    ["unknown_occupier", "Occupier unknown"],
    ["unit_furnished", "Furnished"],
    ["layout_approved", "Approved"],
  ])("but it maps %s from the column %s, which means the same", async (field, column) => {
    expect(await payloadOf({ [field]: { type: "boolean" } }, { [column]: isYes })).toContain(
      `${field}: { from: ${column}, true: [Y], false: [N] }`,
    );
  });
});

describe("init does not map the data of another party to the customer", () => {
  const PERSON = {
    email: { type: "string", format: "email" },
    mobile: { type: "string" },
    date_of_birth: { type: "string", format: "date" },
    balance: { type: "number" },
  };

  test("from a column that names the party or an earlier state", async () => {
    const columns = {
      "Landlord email": email,
      "Guarantor mobile": mobile,
      "Partner DOB": birth,
      "Old balance": String,
    };
    expect(await payloadOf(PERSON, columns)).not.toMatch(/Landlord|Guarantor|Partner|Old/);
    const earlier = { "Previous email": email, "Work tel": mobile, "Spouse DOB": birth };
    expect(await payloadOf(PERSON, earlier)).not.toMatch(/Previous|Work|Spouse/);
  });

  test("or the data of the customer to another party", async () => {
    const landlord = {
      type: "object",
      required: ["email"],
      properties: { email: PERSON.email, mobile: PERSON.mobile },
    };
    expect(await payloadOf({ landlord }, { Email: email, Mobile: mobile })).not.toMatch(/Email|Mobile/);
    const own = await payloadOf({ landlord }, { "Landlord email": email, "Landlord mobile": mobile });
    expect(own).toMatch(/email: Landlord email .*\n +mobile: Landlord mobile/);
  });

  test("from a file that is named after the party", async () => {
    const files = {
      "accounts.csv": `Account number,Name\n${ROWS.map((row) => `A${row + 100},Ann ${row}`).join("\n")}\n`,
      "landlords.csv": `Account number,Email,Mobile\n${ROWS.map((row) => `A${row + 100},${email(row)},${mobile(row)}`).join("\n")}\n`,
    };
    const customers = { type: "array", items: { type: "object", properties: PERSON } };
    const { mapping } = await initOfProperties({ customers }, files, { key: "account_number" });
    expect(mapping).not.toContain("each: landlords");
    expect(mapping).toContain("TODO landlords: joined, but no list in the payload seems to use its rows");
  });
});

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

  test("a file with one object that contains the records in a list is not mapped to its first record silently", async () => {
    const items = ROWS.map((row) => ({ accountNumber: `A${row + 100}`, meterPoints: [{ mpan: "1" }, { mpan: "2" }] }));
    const files = { "export.json": JSON.stringify({ data: items, next: null }) };
    const { mapping } = await initOfProperties({ meter_points }, files, { key: "account_number" });
    expect(mapping.replaceAll(/\n *# /g, " ").match(/TODO export: .*/g)).toEqual([
      "TODO export: has only one record; if the items of data are the records, save this list as a file of its own and run `migrate init` with that file; otherwise, map the other items too, such as data.1",
    ]);
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

test("init does not map a column to single-letter choices because of its codes alone", async () => {
  const measurement_class = { type: "string", enum: ["A", "B", "C", "D"] };
  expect(await payloadOf({ measurement_class }, { "GSP group": letter })).not.toContain("GSP");
  expect(await payloadOf({ measurement_class }, { "Measurement class": letter })).toContain(
    "measurement_class: { from: Measurement class, lookup: { _A: A, _B: B, _C: C, _D: D } }",
  );
});

test("init maps neither a meter point number to a serial number, nor a day to a reference", async () => {
  const meter = {
    type: "object",
    required: ["meter_serial_number"],
    properties: { meter_serial_number: { type: "string" }, reading: { type: "number" } },
  };
  const fields = { identifier: { type: "string" }, meter, dd_reference: { type: "string" } };
  const columns = { MPAN: (row: number) => `10000000000${row + 10}`, Reading: String, "DD day": String };
  expect(await payloadOf(fields, columns)).not.toMatch(/serial_number: MPAN|DD day/);
  const payload = await payloadOf(fields, { ...columns, "Meter S/N": (row) => `S${row + 100}` });
  expect(payload).toContain("meter_serial_number: Meter S/N");
});

test("init recognises a code that equals a choice, even if another choice differs only in punctuation", async () => {
  const supplier = { type: "string", enum: ["OLD _CLOSED", "OLD_CLOSED", "OLD"] };
  const codes = ["OLD", "OLD _CLOSED"];
  const payload = await payloadOf({ supplier }, { Supplier: (row) => codes[row % 2] ?? "" });
  expect(payload).toMatch(/supplier: Supplier\b/);
  expect(payload).not.toContain("TODO");
});

test("init does not map a cell with several choices to the first of them", async () => {
  const roles = { type: "array", items: { type: "string", enum: ["ADMIN", "NO_EMAIL", "RECEIVES_SALES"] } };
  const cells = ["ADMIN", "NO_EMAIL", "ADMIN/NO_EMAIL", "ADMIN; RECEIVES_SALES"];
  const payload = await payloadOf({ roles }, { Roles: (row) => cells[row % 4] ?? "" });
  expect(payload).not.toMatch(/["/; ]+(?:NO_EMAIL|RECEIVES_SALES)"?: ADMIN/);
});
