import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/json/json-value.ts";
import { broken, type Judging } from "./compiled-rules.ts";

/** A rule, payloads that it lets pass, and payloads that it does not. */
export interface Case {
  readonly rule: JsonObject;
  readonly pass: readonly JsonObject[];
  readonly fail: readonly JsonObject[];
  readonly with?: Judging;
  /** Where the first failing payload is reported; default: the object. */
  readonly attr?: string;
}

/** What `broken` says of the object itself. */
export const HERE = "non_field_errors broken";

export function describeCases(cases: Readonly<Record<string, Case>>): void {
  describe.each(Object.entries(cases))("%s", (_name, { rule, pass, fail, attr = HERE, with: judging = {} }) => {
    it.each(pass)("passes %j", (payload) => {
      expect(broken(rule, payload, judging)).toEqual([]);
    });

    it.each(fail)("fails %j", (payload) => {
      expect(broken(rule, payload, judging)).toEqual([attr]);
      expect(broken({ ...rule, severity: "warning" }, payload, judging)).toEqual([`warning ${attr}`]);
    });
  });
}
