import { z } from "zod";
import { present } from "../model/present.ts";
import { flag, reader, type KindReaders } from "./kind-reader.ts";
import { expression, oneOrMore, path } from "./rule-parts.ts";

/** How periods lie to each other. */
export const PERIOD_KINDS: KindReaders<"no-overlap" | "contiguous" | "covered-by"> = {
  "no-overlap": reader(
    { ...periodMembers(), "end-inclusive": flag(), group: oneOrMore(expression).optional() },
    ({ list, start, end, "end-inclusive": endInclusive, group }) => ({
      check: { kind: "no-overlap", list, start, end, endInclusive, ...present({ group }) },
      about: [list],
    }),
  ),
  contiguous: reader(
    {
      ...periodMembers(),
      step: oneOrMore(z.int().min(0).max(366)).default([0]),
      group: oneOrMore(expression).optional(),
      last: z.literal("open", 'must be "open", or left out').optional(),
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
        lastOpen: last === "open",
        overlaps,
        ...present({ group, from }),
      },
      about: [list],
    }),
  ),
  "covered-by": reader(
    {
      ...periodMembers(),
      "end-inclusive": z.boolean("must be true or false").default(true),
      value: expression,
      to: expression.optional(),
      match: expression.optional(),
    },
    ({ list, start, end, "end-inclusive": endInclusive, value, to, match }) => ({
      check: { kind: "covered-by", list, start, end, endInclusive, value, ...present({ to, match }) },
      about: [value],
    }),
  ),
};

function periodMembers(): { list: typeof path; start: typeof expression; end: typeof expression } {
  return { list: path, start: expression, end: expression };
}
