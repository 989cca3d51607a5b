import { z } from "zod";
import { present } from "../model/present.ts";
import type { Expression } from "./expression.ts";
import { count, reader, type KindReaders } from "./kind-reader.ts";
import { expression, oneOrMore, path } from "./rule-parts.ts";

/** What a list may hold how often. */
export const LIST_KINDS: KindReaders<"unique-by" | "count-limit"> = {
  "unique-by": reader(
    {
      list: oneOrMore(path),
      key: oneOrMore(keyExpression()),
      allow: count().default(1),
      unless: expression.optional(),
    },
    ({ list: lists, key, allow, unless }) => {
      const keys = key.filter((part) => part !== "*");
      if (keys.length > 0 && keys.length < key.length) return 'the key "*" stands alone';
      const parts = keys.length === 0 ? undefined : keys;
      return {
        check: { kind: "unique-by", lists, allow, ...present({ key: parts, unless }) },
        about: parts ?? lists,
      };
    },
  ),
  "count-limit": reader(
    { list: path, group: oneOrMore(expression).optional(), min: count().optional(), max: count().optional() },
    ({ list, group, min, max }) =>
      min === undefined && max === undefined
        ? 'needs "min" or "max"'
        : { check: { kind: "count-limit", list, ...present({ group, min, max }) }, about: [list] },
  ),
};

function keyExpression(): z.ZodType<Expression | "*"> {
  return z.union([z.literal("*"), expression]);
}
