import type { RequestResult } from "../platform/import/classified-request.ts";
import { namesAccount } from "./record-state.ts";
import type { RecordToSend } from "./upload-types.ts";

/** The account numbers that replies have given to the records of a run, the latest of them. */
export interface AccountNumbers {
  /** The result; ambiguous where it names an account that another record was given: the platform gives each to one. */
  readonly check: (result: RequestResult, record: Pick<RecordToSend, "record" | "payload">) => RequestResult;
}

/** Flat memory: a reply that is wrong in this way names the same account again and again. */
const MAX_REMEMBERED = 10_000;

export function createAccountNumbers(): AccountNumbers {
  const records = new Map<string, number>();
  return {
    check(result, toSend) {
      const { replyClass, http } = result;
      const { record } = toSend;
      if (replyClass.kind !== "accepted" || replyClass.account === undefined) return result;
      if (namesAccount(toSend, replyClass.account)) return result;
      const holder = records.get(replyClass.account);
      if (holder !== undefined && holder !== record) return { ...result, replyClass: ambiguous(http, holder) };
      records.set(replyClass.account, record);
      for (const oldest of records.keys()) {
        if (records.size <= MAX_REMEMBERED) break;
        records.delete(oldest);
      }
      return result;
    },
  };
}

function ambiguous(http: number | undefined, holder: number): RequestResult["replyClass"] {
  const reason = `HTTP ${http ?? "reply"} with the account number of another record (record ${holder})`;
  return { kind: "ambiguous", reason, notFromApi: true };
}
