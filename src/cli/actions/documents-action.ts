import { documentsCheck } from "../../commands/documents-check.ts";
import type { DocumentFlags } from "../options/options.ts";
import { withContext } from "../process/context.ts";
import { showRun } from "../views/run-view.ts";
import { readSettings } from "../settings/settings.ts";
import { readStoreSettings } from "../settings/store-settings.ts";

export function documentsCheckAction(sources: readonly string[], flags: DocumentFlags): Promise<void> {
  return withContext(flags, async (world) => {
    const settings = await readSettings(sources, flags, process.cwd());
    const store = await readStoreSettings(flags, settings.supplier, process.cwd());
    const options = { ...settings, store, concurrency: flags.concurrency };
    return showRun(await documentsCheck(options, world.dependencies), flags.format, world);
  });
}
