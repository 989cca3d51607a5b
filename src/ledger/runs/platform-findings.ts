import { z } from "zod";

/**
 * One worker's findings about the platform, or the combined findings of all workers of a shared run. Ages are in
 * milliseconds.
 */
export interface PlatformFindings {
  /**
   * Combined requests per second of all workers, just after the platform refused a request. `id` identifies the
   * refusal.
   */
  readonly rate?: { readonly id: string; readonly perSecond: number; readonly agoMs: number } | undefined;
  /** Import suppliers that closed or reopened. */
  readonly suppliers: readonly SupplierFinding[];
}

export interface SupplierFinding {
  readonly supplier: string;
  readonly open: boolean;
  /** The code that the platform returned when the supplier closed. */
  readonly code?: string | undefined;
  readonly agoMs: number;
}

/** The combined findings of all workers. */
export interface SharedFindings extends PlatformFindings {
  readonly suppliers: readonly (SupplierFinding & {
    /** Whether this worker probes the supplier. */
    readonly isProbedHere: boolean;
  })[];
}

/** The findings of one worker, and the age of its report. */
export interface WorkerFindings {
  readonly worker: string;
  readonly seenAgoMs: number;
  readonly findings: PlatformFindings | undefined;
}

export const findingsSchema: z.ZodType<PlatformFindings> = z.object({
  rate: z.object({ id: z.string(), perSecond: z.number(), agoMs: z.number() }).optional(),
  suppliers: z.array(
    z.object({ supplier: z.string(), open: z.boolean(), code: z.string().optional(), agoMs: z.number() }),
  ),
});

/**
 * Returns the latest finding of each kind. If several workers wait for a supplier, the first of these workers probes
 * it.
 * @param reports reports from the live workers, in the order in which the workers joined
 * @param here id of this worker
 */
export function latestFindings(reports: readonly WorkerFindings[], here: string): SharedFindings {
  const all = reports.map(({ worker, seenAgoMs, findings }) => ({
    worker,
    rates: findings?.rate === undefined ? [] : [{ ...findings.rate, agoMs: findings.rate.agoMs + seenAgoMs }],
    suppliers: (findings?.suppliers ?? []).map((one) => ({ ...one, agoMs: one.agoMs + seenAgoMs })),
  }));
  const rate = latest(all.flatMap(({ rates }) => rates));
  const names = new Set(all.flatMap(({ suppliers }) => suppliers.map(({ supplier }) => supplier)));
  const suppliers = [...names].flatMap((name) => {
    const found = all.flatMap(({ worker, suppliers: own }) =>
      own.filter(({ supplier }) => supplier === name).map((one) => ({ worker, one })),
    );
    const last = latest(found.map(({ one }) => one));
    const probing = found.find(({ one }) => !one.open)?.worker;
    return last === undefined ? [] : [{ ...last, isProbedHere: probing === here }];
  });
  return { ...(rate !== undefined && { rate }), suppliers };
}

/** Returns the latest findings for display by a process that sends nothing and therefore probes no supplier. */
export function commonFindings(reports: readonly WorkerFindings[]): PlatformFindings {
  const { rate, suppliers } = latestFindings(reports, "");
  return {
    ...(rate !== undefined && { rate }),
    suppliers: suppliers.map(({ isProbedHere: _isProbedHere, ...one }) => one),
  };
}

function latest<Finding extends { readonly agoMs: number }>(found: readonly Finding[]): Finding | undefined {
  return found.toSorted((one, other) => one.agoMs - other.agoMs)[0];
}
