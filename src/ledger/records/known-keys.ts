import type { LocalProblem } from "../../model/problem.ts";
import { findKeyDamage, visibleKeyDamage } from "../../text/key-damage.ts";
import type { PlanPolicy } from "../ledger.ts";
import { keyProblem } from "./key-place.ts";

/** A record of the plan with a key that no run has sent. */
export interface NewKey {
  readonly record: number;
  readonly key: string;
  readonly file: string;
  readonly line: number;
}

/** A record of an earlier run, for comparison with a new key. */
export interface KnownKey {
  /** Empty if the record is only in a journal, which has no keys. */
  readonly known: string;
  /** Whether the platform has, or may have, the record with the known key. */
  readonly wasSent: boolean;
}

/**
 * The problem of a new key that may be a changed form of a known key. If the known key never reached the platform, it
 * may be the changed form and the new key its correction: then there is no problem.
 */
export function nearKnownKey(found: NewKey & KnownKey, policy: PlanPolicy): LocalProblem | undefined {
  const { key, known, wasSent } = found;
  const damage = findKeyDamage(known, key);
  if (damage === undefined || (!wasSent && damage.changed === "known")) return undefined;
  const { kind } = damage;
  return { ...keyProblem("error", found, policy), code: "near_known_key", key, known, damage: kind, wasSent };
}

/** The problem of a new key that a spreadsheet has visibly changed. */
export function visiblyDamagedKey(found: NewKey, policy: PlanPolicy): LocalProblem | undefined {
  const { key } = found;
  const damage = visibleKeyDamage(key);
  return damage && { ...keyProblem("error", found, policy), code: "damaged_key", key, damage };
}

/** The problem of a new key whose source row was sent under another key. */
export function rowSentUnderOtherKey(found: NewKey & Pick<KnownKey, "known">, policy: PlanPolicy): LocalProblem {
  const { key, known } = found;
  const other = known === "" ? {} : { known };
  return { ...keyProblem("error", found, policy), code: "row_sent_under_other_key", key, ...other };
}

/** Codes of records that were refused because of their keys. Such a key is no evidence of the correct key. */
export const REFUSED_KEY_CODES: readonly LocalProblem["code"][] = [
  "near_known_key",
  "damaged_key",
  "row_sent_under_other_key",
  "key_differs_from_reject",
];
