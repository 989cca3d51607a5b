import { z } from "zod";
import { definedMembers } from "../../json/defined-members.ts";
import {
  days,
  expression,
  flag,
  type KindReader,
  kindReader,
  type KindReaders,
  oneOrMore,
  path,
} from "./rule-schema.ts";

/** Rules about the order of dates, and about dates relative to the current time. */
export const DATE_KINDS: KindReaders<"date-order" | "not-future" | "not-past"> = {
  "date-order": kindReader(
    { earlier: expression, later: expression, strict: flag() },
    ({ earlier, later, strict }) => ({
      check: { kind: "date-order", earlier, later, strict },
      about: [earlier, later],
    }),
  ),
  "not-future": clockKind("not-future"),
  "not-past": clockKind("not-past"),
};

function clockKind(kind: "not-future" | "not-past"): KindReader {
  return kindReader({ value: expression, limit: days.default(0) }, ({ value, limit }) => ({
    check: { kind, value, limitDays: limit },
    about: [value],
  }));
}

const PERIOD = { list: path, start: expression, end: expression };

export const PERIOD_KINDS: KindReaders<"no-overlap" | "contiguous" | "covered-by"> = {
  "no-overlap": kindReader(
    { ...PERIOD, "end-inclusive": flag(), group: oneOrMore(expression).optional() },
    ({ list, start, end, "end-inclusive": endInclusive, group }) => ({
      check: { kind: "no-overlap", list, start, end, endInclusive, ...definedMembers({ group }) },
      about: [list],
    }),
  ),
  contiguous: kindReader(
    {
      ...PERIOD,
      step: oneOrMore(z.int().min(0).max(366)).default([0]),
      group: oneOrMore(expression).optional(),
      last: z.literal("open", 'must be "open", or omitted').optional(),
      from: expression.optional(),
      overlaps: flag(),
    },
    ({ list, start, end, step: steps, group, last, from, overlaps }) => ({
      check: {
        kind: "contiguous",
        list,
        start,
        end,
        endInclusive: false,
        steps,
        lastIsOpen: last === "open",
        overlaps,
        ...definedMembers({ group, from }),
      },
      about: [list],
    }),
  ),
  "covered-by": kindReader(
    {
      ...PERIOD,
      "end-inclusive": z.boolean("must be true or false").default(true),
      value: expression,
      to: expression.optional(),
      match: expression.optional(),
    },
    ({ list, start, end, "end-inclusive": endInclusive, value, to, match }) => ({
      check: { kind: "covered-by", list, start, end, endInclusive, value, ...definedMembers({ to, match }) },
      about: [value],
    }),
  ),
};
