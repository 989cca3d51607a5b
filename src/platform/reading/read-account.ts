import { Failure } from "../../model/failure.ts";
import { isJsonObject } from "../../json/json-value.ts";
import { joinPath, pathSegment } from "../../transport/base-url.ts";
import { compactJson, parseExact } from "../../json/exact-json.ts";
import { type ReadClient, wrongReply } from "./read-client.ts";
import type { Account } from "./received-records.ts";

/**
 * Reads an account (specification 4.3). Messages never contain its number, which is personal data.
 * @throws Failure `usage` for a number that cannot be part of a URL path; `not_found`; the failures of `ReadClient.get`
 */
export async function readAccount(client: ReadClient, number: string): Promise<Account> {
  const url = joinPath(client.baseUrl, `accounts/${pathSegment(number, "the account number")}/`);
  const what = "the account";
  const text = await client.get(url, { what, missing: noAccount(), query: false });
  const record = parseExact(text);
  if (!isJsonObject(record)) throw wrongReply(what, record === undefined ? "is not JSON" : "is not a record");
  return { record, json: compactJson(text) };
}

function noAccount(): Failure {
  return new Failure("not_found", "the platform has no account with this number", {
    hint: "use the platform's own account number, which `migrate explain <key>` shows for a migrated account",
  });
}
