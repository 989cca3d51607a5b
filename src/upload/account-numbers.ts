import type { RequestResult } from "../platform/import/classified-request.ts";
import { namesAccount } from "../platform/reply/names-account.ts";
import type { RecordState } from "./record-state.ts";

/** The account numbers that replies assigned to the most recent records of a run. */
export interface AccountNumbers {
  /**
   * Returns the result. If another record already has the account number, returns an ambiguous result, because numbers
   * are unique.
   */
  readonly check: (result: RequestResult, state: Pick<RecordState, "toSend" | "json">) => RequestResult;
}

/**
 * Minimum number of account numbers to remember; at most twice as many are kept. Wrong replies usually repeat a recent
 * number.
 */
const MIN_REMEMBERED = 10_000;

export function createAccountNumbers(): AccountNumbers {
  /** Two maps; the older one is dropped as a whole, which is cheaper than removing the oldest entry each time. */
  let latest = new Map<string, number>();
  let older: ReadonlyMap<string, number> = new Map();
  return {
    check(result, state) {
      const { replyClass, http } = result;
      const { record } = state.toSend;
      const isSettled = replyClass.kind === "accepted" || replyClass.kind === "rejected";
      if (!isSettled || replyClass.account === undefined) return result;
      if (namesAccount(state, replyClass.account)) return result;
      const holder = latest.get(replyClass.account) ?? older.get(replyClass.account);
      if (holder !== undefined && holder !== record) return { ...result, replyClass: ambiguous(http, holder) };
      latest.set(replyClass.account, record);
      if (latest.size >= MIN_REMEMBERED) {
        older = latest;
        latest = new Map();
      }
      return result;
    },
  };
}

function ambiguous(http: number | undefined, holder: number): RequestResult["replyClass"] {
  const reason = `HTTP ${http ?? "reply"} with the account number of another record (record ${holder})`;
  return { kind: "ambiguous", reason, notFromApi: true };
}
