import type { ReadBack } from "../../../src/contract/operations/operation.ts";
import { Failure } from "../../../src/model/failure.ts";
import type { JsonObject } from "../../../src/json/json-value.ts";
import type { LookupRecord } from "../../../src/platform/reading/compare-content.ts";
import type { LookupResult } from "../../../src/platform/reading/lookup-result.ts";
import { lookUpRecords } from "../../../src/platform/reading/record-lookup.ts";
import type { ReadClient, ReadRequest } from "../../../src/platform/reading/read-client.ts";

const BASE = new URL("https://api.example.test/v1/");
export const KEY = ["ref"];

export const LIST: ReadBack = readBack("/imports/{supplier}/", {
  parameters: { supplier: ["supplier"] },
  list: [],
  match: [{ reply: ["number"], payload: ["ref"] }],
  account: ["account"],
});
export const ONE: ReadBack = readBack("/imports/{supplier}/{ref}/", {
  parameters: { supplier: ["supplier"], ref: ["ref"] },
  match: [{ reply: ["name"], payload: ["name"] }],
  account: ["account"],
});

export function readBack(path: string, rest: Partial<ReadBack>): ReadBack {
  const operation = { id: path, method: "GET", path, dedupesByKey: false, replies: [], outcomes: [] };
  return { operation, parameters: {}, match: [], provesAbsence: true, ...rest };
}

export function lookupOf(ref: string, more: JsonObject = {}, isAsSent = true): LookupRecord {
  return { payload: { ref, supplier: "S", name: "Ada", ...more }, isAsSent };
}

export function refOf({ ref }: JsonObject): string {
  return typeof ref === "string" ? ref : "";
}

export type Reply = string | object | Failure;

/** Creates a client for a platform that gives these replies, keyed by path, and 404 for other paths. */
export function clientOf(replies: Readonly<Record<string, Reply>>): {
  readonly client: ReadClient;
  readonly asked: string[];
} {
  const asked: string[] = [];
  const get = (url: URL, { missing }: ReadRequest): Promise<string> => {
    const path = url.pathname.replace("/v1/imports/", "") + url.search;
    asked.push(path);
    const reply = replies[path] ?? missing;
    if (reply instanceof Failure) return Promise.reject(reply);
    return Promise.resolve(typeof reply === "string" ? reply : JSON.stringify(reply));
  };
  return { client: { baseUrl: BASE, get }, asked };
}

/** Looks records up, and returns the results without the compared values. */
export async function look(
  records: readonly LookupRecord[],
  readBacks: readonly ReadBack[],
  replies: Readonly<Record<string, Reply>>,
): Promise<readonly object[]> {
  return (await lookUpRecords(records, readBacks, { client: clientOf(replies).client, key: KEY })).map(withoutValues);
}

function withoutValues(result: LookupResult): object {
  if (!("values" in result)) return result;
  const { values: _values, compared: _compared, ...others } = result;
  return others;
}

export const UNREACHABLE = new Failure(
  "platform_unreachable",
  "the platform does not give the state of a record (HTTP 502)",
);

export function item(code: string, account: string): object {
  return { number: "R1", account, state: { code } };
}

/**
 * Returns the reply with a list that has three entries for record R1. The first and last entries have the account A-1,
 * and the second entry has the given account.
 */
export function listedTwice(second: string): Readonly<Record<string, Reply>> {
  return { "S/": ["A-1", second, "A-1"].map((account) => ({ number: "R1", account })) };
}
