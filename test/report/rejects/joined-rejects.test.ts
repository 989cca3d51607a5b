import { describe, expect, it } from "vitest";
import type { Outcome } from "../../../src/model/outcome.ts";
import type { InputRecord } from "../../../src/model/record.ts";
import { writeReportFiles } from "../../../src/report/report-files.ts";
import { csvRow, csvTable, missing, orphan, outcomeOf, recordsOf } from "../inputs.ts";
import { reportOf } from "../reports.ts";
import { need, parseCsv, rejectScene } from "./reject-scene.ts";

const { folder, write, files, content } = rejectScene();

describe("rejects of joined sources", () => {
  const accounts = csvTable("accounts.csv", ["REF"]);
  const customers = csvTable("customers.csv", ["REF", "NAME"]);
  const phones = csvTable("phones.csv", ["NAME", "PHONE"]);
  const phone = csvRow(phones, 2, ["Ann", "07"]);
  const ann = csvRow(customers, 2, ["1", "Ann"], new Map([["phones", [phone]]]));
  const bob = csvRow(customers, 3, ["1", "Bob"]);
  const cy = csvRow(customers, 4, ["2", "Cy"]);
  const lost = csvRow(customers, 5, ["9", "Lost"]);
  const records = [
    ...recordsOf([
      csvRow(accounts, 2, ["1"], new Map([["customers", [ann, bob]]])),
      csvRow(accounts, 3, ["2"], new Map([["customers", [cy]]])),
    ]),
    orphan(3, "customers", lost),
  ];
  const sources = ["accounts", "customers", "phones"];

  it("consist of one file per source, with every row of a record, and each problem next to its row", async () => {
    const [one, two, three] = records;
    const unlocated = { ...missing("billing", need(one).row), attr: "agreements" };
    const { place: _, ...withoutPlace } = unlocated;
    await write(
      records,
      [
        outcomeOf(need(one), [missing("customers.1.name", bob, "NAME"), withoutPlace, missing("phones.0", phone)]),
        outcomeOf(need(two)),
        outcomeOf(need(three), [missing("non_field_errors", lost)]),
      ],
      { sources },
    );
    expect(await files()).toEqual(["rejects.csv", "rejects.customers.csv", "rejects.phones.csv"]);
    expect(await rowsOf("rejects.csv")).toEqual([
      ["REF", "migrate_attr"],
      ["1", "agreements"],
    ]);
    expect(await rowsOf("rejects.customers.csv")).toEqual([
      ["REF", "NAME", "migrate_attr"],
      ["1", "Ann", ""],
      ["1", "Bob", "customers.1.name"],
      ["9", "Lost", "non_field_errors"],
    ]);
    expect(await rowsOf("rejects.phones.csv")).toEqual([
      ["NAME", "PHONE", "migrate_attr"],
      ["Ann", "07", "phones.0"],
    ]);
  });

  it("include a file with only a header for a source without rejected rows, so that all files can be re-imported", async () => {
    const [one, two, three] = records;
    await write(records, [outcomeOf(need(one)), outcomeOf(need(two), [missing("x", cy)]), outcomeOf(need(three))], {
      sources,
    });
    expect(await rowsOf("rejects.customers.csv")).toEqual([
      ["REF", "NAME", "migrate_attr"],
      ["2", "Cy", "x"],
    ]);
    expect(await rowsOf("rejects.phones.csv")).toEqual([["NAME", "PHONE", "migrate_attr"]]);
  });

  it("are written without reading the input beyond the last rejected record", async () => {
    let read = 0;
    const [one] = records;
    const endless = async function* (): AsyncGenerator<readonly InputRecord[]> {
      yield [need(one)];
      for (let number = 2; number < 1000; number += 1) {
        read += 1;
        yield [{ ...need(one), number }];
      }
    };
    const outcomes = Array.from({ length: 999 }, (_, at): Outcome => {
      const outcome = outcomeOf({ ...need(one), number: at + 1 });
      return at === 0 ? { ...outcome, status: "invalid", problems: [missing("x", need(one).row)] } : outcome;
    });
    await writeReportFiles(reportOf(outcomes), { folder: folder(), sources, records: endless });
    expect(read).toBeLessThan(3);
  });
});

/** Returns every row with its original cells and the attrs of its problems. */
async function rowsOf(name: string): Promise<readonly (readonly string[])[]> {
  return parseCsv(await content(name)).map((row) => [...row.slice(0, -4), row.at(-3) ?? ""]);
}
