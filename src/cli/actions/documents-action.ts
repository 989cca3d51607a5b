import { documentsCheck } from "../../commands/check/documents-check.ts";
import type { DocumentFlags } from "../options/options.ts";
import { withSettings } from "../process/context.ts";
import type { Session } from "../process/session.ts";
import { showRun } from "../views/run/run-view.ts";
import { readStoreSettings } from "../settings/store-settings.ts";

export function documentsCheckAction(
  sources: readonly string[],
  flags: DocumentFlags,
  session: Session,
): Promise<void> {
  return withSettings(session, sources, flags, async (settings, context) => {
    const store = await readStoreSettings(flags, settings.supplier, process.cwd());
    const options = { ...settings, store, concurrency: flags.concurrency };
    return showRun(await documentsCheck(options, context.dependencies), flags, context);
  });
}
