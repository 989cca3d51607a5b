import type { Expression } from "../../../../src/rules/language/expression.ts";
import {
  type CheckContext,
  type CheckOf,
  type CompiledCheck,
  type RuleCompiler,
  valuesOf,
} from "../expressions/rule-compiler.ts";
import type { Scope } from "../../../../src/rules/engine/rule-context.ts";
import type { Cursor } from "../expressions/cursor.ts";
import { nonMissing, keyText } from "../expressions/rule-value.ts";

/** Reports each item that exceeds the allowed number of items with the same key. */
export function uniqueCheck(
  { lists, key, allow, unless }: CheckOf<"unique-by">,
  { compiler }: CheckContext,
): CompiledCheck {
  const walks = lists.map(compiler.walk);
  const keyOf = itemKey(key, compiler);
  const passes = unless && compiler.test(unless);
  return (here, scope, report) => {
    const groups = new Map<string, Cursor[]>();
    for (const walk of walks) {
      walk(here, scope, (item) => {
        const text = keyOf(item, scope);
        if (text === undefined) return;
        const group = groups.get(text);
        if (group === undefined) groups.set(text, [item]);
        else group.push(item);
      });
    }
    for (const group of groups.values()) {
      if (group.length <= allow) continue;
      for (const [index, item] of group.entries()) {
        const like = group.slice(0, index).filter((other) => !isPassed(item, other, scope, passes));
        if (like.length >= allow) report(item);
      }
    }
  };
}

function isPassed(
  item: Cursor,
  other: Cursor,
  scope: Scope,
  passes: ReturnType<RuleCompiler["test"]> | undefined,
): boolean {
  if (passes === undefined) return false;
  scope.other = other;
  const one = passes(item, scope);
  scope.other = item;
  const reverse = passes(other, scope);
  scope.other = undefined;
  return one || reverse;
}

/** Compiles the key of an item. The key is undefined if the item lacks every part of the key. */
function itemKey(
  key: readonly Expression[] | undefined,
  compiler: RuleCompiler,
): (item: Cursor, scope: Scope) => string | undefined {
  if (key === undefined) return (item) => (nonMissing(item.value) === undefined ? undefined : keyText(item.value));
  const parts = key.map(compiler.evaluate);
  return (item, scope) => {
    const values = parts.map((part) => part(item, scope));
    return values.every((value) => value === undefined) ? undefined : values.map(keyText).join("\0");
  };
}

/** Reports the first item beyond the maximum, and the first item of a group below the minimum. */
export function countCheck(
  { list, group, min, max }: CheckOf<"count-limit">,
  { compiler }: CheckContext,
): CompiledCheck {
  const walk = compiler.walk(list);
  const groupsOf = groupKeys(group, compiler);
  return (here, scope, report) => {
    const groups = new Map<string, Cursor[]>(group === undefined ? [["", []]] : []);
    walk(here, scope, (item) => {
      if (nonMissing(item.value) === undefined) return;
      for (const key of groupsOf(item, scope)) {
        const members = groups.get(key);
        if (members === undefined) groups.set(key, [item]);
        else members.push(item);
      }
    });
    for (const members of groups.values()) {
      if (max !== undefined && members.length > max) report(members[max]);
      if (min !== undefined && members.length < min) report(members[0], members.length === 0 ? list : undefined);
    }
  };
}

/**
 * Compiles the groups of an item: one for each combination of its parts' values. An item has several groups if a part
 * is a list. Missing parts are equal to each other.
 */
export function groupKeys(
  group: readonly Expression[] | undefined,
  compiler: RuleCompiler,
): (item: Cursor, scope: Scope) => readonly string[] {
  if (group === undefined) return () => [""];
  const collects = group.map(compiler.collect);
  return (item, scope) => {
    let keys: readonly string[] = [""];
    for (const collect of collects) {
      const values = valuesOf(collect, item, scope).map(keyText);
      const parts = values.length === 0 ? [keyText(undefined)] : values;
      keys = keys.flatMap((key) => parts.map((part) => `${key}\n${part}`));
    }
    return keys;
  };
}
