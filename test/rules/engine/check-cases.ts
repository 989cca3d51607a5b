import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/json/json-value.ts";
import { problemsOfRule, type Judging } from "./compiled-rules.ts";

/** A rule with payloads that satisfy it and payloads that violate it. */
export interface Case {
  readonly rule: JsonObject;
  readonly pass: readonly JsonObject[];
  readonly fail: readonly JsonObject[];
  readonly with?: Judging;
  /** The attr and code of the problem in the failing payloads. Default: a problem of the object. */
  readonly attr?: string;
}

/** The result of `problemsOfRule` for a problem of the object itself. */
export const OBJECT_PROBLEM = "non_field_errors broken";

export function describeCases(cases: Readonly<Record<string, Case>>): void {
  describe.each(Object.entries(cases))(
    "%s",
    (_name, { rule, pass, fail, attr = OBJECT_PROBLEM, with: judging = {} }) => {
      it.each(pass)("accepts %j", (payload) => {
        expect(problemsOfRule(rule, payload, judging)).toEqual([]);
      });

      it.each(fail)("reports %j", (payload) => {
        expect(problemsOfRule(rule, payload, judging)).toEqual([attr]);
        expect(problemsOfRule({ ...rule, severity: "warning" }, payload, judging)).toEqual([`warning ${attr}`]);
      });
    },
  );
}
