import { type Clock, timestamp } from "../../time/clock.ts";
import type { JsonObject } from "../../json/json-value.ts";
import type { FaultPlan } from "../faults/fault-plan.ts";
import { type AccountIdentity, keyOfAccount, type SandboxState } from "./sandbox-state.ts";

/**
 * Staged and scheduled payloads that are not accounts yet. They are kept only in memory, so a restart discards them.
 */
export interface ImportProcesses {
  /** Stages a payload. Returns true if it replaces an earlier payload. */
  readonly stage: (identity: AccountIdentity, payload: JsonObject) => boolean;
  readonly staged: (identity: AccountIdentity) => JsonObject | undefined;
  /** Returns the import supplier of the payload that was staged last for a business key. */
  readonly supplierOf: (key: string) => string | undefined;
  /**
   * Creates the account after a delay, unless the import ends in an error (`taskErrors`). If an account is scheduled
   * again before it exists, two accounts are created. The platform's behaviour in this case is not documented, so
   * clients must not expect the platform to detect the repeat.
   */
  readonly schedule: (identity: AccountIdentity, payload: JsonObject) => void;
  /** Returns the most recently scheduled import of the account. */
  readonly scheduled: (identity: AccountIdentity) => ScheduledImport | undefined;
  readonly clear: () => void;
}

export interface ScheduledImport {
  /** When the import was scheduled, in milliseconds since 1970. */
  readonly at: number;
  readonly changedAt: number;
  readonly status: "PENDING" | "IN_PROGRESS" | "PROCESSED" | "ERRORED";
  readonly account: string | undefined;
}

const DEFAULT_TASK_MS = 100;

export function createImportProcesses(state: SandboxState, faults: FaultPlan, clock: Clock): ImportProcesses {
  const stagedByKey = new Map<string, JsonObject>();
  const supplierByKey = new Map<string, string>();
  const scheduledByKey = new Map<string, ScheduledImport>();
  let generation = 0;

  const run = async (identity: AccountIdentity, payload: JsonObject, fails: boolean): Promise<void> => {
    const startedIn = generation;
    const key = keyOfAccount(identity);
    const at = clock.now();
    const halfMs = (faults.options().taskMs ?? DEFAULT_TASK_MS) / 2;
    const become = (status: ScheduledImport["status"], account?: string): void => {
      if (startedIn === generation) scheduledByKey.set(key, { at, changedAt: clock.now(), status, account });
    };
    become("PENDING");
    await clock.sleep(halfMs);
    become("IN_PROGRESS");
    await clock.sleep(halfMs);
    if (startedIn !== generation) return;
    if (fails) become("ERRORED");
    else {
      const importedAt = timestamp(clock);
      become("PROCESSED", state.addAccount({ ...identity, payload, importedAt }).number);
    }
  };

  return {
    stage(identity, payload) {
      const key = keyOfAccount(identity);
      const again = stagedByKey.has(key);
      stagedByKey.set(key, payload);
      supplierByKey.set(identity.key, identity.supplier);
      return again;
    },
    staged: (identity) => stagedByKey.get(keyOfAccount(identity)),
    supplierOf: (key) => supplierByKey.get(key),
    schedule(identity, payload) {
      void run(identity, payload, faults.failsImport());
    },
    scheduled: (identity) => scheduledByKey.get(keyOfAccount(identity)),
    clear() {
      stagedByKey.clear();
      supplierByKey.clear();
      scheduledByKey.clear();
      generation += 1;
    },
  };
}
