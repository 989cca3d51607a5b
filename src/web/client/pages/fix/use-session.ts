import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { counted, formatCount } from "../../../../text/count.ts";
import type { ErrorDetails } from "../../../../model/failure.ts";
import type { EditResult, FixChanges, FixOverview, FixRow, RowFilter } from "../../../fix/fix-types.ts";
import { getJson, postJson, queryOf } from "../../api.ts";
import { actionError, detailsOf } from "../../use-data.ts";
import { useLeaveWarning } from "../../use-leave-warning.ts";
import { useQueue } from "../../use-queue.ts";
import { createDrafts, type Draft, type Drafts } from "./drafts.ts";
import { cellName, type EditSubject, noteEdit, reasonOf, type Unsaved } from "./unsaved.ts";

/** The server's session, and the requests of this tab. */
export interface Session {
  readonly overview: FixChanges["overview"];
  readonly load: (
    filter: RowFilter,
    range: { from: number; count: number },
    signal: AbortSignal,
  ) => Promise<readonly FixRow[]>;
  /**
   * Sends an edit after all earlier edits have ended. Returns false if the request fails; the edit is then listed as
   * not saved.
   * @param body can contain the `seen` of an earlier draft, so that the edit does not overwrite later changes
   */
  readonly send: (name: EditName, body: object, subject?: EditSubject) => Promise<boolean>;
  /** Starts a draft. The session stays on the page until the caller ends the draft. */
  readonly startDraft: () => Draft;
  readonly leave: Drafts["leave"];
  readonly isSaving: boolean;
  /** The result of the last edit, or a message from the grid. */
  readonly message: string;
  readonly say: (message: string) => void;
  readonly error: ErrorDetails | undefined;
  readonly fail: (error: unknown) => void;
}

type EditName = "edits" | "fill" | "replace" | "undo" | "unfinished";

interface SessionOptions {
  readonly state: FixOverview;
  readonly areValuesShown: boolean;
  /** Receives the rows that an edit in this tab or elsewhere has changed; undefined if there are too many to list. */
  readonly onChanged: (rows: readonly FixRow[] | undefined) => void;
  /**
   * Called when the session has ended because the project was checked again, and nothing is being typed or saved.
   */
  readonly onEnd: () => void;
}

const POLL_MS = 3000;
/** The polling period while an edit is in progress, short enough to show its progress. */
const BUSY_POLL_MS = 500;

export function useSession({ state, areValuesShown, onChanged, onEnd }: SessionOptions): Session {
  const { session } = state;
  const [overview, setOverview] = useState<Session["overview"]>(state);
  const { run, isBusy: isSaving } = useQueue();
  const [message, say] = useState("");
  const [error, setError] = useState<ErrorDetails>();
  const seen = useRef(state.seq);
  const values = areValuesShown ? "shown" : "hidden";
  const latest = useRef({ onChanged, onEnd, values });
  latest.current = { onChanged, onEnd, values };
  const tab = useMemo(() => crypto.randomUUID(), []);
  const drafts = useMemo(() => createDrafts(() => seen.current), []);
  useLeaveWarning(drafts.isOpen);

  const take = (changes: FixChanges): void => {
    if (changes.seq < seen.current) return;
    seen.current = changes.seq;
    setOverview(changes.overview);
    // The user may have shown or hidden values since the request.
    const isUsable = !changes.hasMoreRows && values === latest.current.values;
    if (changes.rows.length > 0 || changes.hasMoreRows) latest.current.onChanged(isUsable ? changes.rows : undefined);
  };
  const fail = (failed: unknown): void => {
    if (detailsOf(failed).code === "session_changed") drafts.leave(() => latest.current.onEnd());
    else setError(actionError(failed));
  };
  const isBusy = isSaving || overview.progress !== undefined;
  const pollMs = isBusy ? BUSY_POLL_MS : POLL_MS;
  usePolling(`/api/fix/changes?session=${session}&values=${values}`, seen, pollMs, { take, fail });
  const attempt = async (name: EditName, body: object, subject: EditSubject): Promise<boolean> => {
    setError(undefined);
    say("");
    try {
      const result = await postJson<EditResult>(`/api/fix/${name}`, body);
      take(result);
      noteEdit(subject, unsavedCells(name, result, subject));
      say(wordsOf(name, result));
      return true;
    } catch (failed) {
      noteEdit(subject, [{ ...subject, message: reasonOf(detailsOf(failed)) }]);
      fail(failed);
      return false;
    }
  };
  const send: Session["send"] = async (name, body, subject = { where: "The last action" }) => {
    const draft = drafts.start();
    const editor = { session, tab, seen: draft.seen, values };
    return run(() => attempt(name, { ...editor, ...body }, subject)).finally(draft.end);
  };
  const load: Session["load"] = (filter, range, signal) =>
    getJson<readonly FixRow[]>(`/api/fix/rows?${queryOf({ ...filter, ...range, session, values })}`, signal);
  const { start: startDraft, leave } = drafts;
  return { overview, load, send, startDraft, leave, isSaving, message, say, error, fail };
}

function unsavedCells(name: EditName, { refusals }: EditResult, subject: EditSubject): readonly Unsaved[] {
  const isTyped = name === "edits" && subject.value !== undefined;
  return refusals.map(({ key, column, message }) => ({
    ...(isTyped ? subject : { where: cellName(column, key) }),
    message,
  }));
}

interface Taking {
  readonly take: (changes: FixChanges) => void;
  readonly fail: (error: unknown) => void;
}

/** Polls for changes from other tabs and programs while this tab is visible. */
function usePolling(path: string, seen: { readonly current: number }, pollMs: number, taking: Taking): void {
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
