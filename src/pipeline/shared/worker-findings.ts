import { randomUUID } from "node:crypto";
import type { PlatformFindings, SupplierFinding } from "../../ledger/runs/platform-findings.ts";
import type { HeartbeatReply } from "../../ledger/runs/shared-run.ts";
import type { MonotonicClock } from "../../time/clock.ts";
import type { UploadEvent } from "../../upload/upload-types.ts";

/** Collects this worker's findings about the platform. The reported rate is the latest that any worker has found. */
export interface FindingsBuilder {
  readonly note: (event: UploadEvent) => void;
  readonly learn: (reply: Pick<HeartbeatReply, "findings" | "workers">) => void;
  readonly current: () => PlatformFindings;
}

export function createFindings(clock: MonotonicClock): FindingsBuilder {
  let workers = 1;
  let rate: { readonly id: string; readonly perSecond: number; readonly at: number } | undefined;
  const suppliers = new Map<string, Omit<SupplierFinding, "agoMs"> & { readonly at: number }>();
  return {
    note(event) {
      const now = clock.monotonic();
      if (event.kind === "pace" && event.perSecond !== undefined)
        rate = { id: randomUUID(), perSecond: event.perSecond * workers, at: now };
      if (event.kind !== "supplier") return;
      const { supplier, open, code, reportedAt: at = now } = event;
      suppliers.set(supplier, { supplier, open, ...(code !== undefined && { code }), at });
    },
    learn({ findings, workers: alive }) {
      workers = alive;
      const found = findings?.rate;
      if (found === undefined || found.id === rate?.id) return;
      const at = clock.monotonic() - found.agoMs;
      if (rate === undefined || at > rate.at) rate = { id: found.id, perSecond: found.perSecond, at };
    },
    current() {
      const now = clock.monotonic();
      return {
        ...(rate !== undefined && {
          rate: { id: rate.id, perSecond: rate.perSecond, agoMs: Math.max(0, now - rate.at) },
        }),
        suppliers: [...suppliers.values()].map(({ at, ...one }) => ({ ...one, agoMs: Math.max(0, now - at) })),
      };
    },
  };
}
