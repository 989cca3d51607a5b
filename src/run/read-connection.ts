import type { Clock, Random } from "../model/clock.ts";
import { createReadClient, type ReadClient } from "../platform/read-client.ts";
import type { TargetSettings } from "./connection.ts";
import { authorisationOf, openTarget } from "./connection.ts";
import type { Parts } from "./parts.ts";

/** The read side of a platform; nothing has been asked yet. */
export interface ReadConnection {
  readonly client: ReadClient;
  readonly close: () => Promise<void>;
}

export interface ReadParts extends Pick<Parts, "secrets" | "userAgent" | "proxyCredentials"> {
  /** Ends whatever is under way. */
  readonly drain: AbortSignal;
  readonly clock: Clock;
  readonly random: Random;
  readonly notice: (text: string) => void;
}

/** A reply may be longer than those of the data import: a page holds up to 1500 rates, an account all it has. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024;

/**
 * Makes a client for reading. Opens no socket before the first request.
 * @param who `anybody` for what is public (specification 5.1): credentials are neither needed nor sent
 * @throws Failure `usage` for an unusable base URL, `config` without credentials that are needed
 */
export async function connectToRead(
  target: TargetSettings,
  who: "anybody" | "account-holder",
  parts: ReadParts,
): Promise<ReadConnection> {
  const open = await openTarget(target, { connections: 1, maxReplyBytes: MAX_REPLY_BYTES }, parts);
  const authorisation = who === "anybody" ? undefined : await authorisationOf(target, open, parts);
  const { clock, random, userAgent, drain, notice } = parts;
  const client = createReadClient({
    ...open,
    authorisation,
    userAgent,
    clock,
    random,
    signal: drain,
    onWait: ({ reason, ms }) => notice(`Waiting ${(ms / 1000).toFixed(1)} s: ${reason}`),
  });
  return { client, close: open.close };
}
