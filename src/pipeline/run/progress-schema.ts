import { z } from "zod";
import type { RunProgress } from "../../job/run-progress.ts";
import { STATUSES } from "../../model/outcome.ts";

const count = z.number();

const workingProcess = z.object({
  host: z.string(),
  pid: count,
  perSecond: count,
  inFlight: count,
  limit: count.optional(),
  holds: z.array(z.object({ first: count, last: count, since: z.string() })),
});

export const progressSchema: z.ZodType<RunProgress> = z.object({
  run: z
    .object({
      id: z.string(),
      command: z.string(),
      target: z.string(),
      supplier: z.string(),
      operation: z.string(),
    })
    .optional(),
  at: z.string(),
  elapsedMs: count,
  input: z.object({ bytes: count, ofBytes: count, records: count, invalid: count }),
  sending: z
    .object({
      total: count,
      done: count,
      counts: z.partialRecord(z.enum(STATUSES), count),
      inFlight: count,
      perSecond: count,
      leftMs: count.optional(),
      pace: z.object({ limit: count.optional(), perSecond: count.optional(), reason: z.string().optional() }),
      wait: z.object({ reason: z.string(), forMs: count }).optional(),
      closedSuppliers: z.array(z.string()),
      sharing: z
        .object({
          workers: count,
          lost: count,
          ranges: z.object({ waiting: count, taken: count, done: count }),
          working: z.array(workingProcess),
        })
        .optional(),
      replies: z.object({ count, totalMs: count }),
    })
    .optional(),
});
