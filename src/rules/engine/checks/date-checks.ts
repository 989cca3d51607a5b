import { daysBetween, instantOf, isIsoDate, isIsoDateTime, shiftDays } from "../../../time/calendar.ts";
import { addToGroup } from "../../../model/groups.ts";
import type { Periods } from "../../language/rule.ts";
import type { Cursor } from "../expressions/cursor.ts";
import type { CheckContext, CheckOf, CompiledCheck, RuleCompiler } from "../expressions/rule-compiler.ts";
import type { Value } from "../expressions/rule-value.ts";
import type { Scope } from "../rule-context.ts";
import { countItems, groupKeys } from "./list-checks.ts";
import { eachCollected, eachValue } from "./value-checks.ts";

/**
 * Reports each later date that violates the order. If only the earlier operand has several values, reports the earlier
 * dates instead.
 */
export function dateOrderCheck(
  { earlier, later, strict }: CheckOf<"date-order">,
  { compiler, skipIfMissing }: CheckContext,
): CompiledCheck {
  const [before, after] = [compiler.collect(earlier), compiler.collect(later)];
  const isWrong = (one: Value, other: Value): boolean => {
    const order = compiler.order(one, other);
    return order !== undefined && (order > 0 || (strict && order === 0));
  };
  const [single, other] = [compiler.single(earlier), compiler.single(later)];
  const check: CompiledCheck = (here, scope, report) => {
    const starts: DatedValue[] = [];
    const ends: DatedValue[] = [];
    const incomplete = new Set<Cursor | undefined>();
    const lacks = (item?: Cursor): void => void incomplete.add(item);
    before(here, scope, (value, cursor) => starts.push({ value, cursor }), lacks);
    after(here, scope, (value, cursor) => ends.push({ value, cursor }), lacks);
    if (incomplete.size === 0 && (starts.length === 0 || ends.length === 0)) lacks();
    if (!skipIfMissing) for (const item of incomplete) report(item);
    const wrong =
      ends.length === 1 && starts.length > 1
        ? starts.filter(({ value }) => ends.some((end) => isWrong(value, end.value)))
        : ends.filter(({ value }) => starts.some((start) => isWrong(start.value, value)));
    for (const { cursor } of wrong) report(cursor);
  };
  if (single === undefined || other === undefined) return check;
  return (here, scope, report) => {
    if (scope.reported === undefined) {
      const [start, end] = [single(here, scope), other(here, scope)];
      if (start === undefined || end === undefined ? skipIfMissing : !isWrong(start, end)) return;
    }
    check(here, scope, report);
  };
}

interface DatedValue {
  readonly value: Value;
  readonly cursor: Cursor | undefined;
}

export function clockCheck(
  { kind, value, limitDays }: CheckOf<"not-future" | "not-past">,
  context: CheckContext,
): CompiledCheck {
  const { compiler } = context;
  const { today, earliest, latest } = compiler.context.clock;
  const isFuture = kind === "not-future";
  const day = shiftDays(today, isFuture ? limitDays : -limitDays) ?? today;
  const instant = isFuture ? latest(limitDays) : earliest(limitDays);
  return eachValue(value, context, (each) => {
    if (typeof each !== "string") return true;
    if (isIsoDate(each)) return isFuture ? each <= day : each >= day;
    if (!isIsoDateTime(each)) return true;
    const moment = instantOf(each);
    return isFuture ? moment <= instant : moment >= instant;
  });
}

interface Period {
  readonly item: Cursor;
  readonly start: string;
  /** Undefined for an open-ended period. */
  readonly end: string | undefined;
}

/** Reports the later of two overlapping periods. */
export function overlapCheck(check: CheckOf<"no-overlap">, { compiler }: CheckContext): CompiledCheck {
  const periodsOf = groupedPeriods(check, compiler);
  const reaches = (end: string | undefined, start: string): boolean => {
    if (end === undefined) return true;
    const order = compiler.order(end, start);
    return order !== undefined && (order > 0 || (check.endInclusive && order === 0));
  };
  const walks = [compiler.walk(check.list)];
  return (here, scope, report) => {
    if (scope.reported === undefined && countItems(walks, here, scope) < 2) return;
    for (const periods of periodsOf(here, scope)) {
      let last: Period | undefined;
      for (const period of periods) {
        if (isEmpty(period, check.endInclusive, compiler)) continue;
        if (last !== undefined && reaches(last.end, period.start)) report(period.item);
        if (last === undefined || endsAfter(period, last, compiler)) last = period;
      }
    }
  };
}

/**
 * Whether a period is empty: it ends before it starts or, if the end is exclusive, at its start. Such a period is
 * skipped, because other rules report it.
 */
function isEmpty({ start, end }: Period, endInclusive: boolean, { order }: RuleCompiler): boolean {
  const sign = end === undefined ? undefined : order(end, start);
  return sign !== undefined && (sign < 0 || (!endInclusive && sign === 0));
}

function endsAfter(one: Period, other: Period, { order }: RuleCompiler): boolean {
  if (other.end === undefined) return false;
  return one.end === undefined || (order(one.end, other.end) ?? 0) > 0;
}

/**
 * Reports each period whose start does not fit the end of the previous period, and the last period if it must be open
 * but has an end.
 */
export function contiguousCheck(check: CheckOf<"contiguous">, { compiler }: CheckContext): CompiledCheck {
  const periodsOf = groupedPeriods(check, compiler);
  const from = check.from && compiler.evaluate(check.from);
  const fits = startTest(check, compiler);
  const succeeds = (period: Period, before: Period): boolean => !check.overlaps || endsAfter(period, before, compiler);
  return (here, scope, report) => {
    const limit = from?.(here, scope);
    for (const periods of periodsOf(here, scope)) {
      let before = periods[0];
      for (const period of periods.slice(1)) {
        if (before === undefined) break;
        const isIgnored = (compiler.order(period.start, limit) ?? 1) <= 0;
        if (!isIgnored && !fits(before.end, period.start)) report(period.item);
        if (succeeds(period, before)) before = period;
      }
      const last = periods.at(-1);
      if (check.lastIsOpen && last?.end !== undefined) report(last.item);
    }
  };
}

type StartTest = (end: string | undefined, start: string) => boolean;

/** Compiles the test of a period's start against the end of the previous period. */
function startTest({ steps, overlaps }: CheckOf<"contiguous">, { context: { clock } }: RuleCompiler): StartTest {
  const dayOf = (text: string): string => (isIsoDateTime(text) ? clock.dayOf(instantOf(text)) : text);
  /**
   * Returns the difference between the start and the end plus the step: in milliseconds for date-times, otherwise in
   * days. Negative if the start is too early.
   */
  const lateness = (end: string, start: string, step: number): number => {
    if (isIsoDateTime(end) && isIsoDateTime(start)) return instantOf(start) - clock.addDays(instantOf(end), step);
    return daysBetween(dayOf(end), dayOf(start)) - step;
  };
  if (overlaps) return (end, start) => end === undefined || lateness(end, start, Math.max(...steps)) <= 0;
  return (end, start) => end !== undefined && steps.some((step) => lateness(end, start, step) === 0);
}

/**
 * Compiles a function that returns the periods of each group, in the order of their starts. Items without a start are
 * omitted.
 */
function groupedPeriods(
  { list, start, end, group }: Periods,
  compiler: RuleCompiler,
): (here: Cursor, scope: Scope) => Iterable<readonly Period[]> {
  const walk = compiler.walk(list);
  const [startOf, endOf] = [compiler.evaluate(start), compiler.evaluate(end)];
  const groupsOf = groupKeys(group, compiler);
  /** Periods with the same start are in the order of their ends, so an empty period precedes the others. */
  const inOrder = (one: Period, other: Period): number =>
    compiler.order(one.start, other.start) ||
    Number(endsAfter(one, other, compiler)) - Number(endsAfter(other, one, compiler));
  return (here, scope) => {
    const groups = new Map<string, Period[]>();
    walk(here, scope, (item) => {
      const [first, last] = [startOf(item, scope), endOf(item, scope)];
      if (typeof first !== "string") return;
      const period: Period = { item, start: first, end: typeof last === "string" ? last : undefined };
      for (const key of groupsOf(item, scope)) addToGroup(groups, key, period);
    });
    return [...groups.values()].map((periods) => periods.toSorted(inOrder));
  };
}

/** Reports a value that no period of the list covers. */
export function coveredCheck(check: CheckOf<"covered-by">, context: CheckContext): CompiledCheck {
  const { compiler } = context;
  const periodsOf = groupedPeriods(check, compiler);
  const values = compiler.collect(check.value);
  const to = check.to && compiler.evaluate(check.to);
  const matches = check.match && compiler.test(check.match);
  const covers = ({ start, end }: Period, first: Value, last: Value): boolean => {
    if ((compiler.order(start, first) ?? 1) > 0) return false;
    if (end === undefined) return true;
    const order = compiler.order(last, end) ?? 1;
    return check.endInclusive ? order <= 0 : order < 0;
  };
  return (here, scope, report) => {
    const periods = [...periodsOf(here, scope)].flat().filter(({ item }) => matches?.(item, scope) ?? true);
    const last = to?.(here, scope);
    const fits = (value: Value): boolean => periods.some((period) => covers(period, value, last ?? value));
    eachCollected(values, context, fits)(here, scope, report);
  };
}
