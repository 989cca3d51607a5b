import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import { plainText } from "../../../src/text/plain-text.ts";
import type { Outcome } from "../../../src/model/outcome.ts";
import type { PlatformProblem } from "../../../src/model/problem.ts";
import { reporters } from "../../../src/report/formats/reporters.ts";
import { MIXED, rendered, reportOf } from "../reports.ts";

describe("ndjson", () => {
  it("has one line per record, in input order", async () => {
    const lines = (await rendered(reporters.ndjson, reportOf(MIXED))).split("\n");
    expect(lines.pop()).toBe("");
    expect(lines.map((line): unknown => JSON.parse(line).record)).toEqual([1, 2, 3, 4, 5]);
  });

  it("refuses to render outcomes that do not match the summary's counts", async () => {
    const short = { ...reportOf(MIXED), outcomes: reportOf(MIXED.slice(1)).outcomes };
    await expect(rendered(reporters.ndjson, short)).rejects.toThrow("4 outcomes of 5 records");
    const other = {
      ...reportOf(MIXED),
      outcomes: reportOf(MIXED.map((outcome) => ({ ...outcome, status: "valid" as const }))).outcomes,
    };
    await expect(rendered(reporters.ndjson, other)).rejects.toThrow("5 outcomes are valid, not 1");
  });
});

describe("json", () => {
  it("is one document with the summary and every outcome", async () => {
    const document: unknown = JSON.parse(await rendered(reporters.json, reportOf(MIXED)));
    const lines = (await rendered(reporters.ndjson, reportOf(MIXED))).trimEnd().split("\n");
    expect(document).toEqual({
      summary: {
        records: 5,
        valid: 1,
        invalid: 1,
        accepted: 1,
        rejected: 1,
        ambiguous: 1,
        blocked: 0,
        pending: 0,
        skipped: 0,
        duplicate: 0,
        existing: 0,
        stale: 0,
        excluded: 0,
        errors: { invalid: 1, required: 1, invalid_phone_number: 1 },
        warnings: { coerced: 1 },
        exitCode: 1,
      },
      outcomes: lines.map((line): unknown => JSON.parse(line)),
    });
  });

  it("is a valid document if there are no records", async () => {
    const document: unknown = JSON.parse(await rendered(reporters.json, reportOf([])));
    expect(document).toMatchObject({ summary: { records: 0 }, outcomes: [] });
    expect(document).toHaveProperty("summary.errors", {});
  });
});

describe("csv", () => {
  it("has one row per problem, with the location of the problem or, if it has none, of the record", async () => {
    expect(await rendered(reporters.csv, reportOf(MIXED))).toBe(
      [
        "record,key,status,attr,code,detail,severity,by,file,line,column,column_number,pointer",
        "2,EXT-2,invalid,customers.0.date_of_birth,invalid,Must be a valid date in the format YYYY-MM-DD.,error,local,customers.csv,9,DOB,4,",
        "2,EXT-2,invalid,billing_address,required,A value is required here.,error,local,accounts.csv,3,,,",
        '3,EXT-3,rejected,customers.1.mobile,invalid_phone_number,"Not a phone number, <sorry>: 100% sure",error,platform,customers.csv,11,MOBILE,5,',
        "5,EXT-5,accepted,notes.0.body,coerced,The platform would silently convert this number to a string.,warning,local,more.json,12,,,/3/notes/0/body",
        "",
      ].join("\n"),
    );
  });

  it("shows values in a last column on request", async () => {
    const rows = parseCsv(await rendered(reporters.csv, reportOf(MIXED, { showValues: true })));
    expect(rows.map((row) => row.at(-1))).toEqual(["value", "31/12/1980", "", "077009001", ""]);
  });

  const formulas = [
    "=1+1",
    "+44 7700",
    "-12.50",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    " =1",
    '"=1',
    "'=1",
    "\u00A0=1",
    "＝1",
    "＋1",
    "－1",
    "＠x",
    "\n=cmd",
  ];
  it.each(formulas)("neutralises the formula in %j so that a CSV parser still reads the text", async (key) => {
    const [, row] = parseCsv(await rendered(reporters.csv, reportOf([{ ...refused("no"), key }])));
    // A control character is shown as an escape, which does not start a formula.
    expect(row?.[1]).toBe(/^\s/.test(key) && plainText(key) !== key ? plainText(key) : `'${key}`);
  });

  it.each(["EXT-1", "a=b", "0077", "x@y.example", ""])("leaves %j unchanged", async (key) => {
    const [, row] = parseCsv(await rendered(reporters.csv, reportOf([{ ...refused("no"), key }])));
    expect(row?.[1]).toBe(key);
  });
});

describe("junit", () => {
  it("contains one test case per record", async () => {
    expect(await rendered(reporters.junit, reportOf(MIXED))).toBe(
      `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="validate accounts.csv" tests="5" failures="2" errors="1">
<testsuite name="validate accounts.csv" tests="5" failures="2" errors="1" skipped="0">
<testcase classname="accounts.csv" name="record 1 EXT-1"/>
<testcase classname="accounts.csv" name="record 2 EXT-2"><failure type="invalid" message="invalid: invalid, required">error invalid at customers.0.date_of_birth: Must be a valid date in the format YYYY-MM-DD. (customers.csv:9, column DOB)
error required at billing_address: A value is required here.</failure></testcase>
<testcase classname="accounts.csv" name="record 3 EXT-3"><failure type="rejected" message="rejected: invalid_phone_number">error invalid_phone_number at customers.1.mobile: Not a phone number, &lt;sorry&gt;: 100% sure (customers.csv:11, column MOBILE)</failure></testcase>
<testcase classname="accounts.csv" name="record 4"><error type="ambiguous" message="ambiguous"></error></testcase>
<testcase classname="more.json" name="record 5 EXT-5"><system-out>warning coerced at notes.0.body: The platform would silently convert this number to a string. (more.json:12, at /3/notes/0/body)</system-out></testcase>
</testsuite>
</testsuites>
`,
    );
  });

  it("has only the attributes of Jenkins' strict schema", async () => {
    const xml = await rendered(reporters.junit, reportOf([...MIXED, { ...refused("no"), status: "pending" }]));
    const tags = [...xml.matchAll(/<(?<element>[a-z-]+)(?<attributes>(?: [a-z]+="[^"]*")*)\s*\/?>/g)];
    expect(tags.length).toBeGreaterThan(MIXED.length);
    for (const { groups: { element = "", attributes = "" } = {} } of tags) {
      const names = [...attributes.matchAll(/ ([a-z]+)="/g)].map(([, name]) => name);
      expect({ element, names: JENKINS_ATTRIBUTES[element] }).toEqual({
        element,
        names: expect.arrayContaining(names),
      });
    }
    expect(new Set(tags.map(({ groups }) => groups?.["element"]))).toEqual(new Set(Object.keys(JENKINS_ATTRIBUTES)));
  });

  it("contains the file and line of every test case on request", async () => {
    const xml = await rendered(reporters.junit, { ...reportOf(MIXED), testLocations: true });
    expect(xml).toContain('<testcase classname="accounts.csv" name="record 1 EXT-1" file="accounts.csv" line="2"/>');
    expect(xml.match(/<testcase [^>]* file="[^"]+" line="\d+"/g)).toHaveLength(MIXED.length);
  });
});

/** https://github.com/jenkinsci/xunit-plugin, junit-10.xsd: the attributes of the elements that a report contains. */
const JENKINS_ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  testsuites: ["name", "time", "tests", "failures", "errors"],
  testsuite: ["name", "tests", "failures", "errors", "group", "time", "skipped", "timestamp", "hostname", "id"],
  testcase: ["name", "time", "classname", "group"],
  failure: ["type", "message"],
  error: ["type", "message"],
  skipped: ["type", "message"],
  "system-out": [],
};

describe("github", () => {
  it("puts one annotation on the line of each problem", async () => {
    expect(await rendered(reporters.github, reportOf(MIXED))).toBe(
      [
        "::error file=customers.csv,line=9,title=invalid at customers.0.date_of_birth::Must be a valid date in the format YYYY-MM-DD. (column DOB)",
        "::error file=accounts.csv,line=3,title=required at billing_address::A value is required here.",
        "::error file=customers.csv,line=11,title=invalid_phone_number at customers.1.mobile::Not a phone number, <sorry>: 100%25 sure (column MOBILE)",
        "::warning file=more.json,line=12,title=coerced at notes.0.body::The platform would silently convert this number to a string. (at /3/notes/0/body)",
        "",
      ].join("\n"),
    );
  });

  it("escapes characters that would end a property or begin another command", async () => {
    const outcome: Outcome = { ...refused("a\n::error::b"), source: { file: "a,b:c%\n::x.csv", line: 2 } };
    expect(await rendered(reporters.github, reportOf([outcome]))).toBe(
      "::error file=a%2Cb%3Ac%25\\u000a%3A%3Ax.csv,line=2,title=no at a::a ::error::b\n",
    );
  });

  it("shows one example of each cause first, at most 50 annotations, and the number of omitted problems", async () => {
    const outcomes = Array.from({ length: 400 }, (_, at): Outcome => {
      const code = at < 389 ? "frequent" : `rare_${at}`;
      const attr = `customers.${at}.mobile`;
      return { ...refused("no"), record: at + 1, problems: [{ ...platform("no"), code, attr }] };
    });
    const lines = (await rendered(reporters.github, reportOf(outcomes, { folder: "out" }))).trimEnd().split("\n");
    const codes = lines.slice(0, 12).map((line) => /title=(\w+) at/.exec(line)?.[1]);
    expect(new Set(codes).size).toBe(12);
    expect(lines).toHaveLength(51);
    expect(lines.at(-1)).toBe("::notice title=migrate::350 more problems are not shown here: see errors.csv in out");
  });

  it("uses the singular if one problem is omitted", async () => {
    const outcomes = Array.from({ length: 51 }, (_, at): Outcome => ({ ...refused("no"), record: at + 1 }));
    expect((await rendered(reporters.github, reportOf(outcomes))).trimEnd().split("\n").at(-1)).toBe(
      "::notice title=migrate::1 more problem is not shown here",
    );
  });

  it("does not name a file for standard input, and is empty if there are no problems", async () => {
    const outcome: Outcome = { ...refused("no"), source: { file: "-", line: 2 } };
    expect(await rendered(reporters.github, reportOf([outcome]))).toBe("::error title=no at a::no\n");
    expect(await rendered(reporters.github, reportOf(MIXED.slice(0, 1)))).toBe("");
  });
});

function parseCsv(text: string): string[][] {
  return parse(text);
}

function platform(detail: string): PlatformProblem {
  return { attr: "a", code: "no", detail, severity: "error", by: "platform" };
}

function refused(detail: string): Outcome {
  return { record: 1, source: { file: "a.csv", line: 2 }, status: "rejected", problems: [platform(detail)] };
}
