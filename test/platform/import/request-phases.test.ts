import { afterEach, describe, expect, test } from "vitest";
import type { RequestResult } from "../../../src/platform/import/classified-request.ts";
import { FAULTS, faultAt, PHASES } from "../../chaos-script.ts";
import { connectClient } from "./connected-client.ts";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** Short timeouts for events that never happen. Only a fault before the request is sent limits the connection. */
const SHORT = { connectMs: 10_000, headersMs: 120, bodyMs: 120, totalMs: 20_000 };
/** Larger than the buffers between client and server. */
const PAYLOAD = { external_account_number: "A", remark: "x".repeat(1_500_000) };

async function classified(phase: (typeof PHASES)[number], fault: (typeof FAULTS)[number]): Promise<RequestResult> {
  const { options, act } = faultAt(phase, fault);
  const connectMs = phase === "connection" || phase === "handshake" ? 120 : SHORT.connectMs;
  const { send, close } = await connectClient(() => act, { ...options, timeouts: { ...SHORT, connectMs } });
  cleanups.push(close);
  return send(PAYLOAD);
}

/**
 * Before the first byte of the request is sent, the platform cannot have processed it. After that, only a complete
 * reply determines the outcome. The status line of a success is not enough.
 */
function expected(phase: (typeof PHASES)[number], fault: (typeof FAULTS)[number]): RegExp {
  if (phase === "connection" || phase === "handshake") return fault === "garbage" ? /unsent|stop/ : /unsent/;
  return /ambiguous/;
}

describe.each(PHASES)("a fault after %s", (phase) => {
  test.each(FAULTS)("is classified by the progress of the request: %s", async (fault) => {
    const { replyClass } = await classified(phase, fault);
    expect(replyClass.kind).toMatch(expected(phase, fault));
  });
});
