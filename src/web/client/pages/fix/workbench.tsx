import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { counted, formatCount } from "../../../../text/count.ts";
import { ALL_CAUSES, type FixCause, type FixOverview, type RowFilter } from "../../../fix/fix-types.ts";
import { usePage } from "../../page-context.ts";
import { Button } from "../../parts/button.tsx";
import { Notice } from "../../parts/notice.tsx";
import { CauseList } from "./cause-list.tsx";
import { CellDetails } from "./cell-details.tsx";
import type { ActiveCell } from "./grid-options.ts";
import { SessionNotices, useOutdated, wantedCause } from "./fix-notices.tsx";
import { ReplaceDialog } from "./replace-dialog.tsx";
import { type GridView, RowGrid } from "./row-grid.tsx";
import { type Session, useSession } from "./use-session.ts";

interface WorkbenchOptions {
  readonly state: FixOverview;
  readonly onCheck: () => void;
  /** Called when the session has ended. */
  readonly onEnd: () => void;
}

/** Shows the causes, the grid and the details of the active cell for one check of the project. */
export function Workbench({ state, onCheck, onEnd }: WorkbenchOptions): JSX.Element {
  const { areValuesShown } = usePage();
  const [filter, setFilter] = useState(() => filterFor(state.causes, wantedCause(state.causes)?.id ?? ALL_CAUSES));
  const [active, setActive] = useState<ActiveCell>();
  const [isReplacing, setReplacing] = useState(false);
  const view = useRef<GridView | undefined>(undefined);
  const session = useSession({
    state,
    areValuesShown,
    onEnd,
    onChanged: (rows) => {
      view.current?.show(rows);
      setActive((before) => before && { ...before, row: rows?.find(({ id }) => id === before.row?.id) ?? before.row });
    },
  });
  const { records, causes, progress } = session.overview;
  const cause = causes.find(({ id }) => id === filter.cause) ?? causes[0];
  const source = state.sources[filter.source];
  const choose = (next: RowFilter): void => {
    setFilter(next);
    // The position of the active cell belongs to the previous filter.
    setActive(undefined);
  };
  const check = (): void => session.leave(onCheck);
  if (cause === undefined || source === undefined || records.total === 0)
    return <Finished session={session} state={state} onCheck={check} />;
  return (
    <>
      <Summary session={session} onCheck={check} />
      <SessionNotices session={session} state={state} onCheck={check} />
      <div class="fix">
        <CauseList
          causes={causes}
          chosen={filter.cause}
          onChoose={(id) => choose(filterFor(causes, id, filter.source))}
        />
        <section aria-label="Rows" class="fix-rows">
          <Explanation cause={cause} />
          <div class="fix-tools">
            <Sources
              state={state}
              cause={cause}
              filter={filter}
              onChoose={(next) => choose({ ...filter, source: next })}
            />
            <div class="actions">
              <Button onClick={() => void session.send("undo", {})}>Undo</Button>
              <Button onClick={() => view.current?.grid.fillDown()}>Fill down</Button>
              <Button onClick={() => setReplacing(true)}>Replace…</Button>
            </div>
          </div>
          <RowGrid {...{ state, filter, session, areValuesShown, cause, view }} onActive={setActive} />
          <p role="status" class="fix-status">
            {progress !== undefined && (
              <progress aria-label="Progress of the edit" value={progress.done} max={progress.total} />
            )}
            {statusOf(session)}
          </p>
          <CellDetails active={active} source={source} filter={filter} session={session} id={state.session} />
          <Keys />
        </section>
      </div>
      {isReplacing && (
        <ReplaceDialog
          {...{ state, filter, cause, session }}
          column={active?.column}
          onClose={() => setReplacing(false)}
        />
      )}
    </>
  );
}

function statusOf({ isSaving, message, overview: { progress } }: Session): string {
  if (progress !== undefined)
    return `Saving: ${formatCount(progress.done)} of ${formatCount(progress.total)} rows or cells…`;
  return isSaving ? "Saving…" : message;
}

function Summary({ session, onCheck }: { readonly session: Session; readonly onCheck: () => void }): JSX.Element {
  const { total, open, recheck } = session.overview.records;
  return (
    <div class="fix-summary">
      <p>
        <strong>{open === 1 ? "1 record needs" : `${formatCount(open)} records need`} work</strong>
        {`, ${formatCount(total - open - recheck)} of ${formatCount(total)} fixed`}
        {recheck > 0 && `, ${formatCount(recheck)} must be checked together with all other records`}
      </p>
      <Button kind={open === 0 || recheck > 0 ? "main" : "plain"} onClick={onCheck}>
        Check again
      </Button>
    </div>
  );
}

interface FinishedOptions extends Pick<WorkbenchOptions, "state" | "onCheck"> {
  readonly session: Session;
}

function Finished({ session, state, onCheck }: FinishedOptions): JSX.Element {
  const refused = state.resolvedRefusals;
  const isOutdated = useOutdated(state) || session.overview.changedFile !== undefined;
  return (
    <>
      <SessionNotices session={session} state={state} onCheck={onCheck} />
      {!isOutdated && (
        <Notice kind="good" title="No records need work">
          <p>
            {refused === 0
              ? "All records are valid, and no rejections by the platform remain."
              : `All records are valid. The platform rejected ${counted(refused, "record")} in the last push. ` +
                `${refused === 1 ? "Its" : "Their"} content has changed since: push again.`}
          </p>
        </Notice>
      )}
      <Button kind={isOutdated ? "main" : "plain"} onClick={onCheck}>
        Check again
      </Button>
    </>
  );
}

function Explanation({ cause }: { readonly cause: FixCause }): JSX.Element | null {
  if (cause.id === ALL_CAUSES) return null;
  return (
    <div class="fix-cause">
      <h2>{cause.title}</h2>
      <p>
        {cause.by === "platform" && "The platform: "}
        {cause.message} <span class="soft">{cause.advice}</span>
      </p>
    </div>
  );
}

interface SourcesOptions {
  readonly state: FixOverview;
  readonly cause: FixCause;
  readonly filter: RowFilter;
  readonly onChoose: (source: number) => void;
}

function Sources({ state, cause, filter, onChoose }: SourcesOptions): JSX.Element {
  return (
    <div class="actions" role="group" aria-label="Source">
      {cause.rows
        .toSorted((a, b) => a.source - b.source)
        .map(({ source, rows }) => (
          <button
            key={source}
            type="button"
            class="fix-source"
            aria-pressed={source === filter.source}
            onClick={() => onChoose(source)}
          >
            {state.sources[source]?.name} <span class="soft">{counted(rows, "row")}</span>
          </button>
        ))}
    </div>
  );
}

const KEYS: readonly (readonly [keys: string, action: string])[] = [
  ["Arrow keys", "move to another cell; with Shift, select cells"],
  ["Enter or F2", "edit the cell; typing replaces its value"],
  ["Escape", "cancel the edit"],
  ["Delete", "empty the selected cells"],
  ["Ctrl+C, Ctrl+V", "copy and paste, including from a spreadsheet; a single copied value fills all selected cells"],
  ["Ctrl+D", "copy the first selected value to the cells below"],
  ["Ctrl+Z", "undo"],
  ["Tab", "leave the grid"],
];

function Keys(): JSX.Element {
  return (
    <details class="fix-keys">
      <summary>Keys and symbols</summary>
      <dl>
        {KEYS.map(([keys, action]) => (
          <div key={keys}>
            <dt>{keys}</dt>
            <dd>{action}</dd>
          </div>
        ))}
      </dl>
      <p>
        <span class="symbol error">▲</span> error · <span class="symbol refusal">⊘</span> rejected by the platform ·{" "}
        <span class="symbol warning">△</span> warning · <span class="symbol corrected">✎</span> corrected
      </p>
    </details>
  );
}

/**
 * Returns the filter for a cause. Keeps the source if it has rows with this cause. Otherwise, selects the source with
 * the most rows.
 */
function filterFor(causes: readonly FixCause[], id: number, before?: number): RowFilter {
  const rows = causes.find((cause) => cause.id === id)?.rows ?? [];
  const [most] = rows.toSorted((a, b) => b.rows - a.rows);
  const same = rows.find(({ source }) => source === before);
  return { cause: id, source: same?.source ?? most?.source ?? 0 };
}
