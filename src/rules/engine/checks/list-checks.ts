import { addToGroup } from "../../../model/groups.ts";
import type { Expression } from "../../language/expression.ts";
import {
  type CheckContext,
  type CheckOf,
  type CompiledCheck,
  type RuleCompiler,
  valuesOf,
} from "../expressions/rule-compiler.ts";
import type { Scope } from "../rule-context.ts";
import type { Cursor } from "../expressions/cursor.ts";
import type { Walk, Predicate } from "../expressions/walk-path.ts";
import { KEY_SEPARATOR, keyText, nonMissing } from "../expressions/rule-value.ts";

/** Reports each item beyond the allowed number of items with the same key. */
export function uniqueCheck(
  { lists, key, allow, unless }: CheckOf<"unique-by">,
  { compiler }: CheckContext,
): CompiledCheck {
  const walks = lists.map(compiler.walk);
  const keyOf = itemKey(key, compiler);
  const passes = unless && compiler.test(unless);
  return (here, scope, report) => {
    if (scope.reported === undefined && countItems(walks, here, scope) <= allow) return;
    const groups = new Map<string, Cursor[]>();
    for (const walk of walks) {
      walk(here, scope, (item) => {
        const text = keyOf(item, scope);
        if (text !== undefined) addToGroup(groups, text, item);
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

export function countItems(walks: readonly Walk[], here: Cursor, scope: Scope): number {
  let count = 0;
  const add = (): void => {
    count += 1;
  };
  for (const walk of walks) walk(here, scope, add);
  return count;
}

function isPassed(item: Cursor, other: Cursor, scope: Scope, passes: Predicate | undefined): boolean {
  if (passes === undefined) return false;
  scope.other = other;
  const one = passes(item, scope);
  scope.other = item;
  const reverse = passes(other, scope);
  scope.other = undefined;
  return one || reverse;
}

/** Compiles a function that returns the key of an item, or undefined if the item lacks every part of the key. */
function itemKey(
  key: readonly Expression[] | undefined,
  compiler: RuleCompiler,
): (item: Cursor, scope: Scope) => string | undefined {
  if (key === undefined) return (item) => (nonMissing(item.value) === undefined ? undefined : keyText(item.value));
  const parts = key.map(compiler.evaluate);
  return (item, scope) => {
    const values = parts.map((part) => part(item, scope));
    return values.every((value) => value === undefined) ? undefined : values.map(keyText).join(KEY_SEPARATOR);
  };
}

/**
 * If there are too many items, reports the first item beyond the maximum. If there are too few items, reports the first
 * item, or the missing list if there are no items.
 */
export function countCheck(
  { list, group, min, max }: CheckOf<"count-limit">,
  { compiler }: CheckContext,
): CompiledCheck {
  const walk = compiler.walk(list);
  const groupsOf = groupKeys(group, compiler);
  return (here, scope, report) => {
    if (scope.reported === undefined && min === undefined) {
      if (max === undefined || countItems([walk], here, scope) <= max) return;
    }
    const groups = new Map<string, Cursor[]>(group === undefined ? [["", []]] : []);
    walk(here, scope, (item) => {
      if (nonMissing(item.value) === undefined) return;
      for (const key of groupsOf(item, scope)) addToGroup(groups, key, item);
    });
    for (const members of groups.values()) {
      if (max !== undefined && members.length > max) report(members[max]);
      if (min !== undefined && members.length < min) report(members[0], members.length === 0 ? list : undefined);
    }
  };
}

/**
 * Compiles a function that returns the keys of an item's groups: one group for each combination of the expressions'
 * values. An item is in several groups if an expression has several values. Missing values are equal to each other.
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
