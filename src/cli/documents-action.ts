import { documentsCheck } from "../commands/documents-check.ts";
import type { DocumentFlags } from "./flags.ts";
import { inWorld } from "./in-world.ts";
import { showRun } from "./run-view.ts";
import { readSettings } from "./settings.ts";
import { readStoreSettings } from "./store-settings.ts";

export function documentsCheckAction(sources: readonly string[], flags: DocumentFlags): Promise<void> {
  return inWorld(flags, async (world) => {
    const settings = await readSettings(sources, flags, process.cwd());
    const store = await readStoreSettings(flags, settings.supplier, process.cwd());
    const options = { ...settings, store, concurrency: flags.concurrency };
    return showRun(await documentsCheck(options, world.parts), flags.format, world);
  });
}
