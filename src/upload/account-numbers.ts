import type { RequestResult } from "../platform/import/classified-request.ts";
import { namesAccount } from "../platform/reply/names-account.ts";
import type { RecordState } from "./record-state.ts";

/** The account numbers that replies have given to the records of a run, the latest of them. */
export interface AccountNumbers {
  /** The result; ambiguous where it names an account that another record was given: the platform gives each to one. */
  readonly check: (result: RequestResult, state: Pick<RecordState, "toSend" | "json">) => RequestResult;
}

/** Flat memory: a reply that is wrong in this way names the same account again and again. At least so many are known. */
const MIN_REMEMBERED = 10_000;

export function createAccountNumbers(): AccountNumbers {
  /** Two lists, the older one given up as a whole: to take the oldest entry out of a map costs more than the rest. */
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
