import { z } from "zod";

/** What a worker of a shared run has found out of the platform, or was told by others. Ages are milliseconds. */
export interface PlatformFindings {
  /** Requests a second, of all workers together, that may leave just after one was refused; `id` tells refusals apart. */
  readonly rate?: { readonly id: string; readonly perSecond: number; readonly agoMs: number } | undefined;
  /** Import suppliers of its records that have closed, or opened again. */
  readonly suppliers: readonly SupplierFinding[];
}

export interface SupplierFinding {
  readonly supplier: string;
  readonly open: boolean;
  /** What the platform said when it closed. */
  readonly code?: string | undefined;
  readonly agoMs: number;
}

/** What all workers together know. */
export interface SharedFindings extends PlatformFindings {
  readonly suppliers: readonly (SupplierFinding & {
    /** This worker alone asks whether the supplier takes records again. */
    readonly isAskedHere: boolean;
  })[];
}

/** What one worker has said, and how long ago. */
export interface WorkerFindings {
  readonly worker: string;
  readonly saidAgoMs: number;
  readonly findings: PlatformFindings | undefined;
}

export const findingsSchema: z.ZodType<PlatformFindings> = z.object({
  rate: z.object({ id: z.string(), perSecond: z.number(), agoMs: z.number() }).optional(),
  suppliers: z.array(
    z.object({ supplier: z.string(), open: z.boolean(), code: z.string().optional(), agoMs: z.number() }),
  ),
});

/**
 * The latest that any of them has found of each. Of those that wait for a supplier the first one asks.
 * @param said by the workers that are alive, in the order in which they joined
 */
export function latestFindings(said: readonly WorkerFindings[], here: string): SharedFindings {
  const all = said.map(({ worker, saidAgoMs, findings }) => ({
    worker,
    rates: findings?.rate === undefined ? [] : [{ ...findings.rate, agoMs: findings.rate.agoMs + saidAgoMs }],
    suppliers: (findings?.suppliers ?? []).map((one) => ({ ...one, agoMs: one.agoMs + saidAgoMs })),
  }));
  const rate = latest(all.flatMap(({ rates }) => rates));
  const names = new Set(all.flatMap(({ suppliers }) => suppliers.map(({ supplier }) => supplier)));
  const suppliers = [...names].flatMap((name) => {
    const found = all.flatMap(({ worker, suppliers: own }) =>
      own.filter(({ supplier }) => supplier === name).map((one) => ({ worker, one })),
    );
    const last = latest(found.map(({ one }) => one));
    const asking = found.find(({ one }) => !one.open)?.worker;
    return last === undefined ? [] : [{ ...last, isAskedHere: asking === here }];
  });
  return { ...(rate !== undefined && { rate }), suppliers };
}

/** The same for who looks on. */
export function commonFindings(said: readonly WorkerFindings[]): PlatformFindings {
  const { rate, suppliers } = latestFindings(said, "");
  return {
    ...(rate !== undefined && { rate }),
    suppliers: suppliers.map(({ isAskedHere: _isAskedHere, ...one }) => one),
  };
}

function latest<Finding extends { readonly agoMs: number }>(found: readonly Finding[]): Finding | undefined {
  return found.toSorted((one, other) => one.agoMs - other.agoMs)[0];
}
