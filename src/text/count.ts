/**
 * Formats a count as `12,345`. Does not use `Intl`, because its first use in a process takes as long as a short
 * command.
 */
export function formatCount(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Formats a count with its noun: `1 record`, `12,345 records`. */
export function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${plural(count, noun)}`;
}

/** Lists the counts that are not zero, in the order of `names`: `12 accepted`, `3 rejected`. */
export function countsByName<Name extends string>(
  counts: Readonly<Partial<Record<Name, number>>>,
  names: readonly Name[],
): readonly string[] {
  return names.flatMap((name) => (counts[name] ? [`${formatCount(counts[name])} ${name}`] : []));
}

/** Only for nouns whose plural adds an `s`. */
export function plural(count: number, noun: string): string {
  return count === 1 ? noun : `${noun}s`;
}

/**
 * Returns the verb after `part of whole`: the singular if the part or the whole is one, as in `0 of 1 record is` and
 * `1 of 3 records is`.
 */
export function verbOfShare(part: number, whole: number, [one, several]: readonly [string, string]): string {
  return part === 1 || whole === 1 ? one : several;
}

/** Formats a share as a percentage: `100%` only if everything is done, and `0%` only if nothing is done. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return "100%";
  const share = Math.min(part < whole ? 99 : 100, Math.round((100 * part) / whole));
  return share === 0 && part > 0 ? "< 1%" : `${share}%`;
}

export function rateText(perSecond: number): string {
  return perSecond >= 10 ? formatCount(Math.round(perSecond)) : String(perSecond);
}

/** Formats a duration: `45 s`, `12 min`, `3 h 05 min`. */
export function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}
