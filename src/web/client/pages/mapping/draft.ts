import type { MappingEdit, SetupData } from "../../../mapping/mapping-data.ts";

/** A mapping with unsaved changes. The draft remains while other pages are shown. */
export interface Draft extends DraftOrigin {
  readonly text: string;
  /** The unsaved changes, in order. */
  readonly edits: readonly MappingEdit[];
  /** The text before each change that can be undone, including saved changes. */
  readonly past: readonly string[];
}

interface DraftOrigin {
  /** The text and hash of the file on which the draft is based; absent for a new file. */
  readonly saved?: { readonly text: string; readonly hash: string } | undefined;
  /** The setup of a first mapping that is not saved yet. */
  readonly setup?: SetupData | undefined;
}

let kept: Draft | undefined;

/** Returns the draft of this tab, if any. */
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
  return { text, edits: [], past: [], ...origin };
}

export function withEdit(draft: Draft, edit: MappingEdit, text: string): Draft {
  if (text === draft.text) return draft;
  return { ...draft, text, edits: [...draft.edits, edit], past: [...draft.past, draft.text] };
}

export function undone(draft: Draft): Draft {
  const text = draft.past.at(-1);
  if (text === undefined) return draft;
  return { ...draft, text, edits: draft.edits.slice(0, -1), past: draft.past.slice(0, -1) };
}
