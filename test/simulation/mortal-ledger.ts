import type { AttemptOutcome, Ledger } from "../../src/ledger/ledger.ts";
import { Failure } from "../../src/model/failure.ts";
import { never, type Mortal } from "./simulated-clock.ts";

/** What befalls one write to the ledger. */
export type WriteFault = "none" | "full" | "full-after" | "killed" | "killed-after";

/** What of the ledger is on the disk, as far as requests depend on it. */
export interface Durable {
  /** By business identity (hex): whether the intent that is on disk without an outcome may be repeated without harm. */
  readonly sending: Map<string, { readonly harmless: boolean }>;
  /** Intents ever written, by identity. */
  readonly intents: Map<string, number>;
  /** Identities whose latest outcome on disk is ambiguous: their next intent adds no doubt. */
  readonly ambiguous: Set<string>;
}

export interface MortalLedgerOptions {
  readonly process: Mortal & { readonly kill: () => void };
  /** Asked before each write. */
  readonly fault: () => WriteFault;
  readonly durable: Durable;
  readonly note: (event: string) => void;
}

/** A ledger on a disk that may be full, used by a process that may be killed before a write or right after it. */
export function mortalLedger(
  ledger: Ledger,
  options: MortalLedgerOptions,
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
