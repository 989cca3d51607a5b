import { between, type Dice } from "../seeded-dice.ts";
import type { SimulatedRecord } from "./simulated-record.ts";

/** The input of a migration. Its rows may change before a push. */
export interface ChangingInput {
  /** Whether rows get new content, apart from corrections. */
  readonly isChanging: boolean;
  /** Number of the current version of the input. */
  readonly version: () => number;
  readonly rows: (version: number) => readonly SimulatedRecord[];
  /** Corrects all bad rows. */
  readonly correct: () => void;
  /** Gives some rows new content, earlier content or bad content. */
  readonly change: () => void;
  /** Whether the user sends changes of accepted records (`--revise`). */
  readonly revises: () => boolean;
}

const REVISE_SHARE = 0.6;
const BAD_SHARE = 0.15;
const VERSIONS = 3;

/** @param dice random numbers that determine only the changes; undefined if rows get no new content */
export function createInput(records: readonly SimulatedRecord[], dice: Dice | undefined): ChangingInput {
  const share = dice?.() ?? 0;
  const versions = [records];
  const current = (): readonly SimulatedRecord[] => versions.at(-1) ?? [];
  return {
    isChanging: dice !== undefined,
    version: () => versions.length - 1,
    rows: (version) => versions[version] ?? [],
    correct: () => void versions.push(current().map((row) => ({ ...row, isBad: false }))),
    change() {
      if (dice === undefined) return;
      const changed = (row: SimulatedRecord): SimulatedRecord =>
        dice() < share ? { ...row, version: between(dice, 1, VERSIONS), isBad: dice() < BAD_SHARE } : row;
      versions.push(current().map(changed));
    },
    revises: () => dice !== undefined && dice() < REVISE_SHARE,
  };
}
