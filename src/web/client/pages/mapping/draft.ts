import type { MappingEdit, SetupData } from "../../../mapping/mapping-data.ts";

/** A mapping with unsaved changes. The draft remains while other pages are shown. */
export interface Draft extends DraftOrigin {
  readonly text: string;
  /** The steps that can be undone, in order, including saved steps. */
  readonly steps: readonly Step[];
}

interface Step {
  /** The text before the step. */
  readonly before: string;
  readonly edits: readonly MappingEdit[];
}

interface DraftOrigin {
  /** The text and hash of the file on which the draft is based; absent for a new file. */
  readonly saved?: { readonly text: string; readonly hash: string } | undefined;
  /** The setup of a first mapping that is not saved yet. */
  readonly setup?: SetupData | undefined;
}

let kept: Draft | undefined;

export function keptDraft(): Draft | undefined {
  return kept;
}

export function keepDraft(draft: Draft | undefined): void {
  kept = draft;
}

export function isChanged({ text, saved }: Draft): boolean {
  return text !== saved?.text;
}

export function newDraft(text: string, origin: DraftOrigin): Draft {
  return { text, steps: [], ...origin };
}

export function withEdit(draft: Draft, edit: MappingEdit, text: string): Draft {
  if (text === draft.text) return draft;
  return { ...draft, text, steps: [...draft.steps, { before: draft.text, edits: [edit] }] };
}

export function undone(draft: Draft): Draft {
  const last = draft.steps.at(-1);
  return last === undefined ? draft : { ...draft, text: last.before, steps: draft.steps.slice(0, -1) };
}

export function afterSave(draft: Draft, hash: string): Draft {
  return { ...draft, saved: { text: draft.text, hash }, setup: undefined };
}

/**
 * Returns the changes since the last save; undefined if a saved change was undone, because no edit represents an undo.
 */
export function unsavedEdits({ text, steps, saved }: Draft): readonly MappingEdit[] | undefined {
  const texts = [...steps.map(({ before }) => before), text];
  const first = saved === undefined ? 0 : texts.lastIndexOf(saved.text);
  return first === -1 ? undefined : steps.slice(first).flatMap(({ edits }) => edits);
}
