import { useCallback, useEffect, useState } from "preact/hooks";
import type { ErrorDetails } from "../../model/failure.ts";
import { ApiError, getJson } from "./api.ts";

/** Data from the server. After an error, the previous data remains. */
export interface LoadState<T> {
  readonly data: T | undefined;
  readonly error: ErrorDetails | undefined;
  readonly isLoading: boolean;
}

export interface Loaded<T> extends LoadState<T> {
  readonly reload: () => void;
}

/**
 * Loads data when the page opens, after `reload`, and when `path` or `key` changes. Loads nothing while there is no
 * path.
 */
export function useData<T>(path: string | undefined, key?: unknown): Loaded<T> {
  const [state, setState] = useState<LoadState<T>>({ data: undefined, error: undefined, isLoading: true });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (path === undefined) return undefined;
    const ending = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    getJson<T>(path, ending.signal).then(
      (data) => setState({ data, error: undefined, isLoading: false }),
      (error: unknown) => {
        if (ending.signal.aborted) return;
        setState((before) => ({ ...before, error: detailsOf(error), isLoading: false }));
      },
    );
    return () => ending.abort();
  }, [path, key, turn]);
  return { ...state, reload: useCallback(() => setTurn((before) => before + 1), []) };
}

/**
 * Returns the details of a failed action. Returns undefined if the server has stopped, because `LiveError` shows this
 * on every page until the server answers again.
 */
export function actionError(error: unknown): ErrorDetails | undefined {
  const details = detailsOf(error);
  return details.code === "server_stopped" ? undefined : details;
}

/** Returns the details of an `ApiError`. Rethrows any other error. */
export function detailsOf(error: unknown): ErrorDetails {
  if (error instanceof ApiError) return error.details;
  throw error;
}
