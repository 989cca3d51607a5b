import { rmSync } from "node:fs";
import type { NewChange } from "../../../commands/corrections/change-corrections.ts";
import { Failure } from "../../../model/failure.ts";
import { counted } from "../../../text/count.ts";
import type { EditedCells, Refusal } from "../fix-types.ts";
import { noteEdit } from "./unfinished-edit.ts";

/** The result of an edit that changes no cells. */
export const NO_CELLS: EditedCells = { saved: 0, refused: 0, refusals: [] };

/** The number of cells that are saved with one write. Their records are checked before the next group is saved. */
export const GROUP_SIZE = 1000;
const LISTED_REFUSALS = 20;

/** Whether an edit has at least one full group. The program may end before such an edit is complete. */
export function isLargeEdit(cells: number): boolean {
  return cells >= GROUP_SIZE;
}

export async function* grouped<T>(all: Iterable<T> | AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  let group: T[] = [];
  for await (const each of all) {
    group.push(each);
    if (group.length < GROUP_SIZE) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** Writes a note about a large edit before its first line is appended. */
type NoteEdit = (first: NewChange | undefined) => Promise<void>;

interface GroupOptions {
  /** The corrections file. */
  readonly file: string;
  /** Whether the edit already has a note. `inGroups` does not remove this note. */
  readonly isNoted?: boolean;
}

interface EditedGroup {
  readonly saved: number;
  readonly refusals: readonly Refusal[];
}

/**
 * Runs an edit group by group. Passes `note` to `work` once the edit is large.
 * @throws the errors of `work`; a Failure states the number of cells that were already saved
 */
export async function inGroups<T>(
  groups: Iterable<readonly T[]> | AsyncIterable<readonly T[]>,
  { file, isNoted = false }: GroupOptions,
  work: (group: readonly T[], note: NoteEdit | undefined) => Promise<EditedGroup>,
): Promise<EditedCells> {
  const listed: Refusal[] = [];
  let [saved, refused] = [0, 0];
  let noteFile: string | undefined;
  const note: NoteEdit = async (first) => {
    if (isNoted || noteFile !== undefined || first === undefined) return;
    const { source, column, at, by } = first.correction;
    noteFile = await noteEdit(file, { source, column, at, by });
  };
  let isLarge = false;
  try {
    for await (const group of groups) {
      isLarge ||= isLargeEdit(group.length);
      const done = await work(group, isLarge ? note : undefined);
      saved += done.saved;
      refused += done.refusals.length;
      listed.push(...done.refusals.slice(0, LISTED_REFUSALS - listed.length));
    }
  } catch (error) {
    throw saved > 0 && error instanceof Failure ? partlyDone(error, saved) : error;
  } finally {
    if (noteFile !== undefined) rmSync(noteFile, { force: true });
  }
  return { saved, refused, refusals: listed };
}

function partlyDone({ code, message, hint, place }: Failure, saved: number): Failure {
  return new Failure(code, `${counted(saved, "cell")} saved, then: ${message}`, { hint, place });
}
