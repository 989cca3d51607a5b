import type { CompareFlags } from "../options/options.ts";
import { withLedger } from "../process/context.ts";
import type { Session } from "../process/session.ts";

export function compareAction(run: string | undefined, flags: CompareFlags, session: Session): Promise<void> {
  return withLedger(session, flags, async ({ ledger }, { dependencies, write }) => {
    const { compare } = await import("../../commands/proof/compare.ts");
    const { compareWriter } = await import("../views/compare-view.ts");
    const { all = false, unverified = false, format } = flags;
    const writer = compareWriter(format, dependencies.screen);
    const summary = await compare({ ledger, run, all, unverified }, dependencies, (batch) => write(writer.add(batch)));
    await write(writer.end(summary));
    const { different, absent, unknown } = summary.counts;
    if (!summary.isComplete) return 3;
    return different + absent + unknown === 0 ? 0 : 1;
  });
}
