import type { LoginAttempt } from "../sandbox-reply.ts";

/** One request received by the platform. Contains no payload values and no credentials. */
export interface HistoryEntry {
  /** Number of the request, counted from 1 in the order of arrival. */
  readonly request: number;
  /** Time of arrival, ISO 8601 UTC. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** The business key in the payload, if it has one. */
  readonly key?: string;
  /** The credential of a token request, and the code of the refusal if it was refused. */
  readonly login?: LoginAttempt;
  /** The status of the reply. Absent before the reply, and if the connection was dropped or left open. */
  readonly status?: number;
  /** Whether the platform did the work (account created, notes added, token issued), even if the reply was lost. */
  readonly processed: boolean;
}

export interface RequestHistory {
  readonly entries: () => readonly HistoryEntry[];
  /** Records a request. The returned function adds its outcome. */
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
      const current = entries; // `clear` starts a new list
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
