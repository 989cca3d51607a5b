import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { counted, formatCount } from "../../../../text/count.ts";
import type { ErrorDetails } from "../../../../model/failure.ts";
import type { EditResult, FixChanges, FixOverview, FixRow, RowFilter } from "../../../fix/fix-types.ts";
import { getJson, postJson, queryOf } from "../../api.ts";
import { detailsOf } from "../../use-data.ts";
import { createDrafts, type Draft } from "./drafts.ts";
import { cellName, CHECKED_AGAIN, type EditSubject, type Unsaved } from "./unsaved.ts";

/** The server's session, and the requests of this tab. */
export interface Session {
  readonly overview: FixChanges["overview"];
  readonly load: (
    filter: RowFilter,
    range: { from: number; count: number },
    signal: AbortSignal,
  ) => Promise<readonly FixRow[]>;
  /**
   * Sends an edit. If the request fails, the promise still resolves, and `error` is set.
   * @param body can contain the `seen` of an earlier draft, so that the edit does not overwrite later changes
   */
  readonly send: (name: EditName, body: object, subject?: EditSubject) => Promise<void>;
  /** Starts a draft. The session stays on the page until the caller ends the draft. */
  readonly startDraft: () => Draft;
  readonly isSaving: boolean;
  /** The result of the last edit, or a message from the grid. */
  readonly message: string;
  readonly say: (message: string) => void;
  /** The cells that the last edit did not change, and the edits that ended with an earlier session. */
  readonly unsaved: readonly Unsaved[];
  readonly error: ErrorDetails | undefined;
  readonly fail: (error: unknown) => void;
}

type EditName = "edits" | "fill" | "replace" | "undo" | "unfinished";

interface SessionOptions {
  readonly state: FixOverview;
  /** The edits that were not saved because the earlier session had ended. */
  readonly unsaved: readonly Unsaved[];
  readonly areValuesShown: boolean;
  /** Receives the rows that an edit in this tab or elsewhere has changed; undefined if there are too many to list. */
  readonly onChanged: (rows: readonly FixRow[] | undefined) => void;
  /**
   * Called when the session has ended because the project was checked again, and nothing is being typed or saved.
   * Receives the edits that were not saved.
   */
  readonly onEnd: (unsaved: readonly Unsaved[]) => void;
}

const POLL_MS = 3000;
/** The polling period while an edit is in progress, short enough to show its progress. */
const BUSY_POLL_MS = 500;

export function useSession({ state, areValuesShown, onChanged, onEnd, ...options }: SessionOptions): Session {
  const { session } = state;
  const [overview, setOverview] = useState<Session["overview"]>(state);
  const [saving, setSaving] = useState(0);
  const [message, say] = useState("");
  const [unsaved, setUnsaved] = useState(options.unsaved);
  const [error, setError] = useState<ErrorDetails>();
  const seen = useRef(state.seq);
  const latest = useRef({ onChanged, onEnd });
  latest.current = { onChanged, onEnd };
  const values = areValuesShown ? "shown" : "hidden";
  const tab = useMemo(() => crypto.randomUUID(), []);
  const lost = useRef<readonly Unsaved[]>([]);
  const leave = (): void => latest.current.onEnd(lost.current);
  const drafts = useMemo(() => createDrafts(() => seen.current, leave), []);

  const take = (changes: FixChanges): void => {
    if (changes.seq < seen.current) return;
    seen.current = changes.seq;
    setOverview(changes.overview);
    if (changes.rows.length > 0 || changes.hasMoreRows)
      latest.current.onChanged(changes.hasMoreRows ? undefined : changes.rows);
  };
  const fail = (failed: unknown): void => {
    const details = detailsOf(failed);
    if (details.code === SESSION_CHANGED) drafts.leave();
    // `LiveError` already shows on every page that the server has stopped.
    else if (details.code !== "server_stopped") setError(details);
  };
  const isBusy = saving > 0 || overview.progress !== undefined;
  const pollMs = isBusy ? BUSY_POLL_MS : POLL_MS;
  usePolling(`/api/fix/changes?session=${session}&values=${values}`, { seen, pollMs }, { take, fail });
  const send: Session["send"] = async (name, body, subject = { where: "The last action" }) => {
    const draft = drafts.start();
    setSaving((count) => count + 1);
    setError(undefined);
    say("");
    try {
      const editor = { session, tab, seen: draft.seen, values };
      const result = await postJson<EditResult>(`/api/fix/${name}`, { ...editor, ...body });
      take(result);
      setUnsaved(unsavedCells(name, result, subject));
      say(wordsOf(name, result));
    } catch (failed) {
      if (detailsOf(failed).code === SESSION_CHANGED)
        lost.current = [...lost.current, { ...subject, message: CHECKED_AGAIN }];
      fail(failed);
    } finally {
      setSaving((count) => count - 1);
      draft.end();
    }
  };
  const load: Session["load"] = (filter, range, signal) =>
    getJson<readonly FixRow[]>(`/api/fix/rows?${queryOf({ ...filter, ...range, session, values })}`, signal);
  const startDraft = drafts.start;
  return { overview, load, send, startDraft, isSaving: saving > 0, message, say, unsaved, error, fail };
}

const SESSION_CHANGED = "session_changed";

function unsavedCells(name: EditName, { refusals }: EditResult, { value }: EditSubject): readonly Unsaved[] {
  const isTyped = name === "edits" && value !== undefined;
  return refusals.map(({ key, column, message }) => ({
    where: cellName(column, key),
    message,
    ...(isTyped && { value }),
  }));
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
      ? saved === 0 && refused === 0
        ? "Nothing to undo"
        : `${counted(saved, "cell")} restored`
      : `${counted(saved, "cell")} saved`;
  const not = refused === 0 ? "" : `, ${counted(refused, "cell")} not changed`;
  const { open } = overview.records;
  const left = open === 1 ? "1 record needs" : `${formatCount(open)} records need`;
  return `${done}${not}. ${left} work.`;
}
