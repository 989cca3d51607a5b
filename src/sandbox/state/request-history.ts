import type { LoginAttempt } from "../sandbox-reply.ts";

/** One request as the platform saw it. Holds no payload values and no credentials. */
export interface HistoryEntry {
  /** 1-based, in the order of arrival. */
  readonly request: number;
  /** Arrival, ISO 8601 UTC. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** The business key in the payload, where there is one. */
  readonly key?: string;
  /** What a token was asked for with, and the code of the refusal where there was none to be had. */
  readonly login?: LoginAttempt;
  /** The status answered; absent while there is none, and when the connection was dropped or left hanging. */
  readonly status?: number;
  /** The platform did what was asked: the account was made, the notes were added, the token was given. True even if the reply was lost. */
  readonly processed: boolean;
}

export interface RequestHistory {
  readonly entries: () => readonly HistoryEntry[];
  /** Records a request; the returned function adds its outcome. */
  readonly record: (request: Pick<HistoryEntry, "at" | "method" | "path">) => (more: Partial<HistoryEntry>) => void;
  readonly clear: () => void;
}

export function createRequestHistory(): RequestHistory {
  let entries: HistoryEntry[] = [];
  let count = 0;
  return {
    entries: () => entries,
    record: (request) => {
      count += 1;
      const current = entries; // `clear` starts another list
      const index = current.push({ request: count, ...request, processed: false }) - 1;
      return (more) => {
        const entry = current[index];
        if (entry !== undefined) current[index] = { ...entry, ...more };
      };
    },
    clear: () => {
      entries = [];
      count = 0;
    },
  };
}
