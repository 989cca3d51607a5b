import { describe, expect, test } from "vitest";
import { readMapping } from "../../../src/map/document/mapping-document.ts";
import { planSources } from "../../../src/map/document/source-tree.ts";
import { failureOf } from "../rows.ts";

const read = (asOf: string) =>
  readMapping({ file: "m.yaml", text: `payload: {}\nsources: { a: { files: a.csv, key: A, asOf: ${asOf} } }` });
const momentOf = (asOf: string, text: string): number | undefined => {
  const moment = read(asOf).sources.get("a")?.asOf;
  return moment === undefined || moment.kind === "file date" ? undefined : moment.read(text);
};

describe("asOf of a source:", () => {
  test.each([
    ["{ column: C, date: dd/MM/yyyy }", "26/11/2026", "2026-11-26T00:00:00Z"],
    ["{ column: C, date: yyyy-MM-dd'T'HH:mm:ssXXX }", "2026-11-26T08:00:00+01:00", "2026-11-26T07:00:00Z"],
    ["{ column: C, date: dd/MM/yyyy HH:mm, zone: Europe/London }", "26/07/2026 08:00", "2026-07-26T07:00:00Z"],
    ["{ column: C, date: dd/MM/yyyy HH:mm, zone: UTC }", "26/07/2026 08:00", "2026-07-26T08:00:00Z"],
    ["{ fileName: yyyy-MM-dd }", "accounts-2026-11-26.csv", "2026-11-26T00:00:00Z"],
    ["{ fileName: yyyyMMdd }", "20261126_v2_accounts.csv", "2026-11-26T00:00:00Z"],
    ["{ fileName: d.M.yyyy }", "Konten 26.11.2026.csv", "2026-11-26T00:00:00Z"],
    ["{ fileName: yyyy-MM-dd'T'HHmm, zone: Europe/London }", "a-2026-07-26T0800.csv", "2026-07-26T07:00:00Z"],
    ["{ fileName: yyyy-MM-dd }", "2026-11-26-accounts-2026-11-26.csv", "2026-11-26T00:00:00Z"],
  ])("%s reads %s", (asOf, text, moment) => {
    expect(momentOf(asOf, text)).toBe(Date.parse(moment));
  });

  test.each([
    ["{ column: C, date: dd/MM/yyyy }", "31/02/2026"],
    ["{ column: C, date: dd/MM/yyyy }", ""],
    ["{ fileName: yyyy-MM-dd }", "accounts.csv"],
    ["{ fileName: yyyy-MM-dd }", "accounts-2026-02-31.csv"],
    ["{ fileName: yyyy-MM-dd }", "2026-11-25-to-2026-11-26.csv"],
    ["{ fileName: yyyyMMdd }", "20261125_20261126.csv"],
    ["{ fileName: yyyyMMdd }", "2026112520261126.csv"],
    ["{ column: C, date: dd/MM/yyyy HH:mm, zone: Europe/London }", "25/10/2026 01:30"],
    ["{ column: C, date: dd/MM/yyyy HH:mm, zone: Europe/London }", "29/03/2026 01:30"],
  ])("%s does not read %j", (asOf, text) => {
    expect(momentOf(asOf, text)).toBeUndefined();
  });

  test.each([
    ["CHANGED", "must be an object"],
    ["{ date: dd/MM/yyyy }", "sources.a.asOf.column: must be a column"],
    ["{ column: C }", "sources.a.asOf.date: must be a pattern"],
    ["{ column: C, date: DD/MM/YYYY }", "sources.a.asOf.date"],
    ["{ column: C, date: dd/MM/yyyy HH:mm }", "sources.a.asOf.date: has no time zone"],
    ["{ column: C, date: dd/MM/yyyy, zone: UTC }", "sources.a.asOf.zone: has no effect"],
    ["{ column: C, date: dd/MM/yyyy HH:mm, zone: London }", "sources.a.asOf.zone: must be a time zone"],
    ["{ fileName: 5 }", "sources.a.asOf.fileName: must be a pattern"],
    ["{ fileName: YYYY }", "sources.a.asOf.fileName"],
    ["{ fileName: yyyy-MM-dd HHmm }", "sources.a.asOf.fileName: has no time zone"],
    ["{ fileName: yyyy-MM-dd, column: C }", "sources.a.asOf.column: cannot be combined with fileName"],
    ["{ fileModified: yes }", "sources.a.asOf.fileModified: must be true"],
    ["{ fileModified: false }", "sources.a.asOf.fileModified: must be true"],
    ["{ fileModified: true, zone: UTC }", "sources.a.asOf.zone: cannot be combined with fileModified"],
    ["{ fileModified: true, fileName: yyyy }", "sources.a.asOf.fileName: cannot be combined with fileModified"],
    ["{ fileModifed: true }", 'did you mean "fileModified"?'],
    ["{ column: C, date: dd/MM/yyyy, zones: UTC }", 'did you mean "zone"?'],
  ])("%s is rejected", (asOf, words) => {
    const { message, hint = "" } = failureOf(() => read(asOf));
    expect(`${message} ${hint}`).toContain(words);
  });

  test.each([
    ["{ column: C, date: dd/MM/yyyy }", "a valid date, written as dd/MM/yyyy"],
    [
      "{ column: C, date: dd/MM/yyyy HH:mm, zone: Europe/London }",
      "a valid date, written as dd/MM/yyyy HH:mm (Europe/London)",
    ],
    ["{ column: C, date: dd/MM/yyyy HH:mm, zone: UTC }", "a valid date, written as dd/MM/yyyy HH:mm (UTC)"],
  ])("%s in a column requires %s", (asOf, wanted) => {
    expect(read(asOf).sources.get("a")?.asOf).toMatchObject({ kind: "column", column: "C", wanted });
  });

  test("a pattern for the file name requires one valid date in the notation of the pattern", () => {
    const wanted = "exactly one valid date, written as yyyy-MM-dd";
    expect(read("{ fileName: yyyy-MM-dd }").sources.get("a")?.asOf).toMatchObject({ kind: "file name", wanted });
  });

  test.each(["dd/MM/yyyy 'Hms'", "'am' dd/MM/yyyy 's'"])("%s contains no time and needs no zone", (date) => {
    expect(
      momentOf(`{ column: C, date: "${date}" }`, date.replace("dd/MM/yyyy", "26/11/2026").replaceAll("'", "")),
    ).toBe(Date.UTC(2026, 10, 26));
  });

  test.each([
    [
      "{ column: '', date: dd/MM/yyyy }",
      "column: must be a column",
      "write, for example, { column: CHANGED, date: dd/MM/yyyy }",
    ],
    ["{ column: C }", "date: must be a pattern", "write, for example, { column: CHANGED, date: dd/MM/yyyy }"],
    ["{ fileName: 5 }", "fileName: must be a pattern", "write, for example, { fileName: yyyy-MM-dd }"],
    ["{ column: C, date: yyyy-MM-ddTHH }", 'date: "yyyy-MM-ddTHH": ', "did you mean \"yyyy-MM-dd'T'HH\"?"],
    [
      "{ column: C, date: dd/MM/yyyy HH:mm }",
      "date: has no time zone",
      "add zone: Europe/London (or UTC), or XXX to the pattern",
    ],
    [
      "{ column: C, date: dd/MM/yyyy HH:mm, zone: London }",
      "zone: must be a time zone",
      "use a name such as Europe/London, or UTC",
    ],
    [
      "{ column: C, date: dd/MM/yyyy HH:mm, zone: 1 }",
      "zone: must be a time zone",
      "use a name such as Europe/London, or UTC",
    ],
    ["{ fileModified: yes }", "fileModified: must be true", "write fileModified: true, or remove asOf"],
  ])("%s is rejected with a hint", (asOf, message, hint) => {
    const failure = failureOf(() => read(asOf));
    expect(failure.message).toContain(`: sources.a.asOf.${message}`);
    expect(failure.hint).toContain(hint);
  });

  test("the modification date of the file can be used", () => {
    expect(read("{ fileModified: true }").sources.get("a")?.asOf).toEqual({ kind: "file date" });
  });

  test("a source with a parent cannot have asOf", () => {
    const text =
      "payload: {}\nsources:\n  a: { files: a.csv, key: A }\n" +
      "  b: { files: b.csv, parent: a, on: A, asOf: { column: C, date: dd/MM/yyyy } }";
    const document = readMapping({ file: "m.yaml", text });
    const failure = failureOf(() =>
      planSources(document, { positional: [], named: new Map(), resolve: (file) => file }),
    );
    expect(failure.message).toContain("sources.b.asOf: has no effect in a source with a parent");
  });
});
