import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Outcome, STATUSES } from "../../../src/model/outcome.ts";
import type { Place } from "../../../src/model/place.ts";
import type { Problem } from "../../../src/model/problem.ts";
import { outcomeLine } from "../../../src/report/formats/json-report.ts";
import { describeProblem } from "../../../src/report/problems/problem-text.ts";
import { MIXED } from "../reports.ts";

const hidden = { showValues: false };

describe("outcomeLine", () => {
  it("has its keys in a fixed order and omits keys that do not apply", () => {
    expect(MIXED.map((outcome) => outcomeLine(outcome, hidden))).toEqual([
      '{"record":1,"key":"EXT-1","source":{"file":"accounts.csv","line":2},"status":"valid"}',
      '{"record":2,"key":"EXT-2","source":{"file":"accounts.csv","line":3},"status":"invalid","errors":[' +
        '{"attr":"customers.0.date_of_birth","code":"invalid","detail":"Must be a valid date in the format YYYY-MM-DD.",' +
        '"severity":"error","by":"local","source":{"file":"customers.csv","line":9,"column":"DOB","columnNumber":4}},' +
        '{"attr":"billing_address","code":"required","detail":"A value is required here.","severity":"error","by":"local"}]}',
      '{"record":3,"key":"EXT-3","source":{"file":"accounts.csv","line":4},"status":"rejected","errors":[' +
        '{"attr":"customers.1.mobile","code":"invalid_phone_number","detail":"Not a phone number, <sorry>: 100% sure",' +
        '"severity":"error","by":"platform","source":{"file":"customers.csv","line":11,"column":"MOBILE","columnNumber":5}}],' +
        '"http":400,"attempts":1,"durationMs":41}',
      '{"record":4,"source":{"file":"accounts.csv","line":5},"status":"ambiguous","http":502,"attempts":2}',
      '{"record":5,"key":"EXT-5","source":{"file":"more.json","line":12,"pointer":"/3"},"status":"accepted","errors":[' +
        '{"attr":"notes.0.body","code":"coerced","detail":"The platform would silently convert this number to a string.",' +
        '"severity":"warning","by":"local","source":{"file":"more.json","line":12,"pointer":"/3/notes/0/body"}}],' +
        '"http":201,"attempts":1,"account":"A-12AB34CD","durationMs":38}',
    ]);
  });

  it("shows values only on request", () => {
    const hiding = MIXED.map((outcome) => outcomeLine(outcome, hidden)).join("\n");
    expect(hiding).not.toMatch(/1980|077009001/);
    const showing = MIXED.map((outcome) => outcomeLine(outcome, { showValues: true })).join("\n");
    expect(showing).toContain('"columnNumber":4},"value":"31/12/1980"}');
  });

  it("is parsed to the same object as the output of JSON.stringify, and is safe to display", () => {
    fc.assert(
      fc.property(outcomes, fc.boolean(), (outcome, showValues) => {
        const line = outcomeLine(outcome, { showValues });
        expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(plainObject(outcome, showValues))));
        expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  it("matches the output of JSON.stringify if a terminal needs no escapes", () => {
    fc.assert(
      fc.property(outcomes, (outcome) => {
        const expected = JSON.stringify(plainObject(outcome, false));
        fc.pre(!/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{16FE4}\u{1D159}]/u.test(expected));
        expect(outcomeLine(outcome, hidden)).toBe(expected);
      }),
    );
  });
});

const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("\u001b[31m", "\u202Eevil", "\u2028", '"\\'),
);
const places: fc.Arbitrary<Place> = fc.record(
  { file: texts, line: fc.nat(), column: texts, columnNumber: fc.nat(), pointer: texts },
  { requiredKeys: ["file", "line"] },
);
const problems: fc.Arbitrary<Problem> = fc.record(
  {
    attr: texts,
    code: texts,
    detail: texts,
    severity: fc.constantFrom("error", "warning"),
    by: fc.constant("platform"),
    place: places,
    value: texts,
  },
  { requiredKeys: ["attr", "code", "detail", "severity", "by"] },
);
const outcomes: fc.Arbitrary<Outcome> = fc.record(
  {
    record: fc.nat(),
    key: texts,
    source: places,
    status: fc.constantFrom(...STATUSES),
    problems: fc.array(problems, { maxLength: 3 }),
    http: fc.nat(),
    attempts: fc.nat(),
    account: texts,
    durationMs: fc.nat(),
  },
  { requiredKeys: ["record", "source", "status", "problems"] },
);

function plainObject(
  { record, key, source, status, problems: found, ...reply }: Outcome,
  showValues: boolean,
): unknown {
  const { http, attempts, account, durationMs } = reply;
  const errors = found.map((problem) => ({
    attr: problem.attr,
    code: problem.code,
    detail: describeProblem(problem),
    severity: problem.severity,
    by: problem.by,
    source: problem.place && ordered(problem.place),
    value: showValues ? problem.value : undefined,
  }));
  const some = errors.length > 0 ? errors : undefined;
  return { record, key, source: ordered(source), status, errors: some, http, attempts, account, durationMs };
}

function ordered({ file, line, column, columnNumber, pointer }: Place): object {
  return { file, line, column, columnNumber, pointer };
}
