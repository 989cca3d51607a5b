import type { AttrPath } from "../json/attr.ts";
import { type JsonValue, valueAt } from "../json/json-value.ts";
import type { RequestResult } from "../platform/import/classified-request.ts";
import { namesAccount } from "../platform/reply/named-record.ts";
import type { RecordState } from "./record-state.ts";

/** The account numbers that replies assigned to the most recent records of a run. */
export interface AccountNumbers {
  /**
   * Returns the result, or an ambiguous result if the account number is suspicious. A number is suspicious if another
   * record already has it, because numbers are unique. It is also suspicious if an earlier reply about the record, or
   * about its earlier version, has a different number, because the platform may have created a second account. Notes
   * the number in the state. Does not check a number that the payload or the parameters contain, because several
   * records may add data to one account. For the same reason, records with the same owner may have the same number.
   */
  readonly check: (result: RequestResult, state: Pick<RecordState, "toSend" | "json" | "account">) => RequestResult;
}

/**
 * Minimum number of account numbers to remember. At most twice this number is kept. Wrong replies usually repeat a
 * recent number.
 */
const MIN_REMEMBERED = 10_000;

interface Holder {
  readonly record: number;
  readonly owner: JsonValue | undefined;
}

/** @param accountOwner the attr whose value records share if they belong to one account */
export function createAccountNumbers(accountOwner?: AttrPath): AccountNumbers {
  /**
   * Two maps, so that the older map can be dropped as a whole. This is cheaper than removing the oldest entry each
   * time.
   */
  let latest = new Map<string, Holder>();
  let older: ReadonlyMap<string, Holder> = new Map();
  return {
    check(result, state) {
      const { replyClass, http } = result;
      const { record, payload, parameters, account: ofVersion } = state.toSend;
      const earlier = state.account ?? ofVersion;
      if (!("account" in replyClass) || replyClass.account === undefined) return result;
      if (namesAccount({ json: state.json, parameters }, replyClass.account)) return result;
      if (earlier !== undefined && earlier !== replyClass.account) {
        return { ...result, replyClass: ambiguous(http, `a different account number than before (${earlier})`) };
      }
      const claim = { record, owner: accountOwner && valueAt(payload, accountOwner) };
      const holder = latest.get(replyClass.account) ?? older.get(replyClass.account);
      if (holder !== undefined && !isShared(holder, claim)) {
        const other = `the account number of another record (record ${holder.record})`;
        return { ...result, replyClass: ambiguous(http, other) };
      }
      state.account = replyClass.account;
      latest.set(replyClass.account, claim);
      if (latest.size >= MIN_REMEMBERED) {
        older = latest;
        latest = new Map();
      }
      return result;
    },
  };
}

function isShared(holder: Holder, { record, owner }: Holder): boolean {
  return holder.record === record || (owner !== undefined && holder.owner === owner);
}

function ambiguous(http: number | undefined, account: string): RequestResult["replyClass"] {
  return { kind: "ambiguous", reason: `HTTP ${http ?? "reply"} with ${account}`, notFromApi: true };
}
