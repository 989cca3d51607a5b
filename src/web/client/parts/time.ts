/** Formats an ISO 8601 time as `2026-11-22 17:50 UTC`. */
export function momentText(at: string): string {
  return `${at.slice(0, 16).replace("T", " ")} UTC`;
}
