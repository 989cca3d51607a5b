import { definedMembers } from "../../json/defined-members.ts";
import { count, expression, fields, flag, kindReader, type KindReaders } from "./rule-schema.ts";

export const PRESENCE_KINDS: KindReaders<
  "required-when" | "forbidden-when" | "requires" | "requires-one-of" | "forbids-together"
> = {
  "required-when": kindReader({ fields, "one-of": flag() }, (rule) => ({
    check: { kind: "required-when", fields: rule.fields, oneOf: rule["one-of"] },
    about: rule.fields.flat(),
  })),
  "forbidden-when": kindReader({ fields }, (rule) => ({
    check: { kind: "forbidden-when", fields: rule.fields },
    about: rule.fields.flat(),
  })),
  requires: kindReader(
    {
      if: expression.optional(),
      needs: fields.optional(),
      "all-or-none": fields.optional(),
      "one-of": flag(),
    },
    (rule) => {
      const all = rule["all-or-none"];
      if ((all === undefined) === (rule.if === undefined || rule.needs === undefined)) {
        return 'needs "if" and "needs", or "all-or-none"';
      }
      const needs = all ?? rule.needs ?? [];
      return {
        check: { kind: "requires", needs, oneOf: rule["one-of"], ...definedMembers({ if: rule.if }) },
        about: needs.flat(),
      };
    },
  ),
  "requires-one-of": kindReader(
    { fields, min: count().default(1), max: count().optional() },
    ({ fields: groups, min, max }) => {
      if (min > (max ?? Infinity)) return '"min" must not be greater than "max"';
      if (min > groups.length) return `"min" must not be greater than the number of fields (${groups.length})`;
      return {
        check: { kind: "requires-one-of", fields: groups, min, ...definedMembers({ max }) },
        about: groups.flat(),
      };
    },
  ),
  "forbids-together": kindReader({ fields }, (rule) =>
    rule.fields.length < 2
      ? "must have at least two fields"
      : { check: { kind: "forbids-together", fields: rule.fields }, about: rule.fields.flat() },
  ),
};
