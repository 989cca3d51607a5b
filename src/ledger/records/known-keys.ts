import type { LocalProblem } from "../../model/problem.ts";
import { findKeyCorruption, visibleKeyCorruption } from "../../text/key-corruption.ts";
import type { PlannedPlace, PlanPolicy } from "./planned-item.ts";
import { keyProblem } from "./key-place.ts";

/** A record of the plan with a key that no run has sent. */
export interface NewKey extends PlannedPlace {
  readonly key: string;
}

/** A record of another run, for comparison with a new key. */
export interface KnownKey {
  /** Empty if the request is only in a journal, because journals contain no keys. */
  readonly known: string;
  /** Whether the platform has, or may have, the record with the known key. */
  readonly wasSent: boolean;
}

/**
 * Returns the problem for a new key that may be a changed form of a known key. Returns undefined if the keys are not
 * nearly equal. Also returns undefined if the known key looks like a changed form of the new key and never reached the
 * platform: the new key may then be a correction.
 */
export function nearKnownKey(found: NewKey & KnownKey, policy: PlanPolicy): LocalProblem | undefined {
  const { key, known, wasSent } = found;
  const corruption = findKeyCorruption(known, key);
  if (corruption === undefined || (!wasSent && corruption.changed === "known")) return undefined;
  const { kind } = corruption;
  return { ...keyProblem("error", found, policy), code: "near_known_key", key, known, corruption: kind, wasSent };
}

/** Returns the problem for a new key that a spreadsheet has visibly changed; undefined for any other key. */
export function visiblyCorruptKey(found: NewKey, policy: PlanPolicy): LocalProblem | undefined {
  const { key } = found;
  const corruption = visibleKeyCorruption(key);
  return corruption && { ...keyProblem("error", found, policy), code: "damaged_key", key, corruption };
}

/** Returns the problem for a new key whose source row was sent, or excluded from the migration, under another key. */
export function rowSentUnderOtherKey(found: NewKey & KnownKey, policy: PlanPolicy): LocalProblem {
  const { key, known, wasSent } = found;
  const other = { ...(known !== "" && { known }), ...(!wasSent && { isExcluded: true }) };
  return { ...keyProblem("error", found, policy), code: "row_sent_under_other_key", key, ...other };
}

/** Problem codes of records that were refused because of their keys. Such a key does not count as a known key. */
export const REFUSED_KEY_CODES: readonly LocalProblem["code"][] = [
  "near_known_key",
  "damaged_key",
  "row_sent_under_other_key",
  "key_differs_from_reject",
];
