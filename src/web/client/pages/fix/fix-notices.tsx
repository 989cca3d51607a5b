import type { JSX } from "preact";
import { counted } from "../../../../text/count.ts";
import type { FixCause, FixOverview, OutdatedCorrections, UnfinishedEdit } from "../../../fix/fix-types.ts";
import { useLivePart } from "../../live.ts";
import { Button } from "../../parts/button.tsx";
import { ErrorNotice, Notice } from "../../parts/notice.tsx";
import { momentText } from "../../parts/time.ts";
import { useLeaveWarning } from "../../use-leave-warning.ts";
import { dismissUnsaved, useUnsaved } from "./unsaved.ts";
import type { Session } from "./use-session.ts";

/** Lists the cells and edits that were not saved, with the reasons and the values that the user typed. */
export function NotSaved(): JSX.Element | null {
  const unsaved = useUnsaved();
  useLeaveWarning(() => unsaved.some(({ value }) => value !== undefined));
  if (unsaved.length === 0) return null;
  return (
    <Notice kind="error" title={unsaved.length === 1 ? "A cell was not changed" : "Some cells were not changed"}>
      <ul>
        {unsaved.map(({ where, message, value }, index) => (
          <li key={index}>
            {where}: {message}
            {value !== undefined && value !== "" && <NewValue value={value} />}
          </li>
        ))}
      </ul>
      <Button onClick={dismissUnsaved}>Dismiss</Button>
    </Notice>
  );
}

/** Shows the value that was not saved, so that the user can copy it. */
function NewValue({ value }: { readonly value: string }): JSX.Element {
  return (
    <label class="field">
      Your value
      <textarea rows={value.length > 100 ? 4 : 1} readOnly value={value} />
    </label>
  );
}

/** Returns the cause in the address, written as `code attr`; undefined if the check has not found it. */
export function wantedCause(causes: readonly FixCause[]): FixCause | undefined {
  return causes.find(({ code, attr }) => `${code} ${attr}` === causeInAddress());
}

function causeInAddress(): string | null {
  return new URLSearchParams(location.search).get("cause");
}

/**
 * Whether a run has started or ended since the check. The platform may have rejected other records in this run. The
 * page does not check again by itself, because a check ends the sessions of other tabs.
 */
export function useOutdated({ ledgerVersion }: FixOverview): boolean {
  const version = useLivePart(({ event }) => event?.version);
  return version !== undefined && version !== ledgerVersion;
}

/** Explains that the check has not found the cause in the address. */
export function MissingCause({ state }: { readonly state: FixOverview }): JSX.Element | null {
  const isOutdated = useOutdated(state);
  if (isOutdated || causeInAddress() === null || wantedCause(state.causes) !== undefined) return null;
  return (
    <Notice kind="info" title="No row here has the chosen cause">
      <p>
        The cells have changed, or the cause is found only by a push, because it depends on records of earlier runs. The
        Problems page lists its rows and says how to fix them.
      </p>
    </Notice>
  );
}

interface SessionNoticesOptions {
  readonly session: Session;
  readonly state: FixOverview;
  /** Checks the project again. */
  readonly onCheck: () => void;
}

/**
 * Shows the error of the session, the corrections that need attention, and whether a run has started or ended. Also
 * shows which file has changed, unless the error already names this file.
 */
export function SessionNotices({ session, state, onCheck }: SessionNoticesOptions): JSX.Element {
  const { error, overview } = session;
  const isOutdated = useOutdated(state);
  const changed = `${overview.changedFile} has changed since the check`;
  return (
    <>
      {overview.changedFile !== undefined && error?.message !== changed && (
        <Notice kind="info" title={changed}>
          <p>Cells whose value has changed are not overwritten. Check again to see the current rows.</p>
        </Notice>
      )}
      {isOutdated && (
        <Notice kind="info" title="A run has started or ended since the check">
          <p>The platform may have rejected other records. Check again to see the current rejections.</p>
        </Notice>
      )}
      {error !== undefined && <ErrorNotice error={error} />}
      {overview.unfinished !== undefined && (
        <Unfinished unfinished={overview.unfinished} session={session} onCheck={onCheck} />
      )}
      <Outdated outdated={state.outdated} file={state.file} />
      <IncompleteLine line={state.incompleteLine} file={state.file} />
    </>
  );
}

interface UnfinishedOptions {
  readonly unfinished: UnfinishedEdit;
  readonly session: Session;
  readonly onCheck: () => void;
}

/**
 * Shows an unfinished edit of many cells, left by a program that ended early. Checks again after an undo, because the
 * check omitted the records that the edit had fixed.
 */
function Unfinished({ unfinished, session, onCheck }: UnfinishedOptions): JSX.Element {
  const { source, column, at, saved } = unfinished;
  const settle = (action: "keep" | "undo"): void =>
    void session.send("unfinished", { at, action }).then((isDone) => isDone && action === "undo" && onCheck());
  return (
    <Notice kind="error" title="A bulk edit was interrupted">
      <p>
        The program ended while it was changing column {column} of {source} ({momentText(at)}). {counted(saved, "cell")}{" "}
        {saved === 1 ? "is" : "are"} saved, and the other cells are unchanged.
      </p>
      <div class="actions">
        <Button onClick={() => settle("keep")}>Keep the saved cells</Button>
        <Button onClick={() => settle("undo")}>Undo the saved cells</Button>
      </div>
    </Notice>
  );
}

interface OutdatedOptions {
  readonly outdated: OutdatedCorrections;
  readonly file: string;
}

/** Lists corrections that are not applied because the extract has changed since the correction. */
function Outdated({ outdated, file }: OutdatedOptions): JSX.Element | null {
  if (outdated.count === 0) return null;
  return (
    <Notice
      kind="info"
      title={`${counted(outdated.count, "correction")} in ${file} not applied: the extract has changed since`}
    >
      <details>
        <summary>Check which value is right, then edit the cell again</summary>
        <ul>
          {outdated.listed.map(({ line, key, column, place }) => (
            <li key={line}>
              {column} of {key} {place !== "" && `(${place})`}
            </li>
          ))}
        </ul>
      </details>
    </Notice>
  );
}

function IncompleteLine({
  line,
  file,
}: {
  readonly line: number | undefined;
  readonly file: string;
}): JSX.Element | null {
  if (line === undefined) return null;
  return (
    <Notice kind="info" title={`Line ${line} of ${file} is incomplete and is ignored`}>
      <p>
        The program that wrote the line was probably stopped. Make this correction again. The next edit removes the
        line.
      </p>
    </Notice>
  );
}
