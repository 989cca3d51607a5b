/** `12,345`. Without `Intl`, because its first use in a process takes as long as a short command. */
export function formatCount(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

/** `1 record`, `12,345 records`. */
export function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${plural(count, noun)}`;
}

/** The noun in the form that the count requires; for nouns whose plural ends in `s`. */
export function plural(count: number, noun: string): string {
  return count === 1 ? noun : `${noun}s`;
}
