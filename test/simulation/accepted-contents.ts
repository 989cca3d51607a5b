import type { Outcome } from "../../src/model/outcome.ts";

/** The contents that the ledger has reported as accepted, by business key. */
export interface AcceptedContents {
  /** Notes that a request with this content may reach the platform. */
  readonly sent: (key: string, content: string) => void;
  /** Notes that a process died with an intent for the record, so that its content on the platform is unclear. */
  readonly interrupted: (key: string) => void;
  /** Notes the outcome of a record in a run that planned this content. */
  readonly settled: (outcome: Outcome, content: string) => void;
  /**
   * Returns the content that was accepted last. Returns undefined if there is none, or if the ledger or the platform
   * may have other content since then.
   */
  readonly certain: (key: string) => string | undefined;
  /** Whether this content was accepted and may still be on the platform. */
  readonly has: (key: string, content: string) => boolean;
  /** Whether the record was `existing`: the platform has it, perhaps with any of the contents that were sent. */
  readonly isExisting: (key: string) => boolean;
  /** Makes every accepted content uncertain, because an older copy may lack it. */
  readonly restored: () => void;
}

interface Accepted {
  readonly last: string;
  readonly contents: ReadonlySet<string>;
  /** Whether the last acceptance may be lost, or other content was sent after it and was not rejected. */
  readonly isUnclear: boolean;
}

/** @param isReplaced whether newly accepted content replaces the earlier content on the platform */
export function createAcceptedContents(isReplaced: boolean): AcceptedContents {
  const accepted = new Map<string, Accepted>();
  const existing = new Set<string>();
  return {
    sent(key, content) {
      const known = accepted.get(key);
      if (known !== undefined && known.last !== content) accepted.set(key, { ...known, isUnclear: true });
    },
    interrupted(key) {
      const known = accepted.get(key);
      if (known !== undefined) accepted.set(key, { ...known, isUnclear: true });
    },
    settled(outcome, content) {
      const { key = "", status } = outcome;
      const known = accepted.get(key);
      if (status === "existing") existing.add(key);
      if (hasPlannedContent(outcome)) {
        const contents = new Set([...(isReplaced ? [] : (known?.contents ?? [])), content]);
        accepted.set(key, { last: content, contents, isUnclear: false });
      } else if (status === "rejected" && known !== undefined && known.last !== content) {
        accepted.set(key, { ...known, isUnclear: false });
      }
    },
    certain(key) {
      const known = accepted.get(key);
      return known?.isUnclear === false ? known.last : undefined;
    },
    has: (key, content) => accepted.get(key)?.contents.has(content) === true,
    isExisting: (key) => existing.has(key),
    restored() {
      for (const [key, known] of accepted) accepted.set(key, { ...known, isUnclear: true });
    },
  };
}

/** Whether the ledger claims that the platform has the planned content of the record. */
export function hasPlannedContent(outcome: Outcome): boolean {
  return outcome.status === "accepted" || (outcome.status === "skipped" && !isCorrected(outcome));
}

/** Whether the record was skipped because the platform has a corrected version of its content. */
export function isCorrected({ problems }: Outcome): boolean {
  return problems.some(({ code }) => code === "corrected_since");
}
