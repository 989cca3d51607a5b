import { ACCOUNT_FIELDS } from "../../contract/operations/documented-reply.ts";
import type { ReadBack } from "../../contract/operations/operation.ts";
import { fieldAt, type FieldType } from "../../contract/types/field-type.ts";
import { type AttrPath, formatAttr } from "../../json/attr.ts";
import { canonicalJson, type JsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";
import { cleanText, codeText, isEmpty } from "../reply/reply-body.ts";
import { compareContent, type ComparedRecord, type LookupRecord } from "./compare-content.ts";
import { namesAccount } from "../reply/named-record.ts";

/** The result of looking up a record. `unknown`: the lookup proves nothing. */
export type LookupResult =
  | ComparedRecord
  | { readonly kind: "absent" }
  /** `isInProgress`: the platform may still be processing the record. */
  | { readonly kind: "unknown"; readonly reason: string; readonly isInProgress?: true };

export function unknown(reason: string): Extract<LookupResult, { readonly kind: "unknown" }> {
  return { kind: "unknown", reason };
}

function inProgress(reason: string): LookupResult {
  return { ...unknown(reason), isInProgress: true };
}

/**
 * Whether the record is looked up again. A second query must confirm that the record is absent, or may find that a
 * record in progress has finished.
 */
export function isLookedUpAgain(lookup: LookupResult | undefined): boolean {
  return lookup?.kind === "absent" || (lookup?.kind === "unknown" && lookup.isInProgress === true);
}

/**
 * Returns the result of two lookups of a record, one after the other. A platform that first processes the record and
 * then does not find it contradicts itself, so only two absences in a row prove that the record is absent.
 */
export function resultOfTwo(first: LookupResult | undefined, second: LookupResult): LookupResult {
  return second.kind === "absent" && first?.kind !== "absent" ? NO_LONGER_FOUND : second;
}

const NO_LONGER_FOUND = unknown("the platform first processed the record, but did not find it a moment later");

export interface Evaluation {
  /** Attr of the business key. */
  readonly key: AttrPath;
  /** The documented type of the reply, or of the item. */
  readonly form: FieldType | undefined;
}

/**
 * Evaluates a reply, or an item of a list, for a record. Checks its status and account number, then compares its
 * content.
 */
export function evaluateReply(
  reply: JsonValue,
  record: LookupRecord,
  readBack: ReadBack,
  { key, form }: Evaluation,
): LookupResult {
  const { has, status: place = DEFAULT_STATUS, outcomes } = readBack;
  const status = valueAt(reply, place);
  const missing = has !== undefined && isEmpty(valueAt(reply, has)) ? formatAttr(has) : undefined;
  const unsettled =
    outcomes === undefined ? resultWithoutOutcomes(status, missing, form) : statusResult(status, missing, outcomes);
  const result = unsettled ?? accountResult(reply, readBack);
  if (result !== undefined) return result;
  return isIdentified(reply, readBack, key) ? compareContent(reply, record, readBack, key) : UNIDENTIFIED;
}

/**
 * Whether a reply shows that the platform has the record: by its status, by the path in `has`, or by a key, an account
 * number or a value to compare. Any other reply, such as `{}` or `{"detail": "no such account"}`, may mean the
 * opposite. If the contract names neither values to compare nor an account number, any reply that is not empty counts.
 */
function isIdentified(reply: JsonValue, { has, outcomes, match, account }: ReadBack, key: AttrPath): boolean {
  if (has !== undefined || outcomes !== undefined) return true;
  if (match.length === 0 && account === undefined) return !isEmpty(reply);
  const places = [
    key,
    ...(account === undefined ? [] : [account]),
    ...ACCOUNT_FIELDS,
    ...match.map((pair) => pair.reply),
  ];
  return places.some((place) => !isEmpty(valueAt(reply, place)));
}

const UNIDENTIFIED = unknown("a reply without a business key, an account number or a value to compare");

/**
 * Returns a result if the account number is null or blank, which means that no number has been assigned yet. Otherwise
 * returns undefined.
 */
function accountResult(reply: JsonValue, { account }: ReadBack): LookupResult | undefined {
  const number = account && valueAt(reply, account);
  if (account === undefined || number === undefined || !isEmpty(number)) return undefined;
  return inProgress(`the platform has the record, but its reply has no ${formatAttr(account)}; try again later`);
}

/** Returns undefined if the record can be compared. */
function resultWithoutOutcomes(
  status: unknown,
  missing: string | undefined,
  form: FieldType | undefined,
): LookupResult | undefined {
  if (typeof status === "string" && !isDocumented(status, form)) return unlisted(status);
  if (missing === undefined) return undefined;
  return inProgress(
    `the platform returned the record without ${missing}, and the contract defines no status for absent records`,
  );
}

/** Returns undefined if the status shows that the record has arrived and can be compared. */
function statusResult(
  written: unknown,
  missing: string | undefined,
  outcomes: NonNullable<ReadBack["outcomes"]>,
): LookupResult | undefined {
  const status = codeText(written);
  if (status === undefined) return unknown("a reply without the status that the contract names");
  const shown = cleanText(status, 60);
  const outcome = Object.hasOwn(outcomes, status) ? outcomes[status] : undefined;
  if (outcome === undefined) return unlisted(status);
  if (outcome === "pending") return inProgress(`its status is ${shown}; try again later`);
  if (outcome !== "accepted") return { kind: "absent" };
  return missing === undefined ? undefined : unknown(`its status is ${shown}, but the reply has no ${missing}`);
}

/** Path of the status in a reply, unless the contract specifies another path. */
const DEFAULT_STATUS: AttrPath = ["status"];

function unlisted(status: string): LookupResult {
  return unknown(`its status is ${cleanText(status, 60)}, which the contract does not list`);
}

/** Whether the reply schema allows this status. A schema without a list of choices allows every status. */
function isDocumented(status: string, form: FieldType | undefined): boolean {
  const type = form && fieldAt(form, DEFAULT_STATUS);
  return type?.kind !== "choice" || type.choices.includes(status);
}

interface NumberedRecord {
  readonly payload: JsonObject;
  readonly parameters?: JsonObject | undefined;
  /** The account number in an earlier reply about the record. */
  readonly account?: string | undefined;
}

/**
 * Whether the platform created the account for this record. If the payload or a parameter names the account, the record
 * adds data to an existing account. Other records may add data to the same account.
 * @param accountOwner present if several records may belong to one account
 */
export function isNewAccount(
  { payload, parameters }: NumberedRecord,
  account: string,
  accountOwner?: AttrPath,
): boolean {
  const isPart = accountOwner !== undefined && valueAt(payload, accountOwner) !== undefined;
  return !isPart && !namesAccount({ json: Buffer.from(canonicalJson(payload)), parameters }, account);
}

/**
 * Returns the results with conflicting account numbers replaced by `unknown`: several records have the same new account
 * number, or an earlier reply about the record had another number.
 */
export function markConflictingAccounts(
  records: readonly NumberedRecord[],
  lookups: readonly LookupResult[],
  accountOwner?: AttrPath,
): readonly LookupResult[] {
  const counts = new Map<string, number>();
  const accounts = records.map((record, index) => {
    const lookup = lookups[index];
    const account = lookup !== undefined && "account" in lookup ? lookup.account : undefined;
    return account !== undefined && isNewAccount(record, account, accountOwner) ? account : undefined;
  });
  for (const account of accounts) if (account !== undefined) counts.set(account, (counts.get(account) ?? 0) + 1);
  return lookups.map((lookup, index) => {
    const account = accounts[index];
    const earlier = records[index]?.account;
    if (account === undefined) return lookup;
    if (earlier !== undefined && earlier !== account) {
      const what = `the platform returns the account number ${account}, but an earlier reply had ${earlier}`;
      return unknown(`${what}: the record may have two accounts`);
    }
    return (counts.get(account) ?? 0) > 1 ? SHARED_ACCOUNT : lookup;
  });
}

const SHARED_ACCOUNT = unknown("the platform returned the same account number for several records");
