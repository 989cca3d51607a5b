import { useEffect, useRef, useState } from "preact/hooks";
import type { ErrorDetails } from "../../../../model/failure.ts";
import type {
  CheckData,
  DraftRequest,
  MappingData,
  MappingEdit,
  MappingState,
  SaveData,
} from "../../../mapping/mapping-data.ts";
import { getJson, postJson } from "../../api.ts";
import { useLivePart } from "../../live.ts";
import { actionError, type LoadState } from "../../use-data.ts";
import { useLeaveWarning } from "../../use-leave-warning.ts";
import { useQueue } from "../../use-queue.ts";
import { afterSave, type Draft, isChanged, keepDraft, newDraft, undone, withEdit } from "./draft.ts";

/** A mapping, and the actions of the page that change the mapping. */
export interface Mapping {
  readonly draft: Draft;
  readonly view: MappingData | undefined;
  readonly check: CheckState;
  /** The reason why the last action was refused. */
  readonly error: ErrorDetails | undefined;
  /** The result of the last action, for the live region. */
  readonly said: string;
  readonly isBusy: boolean;
  readonly say: (text: string) => void;
  /** Applies an edit, or the edit that the function returns for the mapping after all earlier edits. */
  readonly edit: (edit: MappingEdit | ((view: MappingData) => MappingEdit), done: string) => void;
  readonly undo: () => void;
  readonly save: () => void;
  /** Applies changes to the current file. */
  readonly reapply: (edits: readonly MappingEdit[]) => void;
  /** Reads the file again and discards the changes. */
  readonly discard: () => void;
}

export type CheckState = LoadState<CheckData>;

const NO_CHECK: CheckState = { data: undefined, error: undefined, isLoading: true };

/** @param onSetup called after the first mapping and its configuration have been saved */
export function useMapping(
  initial: Draft,
  { showValues, onSetup }: { readonly showValues: boolean; readonly onSetup: () => void },
): Mapping {
  const [draft, current, setDraft] = useLatest(initial);
  const [view, latest, setView] = useLatest<MappingData | undefined>(undefined);
  const [said, say] = useState("");
  const { run, error, isBusy } = useActions();
  const check = useCheck(draft, showValues);
  useLeaveWarning(() => isChanged(draft));

  const use = (next: Draft): void => {
    keepDraft(next);
    setDraft(next);
  };
  const show = async (next: Draft, done?: string): Promise<void> => {
    const shown = await viewDraft(next, [], showValues);
    use(next);
    setView(shown);
    if (done !== undefined) say(done);
  };
  useEffect(() => run(() => show(current.current)), [showValues]);

  return {
    draft,
    view,
    check,
    error,
    said,
    isBusy,
    say,
    edit: (edit, done) =>
      run(async () => {
        if (latest.current === undefined) return;
        const made = typeof edit === "function" ? edit(latest.current) : edit;
        const shown = await viewDraft(current.current, [made], showValues);
        use(withEdit(current.current, made, shown.text));
        setView(shown);
        say(done);
      }),
    undo: () => run(() => show(undone(current.current), "The last change was undone.")),
    save: () =>
      run(async () => {
        const { setup } = current.current;
        const saved = await saveDraft(current.current);
        use(saved.draft);
        if (setup !== undefined) onSetup();
        say(`Saved: ${saved.written.join(", ")}.`);
      }),
    reapply: (edits) =>
      run(async () =>
        show(await reapplied(edits, current.current), "Your changes were applied to the new version. Save them now."),
      ),
    discard: () =>
      run(async () => {
        const { saved } = await readState();
        if (saved !== undefined) await show(newDraft(saved.text, { saved }), "The file was read again.");
      }),
  };
}

function readState(): Promise<MappingState> {
  return getJson<MappingState>("/api/mapping");
}

function requestOf({ text, setup }: Draft, showValues: boolean): DraftRequest {
  return { text, showValues, ...(setup !== undefined && { setup }) };
}

function viewDraft(draft: Draft, edits: readonly MappingEdit[], showValues: boolean): Promise<MappingData> {
  return postJson<MappingData>("/api/mapping/view", { ...requestOf(draft, showValues), edits });
}

function checkDraft(draft: Draft, showValues: boolean, signal: AbortSignal): Promise<CheckData> {
  return postJson<CheckData>("/api/mapping/check", requestOf(draft, showValues), signal);
}

async function saveDraft(draft: Draft): Promise<{ readonly draft: Draft; readonly written: SaveData["written"] }> {
  const base = draft.saved?.hash;
  const body = { ...requestOf(draft, false), ...(base !== undefined && { base }) };
  const { hash, written } = await postJson<SaveData>("/api/mapping/save", body);
  return { draft: afterSave(draft, hash), written };
}

/** Returns a draft with the changes applied to the current file, as one step. Without a file, returns `draft`. */
async function reapplied(edits: readonly MappingEdit[], draft: Draft): Promise<Draft> {
  const { saved } = await readState();
  if (saved === undefined) return { ...draft, saved: undefined };
  const { text } = await viewDraft(newDraft(saved.text, { saved }), edits, false);
  return { text, saved, steps: [{ before: saved.text, edits }] };
}

/** Returns a value to render, a reference to the latest value, and a function that replaces both. */
function useLatest<T>(initial: T): readonly [rendered: T, latest: { readonly current: T }, set: (next: T) => void] {
  const [rendered, render] = useState(initial);
  const latest = useRef(initial);
  const set = (next: T): void => {
    latest.current = next;
    render(() => next);
  };
  return [rendered, latest, set];
}

interface Actions {
  /** Runs an action after the previous action has ended, because each action depends on the previous result. */
  readonly run: (action: () => Promise<void>) => void;
  /** The reason why the last action failed. */
  readonly error: ErrorDetails | undefined;
  readonly isBusy: boolean;
}

function useActions(): Actions {
  const [error, setError] = useState<ErrorDetails>();
  const queue = useQueue();
  const attempt = async (action: () => Promise<void>): Promise<void> => {
    setError(undefined);
    await action().catch((thrown: unknown) => setError(actionError(thrown)));
  };
  return { run: (action) => void queue.run(() => attempt(action)), error, isBusy: queue.isBusy };
}

const CHECK_DELAY_MS = 150;

/**
 * Checks each draft, and checks it again when the server can be reached again. A newer draft cancels the check of the
 * previous draft.
 */
function useCheck(draft: Draft, showValues: boolean): CheckState {
  const [state, setState] = useState(NO_CHECK);
  const { text, setup } = draft;
  const isStopped = useLivePart(({ error }) => error?.code === "server_stopped");
  useEffect(() => {
    if (isStopped) return undefined;
    const ending = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    const timer = setTimeout(() => {
      checkDraft(newDraft(text, { setup }), showValues, ending.signal).then(
        (data) => setState({ data, error: undefined, isLoading: false }),
        (thrown: unknown) => {
          if (!ending.signal.aborted) setState({ data: undefined, error: actionError(thrown), isLoading: false });
        },
      );
    }, CHECK_DELAY_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [text, setup, showValues, isStopped]);
  return state;
}
