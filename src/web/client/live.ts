import { useEffect, useState } from "preact/hooks";
import type { ErrorDetails } from "../../model/failure.ts";
import type { OverviewEvent, OverviewMessage } from "../overview/overview-data.ts";
import type { PushState } from "../push/push-data.ts";
import { getJson, postJson } from "./api.ts";
import { detailsOf } from "./use-data.ts";

export interface Live {
  readonly event: OverviewEvent | undefined;
  /** Set if the server cannot be reached, or cannot read the settings or the ledger. */
  readonly error: ErrorDetails | undefined;
}

const EVERY_MS = 1000;
const listeners = new Set<() => void>();
let current: Live = { event: undefined, error: undefined };

function change(next: Partial<Live>): void {
  current = { ...current, ...next };
  for (const listener of listeners) listener();
}

/**
 * Asks the server for its activity until the signal is aborted. A stream of events would hold a connection for each
 * tab, and browsers open at most six connections to a server: with six tabs, all other requests would wait forever.
 */
export async function followActivity(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const message = await getJson<OverviewMessage>("/api/overview/live", signal);
      change(message.kind === "live" ? { event: message.event, error: undefined } : { error: message.error });
    } catch (error) {
      if (!signal.aborted) change({ error: detailsOf(error) });
    }
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}

/** Returns the current activity. Only components that call this hook are rendered again for each event. */
export function useLive(): Live {
  return useLivePart((live) => live);
}

/** Returns a part of the current activity. A component that calls this hook is rendered again if the part changes. */
export function useLivePart<Part>(partOf: (live: Live) => Part): Part {
  const [part, setPart] = useState(() => partOf(current));
  useEffect(() => {
    const listener = (): void => setPart(() => partOf(current));
    listeners.add(listener);
    listener();
    return () => void listeners.delete(listener);
  }, []);
  return part;
}

export type PushAction = "check" | "start" | "stop" | "dismiss";

/** Asks the server to check, start, stop or dismiss a push. Returns the error if the server refuses. */
export async function changePush(action: PushAction, body: object = {}): Promise<ErrorDetails | undefined> {
  try {
    const push = await postJson<PushState>(`/api/push/${action}`, body);
    if (current.event !== undefined) change({ event: { ...current.event, push } });
    return undefined;
  } catch (error) {
    return detailsOf(error);
  }
}
