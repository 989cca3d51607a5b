import type { AttemptOutcome } from "../../src/ledger/records/requests.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { Failure } from "../../src/model/failure.ts";
import { never, type Killable } from "./simulated-clock.ts";

/** The fault during one write to the ledger. `-after`: the fault happens after the write. */
export type WriteFault = "none" | "full" | "full-after" | "killed" | "killed-after";

/** The part of the ledger's content on disk that requests depend on. */
export interface Durable {
  /** For each business identity (hex) with an intent but no outcome on disk: whether the request is idempotent. */
  readonly sending: Map<string, { readonly harmless: boolean }>;
  /** The number of intents ever written, by identity. */
  readonly intents: Map<string, number>;
  /** Identities whose latest outcome on disk is ambiguous: their next intent adds no ambiguous record. */
  readonly ambiguous: Set<string>;
}

export interface KillableLedgerOptions {
  readonly process: Killable & { readonly kill: () => void };
  /** Called before each write. */
  readonly fault: () => WriteFault;
  readonly durable: Durable;
  readonly note: (event: string) => void;
}

/** Wraps a ledger. Before or after a write, the disk may be full, or the process may be killed. */
export function killableLedger(
  ledger: Ledger,
  options: KillableLedgerOptions,
): Pick<Ledger, "saveIntents" | "saveOutcomes"> {
  const { process, durable, note } = options;

  const write = async (what: string, work: () => Promise<void>): Promise<void> => {
    if (process.isDead()) await never();
    const fault = options.fault();
    if (fault === "killed") {
      note(`killed before ${what}`);
      process.kill();
      await never();
    }
    if (fault === "full") throw full();
    await work();
    note(`${what} written`);
    if (fault === "killed-after") {
      process.kill();
      await never();
    }
    if (fault === "full-after") throw full();
  };

  return {
    saveIntents: (run, intents, settled = []) =>
      write(`${intents.length} intents and ${settled.length} outcomes`, async () => {
        await ledger.saveIntents(run, intents, settled);
        noteSettled(settled, durable);
        for (const { identity, idempotent = false } of intents) {
          durable.sending.set(hex(identity), { harmless: idempotent });
          durable.intents.set(hex(identity), (durable.intents.get(hex(identity)) ?? 0) + 1);
        }
      }),
    saveOutcomes: (run, settled) =>
      write(`${settled.length} outcomes`, async () => {
        await ledger.saveOutcomes(run, settled);
        noteSettled(settled, durable);
      }),
  };
}

function noteSettled(settled: readonly AttemptOutcome[], { sending, ambiguous }: Durable): void {
  for (const { identity, status } of settled) {
    sending.delete(hex(identity));
    if (status === "ambiguous") ambiguous.add(hex(identity));
    else ambiguous.delete(hex(identity));
  }
}

export function hex(identity: Uint8Array): string {
  return Buffer.from(identity).toString("hex");
}

function full(): Failure {
  return new Failure("storage", "the disk is full", { hint: "make room" });
}
