/** The colours of statuses on pages, in the order of bars. */
export const TONES = ["good", "idle", "unsure", "bad", "refused"] as const;
type Tone = (typeof TONES)[number];

const TONE_OF: Readonly<Partial<Record<string, Tone>>> = {
  valid: "good",
  accepted: "good",
  skipped: "good",
  ambiguous: "unsure",
  existing: "unsure",
  stale: "unsure",
  outdated: "unsure",
  invalid: "bad",
  duplicate: "bad",
  rejected: "refused",
};

/** Returns the colour of a record's status, or of its state in the migration. */
export function toneOf(status: string): Tone {
  return TONE_OF[status] ?? "idle";
}
