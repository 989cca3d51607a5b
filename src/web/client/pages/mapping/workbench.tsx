import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { counted } from "../../../../text/count.ts";
import type { FieldData, MappingData, SourceColumn } from "../../../mapping/mapping-data.ts";
import { usePage } from "../../page-context.ts";
import { Button } from "../../parts/button.tsx";
import { ErrorNotice, Notice } from "../../parts/notice.tsx";
import { type Draft, isChanged, unsavedEdits } from "./draft.ts";
import { FieldPanel } from "./field-panel.tsx";
import { FieldTree } from "./field-tree.tsx";
import { findField, keyOf, openFields, requiredFields } from "./fields.ts";
import { Preview, ValidCount } from "./preview.tsx";
import { NewSourceForm } from "./new-source-form.tsx";
import { SourceList } from "./source-list.tsx";
import { FunctionsForm } from "./entry/function-form.tsx";
import { type Mapping, useMapping } from "./use-mapping.ts";

interface WorkbenchOptions {
  readonly initial: Draft;
  readonly onStartAgain: () => void;
}

/**
 * Shows the sources on the left, the fields of the contract in the middle, and the selected field and the trial on the
 * right.
 */
export function Workbench({ initial, onStartAgain }: WorkbenchOptions): JSX.Element {
  const { areValuesShown, reloadProject } = usePage();
  const mapping = useMapping(initial, { showValues: areValuesShown, onSetup: reloadProject });
  const { view, error, said } = mapping;
  const [picked, setPicked] = useState<SourceColumn>();
  const [selected, select] = useState<FieldData>();
  useUndoKey(mapping.undo);
  const field = view && selected && findField(view, selected);
  const pick = (column: SourceColumn | undefined): void => {
    setPicked(column);
    mapping.say(
      column === undefined
        ? "No column is selected."
        : `${column.column} of ${column.source} is selected. Go to a field and press Enter to connect the column.`,
    );
  };
  const connect = (next: FieldData, column: SourceColumn): void => {
    select(next);
    setPicked(undefined);
    mapping.edit({ kind: "connect", path: next.path, ...column }, `${column.column} fills ${next.attr}.`);
  };
  const disconnect = (next: FieldData): void => {
    select(next);
    mapping.edit({ kind: "disconnect", path: next.path }, `${next.attr} is no longer filled.`);
  };
  return (
    <>
      <Toolbar mapping={mapping} onStartAgain={onStartAgain} />
      {error !== undefined && <Refusal mapping={mapping} />}
      {view?.error !== undefined && (
        <ErrorNotice error={view.error} onRetry={view.fields.length === 0 ? mapping.discard : undefined} />
      )}
      <p class="quiet" role="status">
        {said}
      </p>
      {view !== undefined && view.fields.length > 0 && (
        <div class="workbench">
          <section class="pane" aria-labelledby="sources-title">
            <h2 id="sources-title">Sources</h2>
            <SourceList view={view} picked={picked} onPick={pick} onEdit={mapping.edit}>
              <NewSourceForm draft={mapping.draft} view={view} onEdit={mapping.edit} />
            </SourceList>
          </section>
          <section class="pane" aria-labelledby="fields-title">
            <FieldsHead view={view} picked={picked} onPick={pick} onSelect={select} />
            <FieldTree
              view={view}
              selected={field === undefined ? undefined : keyOf(field)}
              picked={picked}
              onSelect={select}
              onConnect={connect}
              onDisconnect={disconnect}
              onCancel={() => pick(undefined)}
            />
            <FunctionsForm view={view} onEdit={mapping.edit} />
            <OtherParts view={view} />
          </section>
          <div class="side pane">
            <section aria-labelledby="field-title">
              {field === undefined ? (
                <>
                  <h2 id="field-title">Field</h2>
                  <p class="soft">Choose a field to see what the contract says about it, and how it is filled.</p>
                </>
              ) : (
                <FieldPanel
                  key={keyOf(field)}
                  field={field}
                  view={view}
                  onConnect={connect}
                  onDisconnect={disconnect}
                  onEdit={mapping.edit}
                />
              )}
            </section>
            <section aria-labelledby="trial-title">
              <h2 id="trial-title">Trial</h2>
              <Preview
                check={view.error === undefined ? mapping.check : { ...mapping.check, error: undefined }}
                fieldAt={(attr) => findField(view, { path: [], attr })}
                onField={select}
              />
            </section>
          </div>
        </div>
      )}
    </>
  );
}

/** Shows the parts of the mapping that the page cannot edit, such as parameters and measures. */
function OtherParts({ view: { otherParts } }: { readonly view: MappingData }): JSX.Element {
  if (otherParts.length === 0) return <></>;
  return (
    <details class="other-parts">
      <summary>Other parts of the mapping, edited by hand: {otherParts.map(({ name }) => name).join(", ")}</summary>
      {otherParts.map(({ name, text, line }) => (
        <p key={name}>
          Line {line}:{" "}
          <code>
            {name}: {text}
          </code>
        </p>
      ))}
    </details>
  );
}

function Toolbar({
  mapping,
  onStartAgain,
}: {
  readonly mapping: Mapping;
  readonly onStartAgain: () => void;
}): JSX.Element {
  const { draft, isBusy } = mapping;
  const changed = isChanged(draft);
  const edits = unsavedEdits(draft);
  const isNew = draft.saved === undefined;
  return (
    <div class="actions toolbar">
      <Button kind="main" isDisabled={!changed || isBusy} onClick={mapping.save}>
        Save
      </Button>
      <Button isDisabled={draft.steps.length === 0 || isBusy} onClick={mapping.undo}>
        Undo
      </Button>
      {isNew && <Button onClick={onStartAgain}>Begin again</Button>}
      <span class="soft">
        {isNew
          ? "This mapping is a guess and is not saved yet. Check the fields with low scores."
          : changed
            ? `Not saved: ${edits === undefined ? "you undid a saved change" : counted(edits.length, "change")}.`
            : "All changes are saved."}
      </span>
      <span class="valid" role="status">
        <ValidCount check={mapping.check} />
      </span>
    </div>
  );
}

/** Shows why an action was refused, and offers actions if the file has changed. */
function Refusal({ mapping }: { readonly mapping: Mapping }): JSX.Element {
  const { draft, error } = mapping;
  if (error === undefined) return <></>;
  if (error.code !== "mapping_changed") return <ErrorNotice error={error} />;
  const edits = unsavedEdits(draft);
  return (
    <Notice kind="error" title={error.message}>
      <p>{edits === undefined ? CANNOT_APPLY : error.hint}</p>
      <div class="actions">
        {edits !== undefined && (
          <Button kind="main" onClick={() => mapping.reapply(edits)}>
            Apply my changes to the new version
          </Button>
        )}
        <Button onClick={mapping.discard}>Discard my changes</Button>
      </div>
    </Notice>
  );
}

const CANNOT_APPLY =
  "You undid a saved change, and an undo cannot be applied to the new version. Discard your changes, then make them again.";

interface HeadOptions {
  readonly view: MappingData;
  readonly picked: SourceColumn | undefined;
  readonly onPick: (column: SourceColumn | undefined) => void;
  readonly onSelect: (field: FieldData) => void;
}

function FieldsHead({ view, picked, onPick, onSelect }: HeadOptions): JSX.Element {
  const open = openFields(view.fields);
  const [next] = open;
  const required = requiredFields(view.fields).length;
  return (
    <>
      <h2 id="fields-title">Fields of the contract</h2>
      <p class="actions progress">
        {required - open.length} of {required} required fields are filled.{" "}
        {next !== undefined && <Button onClick={() => onSelect(next)}>Next open field</Button>}
      </p>
      {picked !== undefined && (
        <p class="actions picked">
          <strong>{picked.column}</strong> of {picked.source} is selected. Choose the field to fill.{" "}
          <Button onClick={() => onPick(undefined)}>Cancel</Button>
        </p>
      )}
    </>
  );
}

/** Makes Ctrl+Z undo a change, unless an input has the focus. */
function useUndoKey(undo: () => void): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
      if (event.key !== "z" || !(event.ctrlKey || event.metaKey) || event.shiftKey || isTyping) return;
      event.preventDefault();
      undo();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  });
}
