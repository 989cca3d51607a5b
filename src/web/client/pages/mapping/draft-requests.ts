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
import { afterSave, type Draft, newDraft } from "./draft.ts";

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

export async function saveDraft(
  draft: Draft,
): Promise<{ readonly draft: Draft; readonly written: SaveData["written"] }> {
  const base = draft.saved?.hash;
  const body = { ...requestOf(draft, false), ...(base !== undefined && { base }) };
  const { hash, written } = await postJson<SaveData>("/api/mapping/save", body);
  return { draft: afterSave(draft, hash), written };
}

/** Returns a draft with the changes applied to the current file, as one step. Without a file, returns `draft`. */
export async function reapplied(edits: readonly MappingEdit[], draft: Draft): Promise<Draft> {
  const { saved } = await readState();
  if (saved === undefined) return { ...draft, saved: undefined };
  const { text } = await viewDraft(newDraft(saved.text, { saved }), edits, false);
  return { text, saved, steps: [{ before: saved.text, edits }] };
}

/** The state of the current draft's check. */
export interface CheckState {
  readonly data: CheckData | undefined;
  readonly error: ErrorDetails | undefined;
  readonly isRunning: boolean;
}
