import type { ChangesFlags } from "../options/options.ts";
import { withSettings } from "../process/context.ts";
import type { Session } from "../process/session.ts";

export function changesAction(sources: readonly string[], flags: ChangesFlags, session: Session): Promise<void> {
  const { format, ...others } = flags;
  return withSettings(session, sources, others, async ({ job, target, ledger }, { dependencies, write, close }) => {
    const { changes } = await import("../../commands/changes/changes.ts");
    const { changesWriter } = await import("../views/changes-view.ts");
    const { requireTarget } = await import("../../job/settings/platform-settings.ts");
    const options = { job, ledger, target: requireTarget(target, "to compare with") };
    const writer = changesWriter(format, dependencies.screen);
    const summary = await changes(options, dependencies, (batch) => write(writer.add(batch)));
    close();
    await write(writer.end(summary));
    if (!summary.isComplete) return 3;
    return summary.invalid + summary.counts.duplicate === 0 ? 0 : 1;
  });
}
