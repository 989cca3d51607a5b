import type { CheckContext, CheckOf, Judge } from "./checks.ts";
import { eachValue } from "./value-checks.ts";
import { shiftDays } from "./local-day.ts";
import type { Spot } from "./spot.ts";
import type { Value } from "./value.ts";

const DAY_MS = 86_400_000;

/** Points at the later of the two, unless only the earlier one has several values. */
export function dateOrderCheck(
  { earlier, later, strict }: CheckOf<"date-order">,
  { compiler, skipIfMissing }: CheckContext,
): Judge {
  const [before, after] = [compiler.collect(earlier), compiler.collect(later)];
  const isWrong = (one: Value, other: Value): boolean => {
    const order = compiler.order(one, other);
    return order !== undefined && (order > 0 || (strict && order === 0));
  };
  return (here, scope, report) => {
    const starts: Dated[] = [];
    const ends: Dated[] = [];
    before(here, scope, (value, spot) => starts.push({ value, spot }));
    after(here, scope, (value, spot) => ends.push({ value, spot }));
    if (starts.length === 0 || ends.length === 0) {
      if (!skipIfMissing) report();
      return;
    }
    const wrong =
      ends.length === 1 && starts.length > 1
        ? starts.filter(({ value }) => ends.some((end) => isWrong(value, end.value)))
        : ends.filter(({ value }) => starts.some((start) => isWrong(start.value, value)));
    for (const { spot } of wrong) report(spot);
  };
}

interface Dated {
  readonly value: Value;
  readonly spot: Spot | undefined;
}

export function clockCheck(
  { kind, value, limitDays }: CheckOf<"not-future" | "not-past">,
  context: CheckContext,
): Judge {
  const { compiler } = context;
  const { today, earliest, latest } = compiler.world.now;
  const isFuture = kind === "not-future";
  const day = shiftDays(today, isFuture ? limitDays : -limitDays) ?? today;
  const instant = isFuture ? latest + limitDays * DAY_MS : earliest - limitDays * DAY_MS;
  return eachValue(compiler.collect(value), context, (each) => {
    if (typeof each !== "string") return true;
    if (each.length === 10) return isFuture ? each <= day : each >= day;
    const moment = Date.parse(each);
    return Number.isNaN(moment) || (isFuture ? moment <= instant : moment >= instant);
  });
}
