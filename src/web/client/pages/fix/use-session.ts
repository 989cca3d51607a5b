import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { counted, formatCount } from "../../../../text/count.ts";
import type { ErrorDetails } from "../../../../model/failure.ts";
import type { EditResult, FixChanges, FixOverview, FixRow, Refusal, RowFilter } from "../../../fix/fix-types.ts";
import { getJson, postJson, queryOf } from "../../api.ts";
import { detailsOf } from "../../use-data.ts";

/** The server's session, and the requests of this tab. */
export interface Session {
  readonly overview: FixChanges["overview"];
  readonly load: (
    filter: RowFilter,
    range: { from: number; count: number },
    signal: AbortSignal,
  ) => Promise<readonly FixRow[]>;
  /** Sends an edit. If the request fails, the promise still resolves, and `error` is set. */
  readonly send: (name: "edits" | "fill" | "replace" | "undo" | "unfinished", body: object) => Promise<void>;
  readonly isSaving: boolean;
  /** The result of the last edit, or a message from the grid. */
  readonly message: string;
  readonly say: (message: string) => void;
  readonly refusals: readonly Refusal[];
  readonly error: ErrorDetails | undefined;
  readonly fail: (error: unknown) => void;
}

interface SessionOptions {
  readonly state: FixOverview;
  readonly areValuesShown: boolean;
  /** Receives the rows that an edit in this tab or elsewhere has changed; undefined if there are too many to list. */
  readonly onChanged: (rows: readonly FixRow[] | undefined) => void;
  /** Called when the session has ended because the project was checked again. */
  readonly onEnd: () => void;
}

const POLL_MS = 3000;
/** The polling period while an edit is in progress, short enough to show its progress. */
const BUSY_POLL_MS = 500;

export function useSession({ state, areValuesShown, onChanged, onEnd }: SessionOptions): Session {
  const { session } = state;
  const [overview, setOverview] = useState<Session["overview"]>(state);
  const [saving, setSaving] = useState(0);
  const [message, say] = useState("");
  const [refusals, setRefusals] = useState<readonly Refusal[]>([]);
  const [error, setError] = useState<ErrorDetails>();
  const seen = useRef(state.seq);
  const latest = useRef({ onChanged, onEnd });
  latest.current = { onChanged, onEnd };
  const values = areValuesShown ? "shown" : "hidden";
  const tab = useMemo(() => crypto.randomUUID(), []);

  const take = (changes: FixChanges): void => {
    if (changes.seq < seen.current) return;
    seen.current = changes.seq;
    setOverview(changes.overview);
    if (changes.rows.length > 0 || changes.hasMoreRows)
      latest.current.onChanged(changes.hasMoreRows ? undefined : changes.rows);
  };
  const fail = (failed: unknown): void => {
    const details = detailsOf(failed);
    if (details.code === "session_changed") latest.current.onEnd();
    else setError(details);
  };
  const isBusy = saving > 0 || overview.progress !== undefined;
  const pollMs = isBusy ? BUSY_POLL_MS : POLL_MS;
  usePolling(`/api/fix/changes?session=${session}&values=${values}`, { seen, pollMs }, { take, fail });
  const send: Session["send"] = async (name, body) => {
    setSaving((count) => count + 1);
    setError(undefined);
    try {
      const editor = { session, tab, seen: seen.current, values };
      const result = await postJson<EditResult>(`/api/fix/${name}`, { ...editor, ...body });
      take(result);
      setRefusals(result.refusals);
      say(wordsOf(name, result));
    } catch (failed) {
      fail(failed);
    } finally {
      setSaving((count) => count - 1);
    }
  };
  const load: Session["load"] = (filter, range, signal) =>
    getJson<readonly FixRow[]>(`/api/fix/rows?${queryOf({ ...filter, ...range, session, values })}`, signal);
  return { overview, load, send, isSaving: saving > 0, message, say, refusals, error, fail };
}

interface Taking {
  readonly take: (changes: FixChanges) => void;
  readonly fail: (error: unknown) => void;
}

interface Polling {
  readonly seen: { readonly current: number };
  readonly pollMs: number;
}

/** Polls for changes from other tabs and programs while this tab is visible. */
function usePolling(path: string, { seen, pollMs }: Polling, taking: Taking): void {
  const latest = useRef(taking);
  latest.current = taking;
  useEffect(() => {
    const ending = new AbortController();
    const ask = (): void => {
      if (document.visibilityState !== "visible") return;
      getJson<FixChanges>(`${path}&seen=${seen.current}`, ending.signal).then(
        (changes) => latest.current.take(changes),
        (failed: unknown) => {
          if (!ending.signal.aborted) latest.current.fail(failed);
        },
      );
    };
    const timer = setInterval(ask, pollMs);
    addEventListener("focus", ask);
    return () => {
      clearInterval(timer);
      removeEventListener("focus", ask);
      ending.abort();
    };
  }, [path, pollMs]);
}

function wordsOf(name: string, { saved, refused, overview }: EditResult): string {
  const done =
    name === "undo" || (name === "unfinished" && saved > 0)
      ? saved === 0
        ? "Nothing to undo"
        : `${counted(saved, "cell")} restored`
      : `${counted(saved, "cell")} saved`;
  const not = refused === 0 ? "" : `, ${counted(refused, "cell")} not changed`;
  const { open } = overview.records;
  const left = open === 1 ? "1 record needs" : `${formatCount(open)} records need`;
  return `${done}${not}. ${left} work.`;
}
