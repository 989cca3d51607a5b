import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { ErrorDetails } from "../../../error-data.ts";
import type { MappingData, MappingEdit } from "../../../mapping/mapping-data.ts";
import { detailsOf } from "../../use-data.ts";
import {
  checkDraft,
  type CheckState,
  type Draft,
  isChanged,
  keepDraft,
  newDraft,
  readState,
  reapplied,
  saveDraft,
  undone,
  viewDraft,
  withEdit,
} from "./draft.ts";

/** A mapping with everything that the page does with it. */
export interface Mapping {
  readonly draft: Draft;
  readonly view: MappingData | undefined;
  readonly check: CheckState;
  /** Why the last action was refused. */
  readonly error: ErrorDetails | undefined;
  /** What happened last, for the live region. */
  readonly said: string;
  readonly isBusy: boolean;
  readonly say: (text: string) => void;
  readonly edit: (edit: MappingEdit, done: string) => void;
  readonly undo: () => void;
  readonly save: () => void;
  /** Applies the changes to the file as it is now. */
  readonly reapply: () => void;
  /** Reads the file again, and discards the changes. */
  readonly discard: () => void;
}

const NO_CHECK: CheckState = { data: undefined, error: undefined, isRunning: true };

export function useMapping(initial: Draft, showValues: boolean): Mapping {
  const [draft, setDraft] = useState(initial);
  const [view, setView] = useState<MappingData>();
  const [error, setError] = useState<ErrorDetails>();
  const [said, say] = useState("");
  const [isBusy, setBusy] = useState(false);
  const current = useRef(draft);
  const queue = useRef<Promise<void>>(Promise.resolve());
  const check = useCheck(draft, showValues);

  const use = useCallback((next: Draft): void => {
    current.current = next;
    keepDraft(next);
    setDraft(next);
  }, []);

  /** Actions follow one another, each on the result of the one before. */
  const run = useCallback((action: () => Promise<void>): void => {
    setBusy(true);
    queue.current = queue.current.then(async () => {
      try {
        setError(undefined);
        await action();
      } catch (thrown) {
        const details = detailsOf(thrown);
        setError(details);
      } finally {
        setBusy(false);
      }
    });
  }, []);

  const show = useCallback(
    async (next: Draft): Promise<void> => {
      const shown = await viewDraft(next, [], showValues);
      use(next);
      setView(shown);
    },
    [showValues, use],
  );

  useEffect(() => run(() => show(current.current)), [run, show]);
  useLeaveWarning(draft);

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
        const shown = await viewDraft(current.current, [edit], showValues);
        use(withEdit(current.current, edit, shown.text));
        setView(shown);
        say(done);
      }),
    undo: () =>
      run(async () => {
        await show(undone(current.current));
        say("The last change is undone.");
      }),
    save: () =>
      run(async () => {
        const saved = await saveDraft(current.current);
        use(saved.draft);
        say(`Saved: ${saved.written.join(", ")}.`);
      }),
    reapply: () =>
      run(async () => {
        await show(await reapplied(current.current));
        say("Your changes are applied to the new version. Save them now.");
      }),
    discard: () =>
      run(async () => {
        const { saved } = await readState();
        if (saved !== undefined) await show(newDraft(saved.text, { saved }));
        say("The file is read again.");
      }),
  };
}

const CHECK_DELAY_MS = 150;

/** Checks each draft; a newer one ends the check of the one before. */
function useCheck(draft: Draft, showValues: boolean): CheckState {
  const [state, setState] = useState(NO_CHECK);
  const { text, setup } = draft;
  useEffect(() => {
    const ending = new AbortController();
    setState((before) => ({ ...before, isRunning: true }));
    const timer = setTimeout(() => {
      checkDraft(newDraft(text, { setup }), showValues, ending.signal).then(
        (data) => setState({ data, error: undefined, isRunning: false }),
        (thrown: unknown) => {
          if (!ending.signal.aborted) setState({ data: undefined, error: detailsOf(thrown), isRunning: false });
        },
      );
    }, CHECK_DELAY_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [text, setup, showValues]);
  return state;
}

/** The browser asks before it closes a tab with changes that are not saved. */
function useLeaveWarning(draft: Draft): void {
  const changed = isChanged(draft);
  useEffect(() => {
    if (!changed) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [changed]);
}
