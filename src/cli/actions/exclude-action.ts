import { Failure } from "../../model/failure.ts";
import type { ExcludeFlags } from "../options/options.ts";
import { withLedger } from "../process/context.ts";
import { operator } from "../process/operator.ts";
import type { Session } from "../process/session.ts";
import { endedExclusionsView, excludedKeysView, exclusionsView } from "../views/exclusions-view.ts";
import { show } from "../views/view.ts";

export function excludeAction(keys: readonly string[], flags: ExcludeFlags, session: Session): Promise<void> {
  return withLedger(session, flags, async ({ ledger, supplier }, context) => {
    const { endExclusions, excludeRecords, listExclusions } = await import("../../commands/ledger/exclude-records.ts");
    const { from, reason, undo = false, operation } = flags;
    const { dependencies } = context;
    if (keys.length === 0 && from === undefined && !undo && reason === undefined) {
      await show(exclusionsView, await listExclusions(ledger, dependencies), flags, context);
      return 0;
    }
    const options = { ledger, keys, from, supplier, operation, who: operator() };
    if (undo) {
      const ended = await endExclusions(options, dependencies);
      await show(endedExclusionsView, ended, flags, context);
      return ended.unknown.length === 0 ? 0 : 1;
    }
    if (reason === undefined || reason.trim() === "") {
      throw new Failure("usage", "an exclusion needs a reason", { hint: 'add --reason "account closed in 2019"' });
    }
    const result = await excludeRecords({ ...options, reason }, dependencies);
    await show(excludedKeysView, result, flags, context);
    return result.accepted.length + result.unsettled.length === 0 ? 0 : 1;
  });
}
