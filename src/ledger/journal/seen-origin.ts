import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { makeFolder } from "../../files/make-folder.ts";
import { z } from "zod";
import { parseJson } from "../../json/parse-json.ts";
import { unlessMissing } from "../../files/error-code.ts";
import { replaceFile, replaceFileSync } from "../../files/replace-file.ts";
import type { OriginFacts } from "./recovery.ts";

/** The state of a ledger on a server, as last observed by a process on this machine. */
export interface SeenOrigin extends OriginFacts {
  /** Number of requests in the ledger. */
  readonly requests: number;
  /** ISO 8601 UTC. */
  readonly at: string;
}

const schema: z.ZodType<SeenOrigin> = z.object({
  origin: z.string(),
  position: z.number(),
  machines: z.array(z.string()),
  requests: z.number(),
  at: z.string(),
});

/**
 * Reads the last observed state, without `startedAt` and `noted`. Returns undefined if its file is missing or invalid.
 * @param folder the folder of the ledger's journals
 */
export function readSeenOrigin(folder: string): SeenOrigin | undefined {
  return schema.safeParse(unlessMissing(() => parseJson(readFileSync(seenPath(folder), "utf8")))).data;
}

/**
 * Saves the observed state. If the saved state has the same origin, keeps the larger of the two request counts, because
 * several processes write this file.
 * @param state `recovered`: the ledger now accounts for all lost requests, so its number of requests replaces the saved
 * number
 */
export async function writeSeenOrigin(
  folder: string,
  seen: SeenOrigin,
  state: "recovered" | "in use" = "in use",
): Promise<void> {
  const before = state === "recovered" ? undefined : readSeenOrigin(folder);
  const requests = before?.origin === seen.origin ? Math.max(before.requests, seen.requests) : seen.requests;
  makeFolder(folder);
  await replaceFile(seenPath(folder), `${JSON.stringify({ ...seen, requests })}\n`);
}

function seenPath(folder: string): string {
  return path.join(folder, "seen.json");
}

/** Returns the id of this machine or, more precisely, of its state folder. Creates the id on first use. */
export function machineId(stateFolder: string): string {
  const file = path.join(stateFolder, "machine");
  const known = unlessMissing(() => readFileSync(file, "utf8").trim());
  if (known !== undefined && known !== "") return known;
  makeFolder(stateFolder);
  replaceFileSync(file, Buffer.from(`${randomUUID()}\n`));
  // Another process may have written the file first.
  return readFileSync(file, "utf8").trim();
}
