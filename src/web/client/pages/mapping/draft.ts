import type { ErrorDetails } from "../../../error-data.ts";
import type {
  CheckData,
  DraftRequest,
  MappingData,
  MappingEdit,
  MappingState,
  SaveData,
  SetupData,
} from "../../../mapping/mapping-data.ts";
import { getJson, postJson } from "../../api.ts";

/** A mapping that is being changed. It remains while other pages are shown. */
export interface Draft {
  readonly text: string;
  /** The text and the hash of the file from which it was made; absent for a new file. */
  readonly saved?: { readonly text: string; readonly hash: string } | undefined;
  /** For a first mapping that is not saved yet. */
  readonly setup?: SetupData | undefined;
  /** The changes since the file was read. */
  readonly edits: readonly MappingEdit[];
  /** The texts before each change. */
  readonly past: readonly string[];
}

let kept: Draft | undefined;

/** The draft of this tab, if there is one. */
export function keptDraft(): Draft | undefined {
  return kept;
}

export function keepDraft(draft: Draft | undefined): void {
  kept = draft;
}

export function isChanged({ text, saved }: Draft): boolean {
  return text !== saved?.text;
}

export function newDraft(text: string, more: Pick<Draft, "saved" | "setup">): Draft {
  return { text, edits: [], past: [], ...more };
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

export function readState(): Promise<MappingState> {
  return getJson<MappingState>("/api/mapping");
}

function requestOf({ text, setup }: Draft, showValues: boolean): DraftRequest {
  return { text, showValues, ...(setup !== undefined && { setup }) };
}

export function viewDraft(draft: Draft, edits: readonly MappingEdit[], showValues: boolean): Promise<MappingData> {
  return postJson<MappingData>("/api/mapping/view", { ...requestOf(draft, showValues), edits });
}

export function checkDraft(draft: Draft, showValues: boolean, signal: AbortSignal): Promise<CheckData> {
  return postJson<CheckData>("/api/mapping/check", requestOf(draft, showValues), signal);
}

/** Saves the draft, and returns the draft as saved. */
export async function saveDraft(
  draft: Draft,
): Promise<{ readonly draft: Draft; readonly written: SaveData["written"] }> {
  const base = draft.saved?.hash;
  const body = { ...requestOf(draft, false), ...(base !== undefined && { base }) };
  const { hash, written } = await postJson<SaveData>("/api/mapping/save", body);
  return { draft: { ...draft, saved: { text: draft.text, hash }, setup: undefined, edits: [] }, written };
}

/** The changes of a draft, applied to the current file. */
export async function reapplied(draft: Draft): Promise<Draft> {
  const { saved } = await readState();
  if (saved === undefined) return { ...draft, saved: undefined };
  const { text } = await viewDraft(newDraft(saved.text, { saved }), draft.edits, false);
  return { text, saved, edits: draft.edits, past: [saved.text] };
}

/** A check of the current draft. */
export interface CheckState {
  readonly data: CheckData | undefined;
  readonly error: ErrorDetails | undefined;
  readonly isRunning: boolean;
}
