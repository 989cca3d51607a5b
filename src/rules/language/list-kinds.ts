import { definedMembers } from "../../json/defined-members.ts";
import { count, expression, keyPart, kindReader, type KindReaders, oneOrMore, path } from "./rule-schema.ts";

export const LIST_KINDS: KindReaders<"unique-by" | "count-limit"> = {
  "unique-by": kindReader(
    {
      list: oneOrMore(path),
      key: oneOrMore(keyPart),
      allow: count().default(1),
      unless: expression.optional(),
    },
    ({ list: lists, key, allow, unless }) => {
      const keys = key.filter((part) => part !== "*");
      if (keys.length > 0 && keys.length < key.length) return 'the key "*" must be the only key';
      const parts = keys.length === 0 ? undefined : keys;
      return {
        check: { kind: "unique-by", lists, allow, ...definedMembers({ key: parts, unless }) },
        about: parts ?? lists,
      };
    },
  ),
  "count-limit": kindReader(
    { list: path, group: oneOrMore(expression).optional(), min: count().optional(), max: count().optional() },
    ({ list, group, min, max }) => {
      if (min === undefined && max === undefined) return 'needs "min" or "max"';
      if ((min ?? 0) > (max ?? Infinity)) return '"min" must not be greater than "max"';
      return { check: { kind: "count-limit", list, ...definedMembers({ group, min, max }) }, about: [list] };
    },
  ),
};
