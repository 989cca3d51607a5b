import { contractCheck } from "../../commands/contract/contract-check.ts";
import { contractDiff } from "../../commands/contract/contract-diff.ts";
import { contractShow } from "../../commands/contract/contract-show.ts";
import { explain } from "../../commands/ledger/explain.ts";
import { status } from "../../commands/ledger/run-status.ts";
import { preview } from "../../commands/check/preview.ts";
import { watchStatus } from "../views/run/watch-status.ts";
import type { FieldFlags, InspectFlags } from "../options/options.ts";
import { withConfig, withContext, withLedger, withSettings } from "../process/context.ts";
import { contractDiffView } from "../views/contract/contract-diff-view.ts";
import { contractCheckView, contractShowView } from "../views/contract/contract-view.ts";
import { explainJson, explainText, sourcesText } from "../views/run/explain-view.ts";
import { previewView } from "../views/preview-view.ts";
import { statusView } from "../views/run/status-view.ts";
import { show } from "../views/view.ts";

export function statusAction(run: string | undefined, flags: InspectFlags): Promise<void> {
  return withLedger(flags, async ({ ledger }, context) => {
    if (flags.watch === true) return watchStatus({ ledger, run }, flags, context);
    await show(statusView, await status({ ledger, run }, context.dependencies.clock), flags, context);
    return 0;
  });
}

export function explainAction(key: string, flags: InspectFlags): Promise<void> {
  return withLedger(flags, async ({ ledger }, context) => {
    const explanation = await explain({ key, ledger, run: flags.run }, context.dependencies);
    const { write, close, dependencies } = context;
    const { showValues = false } = flags;
    // What the ledger knows is there at once; the sources may be long.
    if (flags.format !== "json") await write(explainText(explanation, dependencies));
    const sources = await explanation.readSources();
    close();
    const rest = flags.format === "json" ? explainJson(explanation, sources, { showValues }) : undefined;
    await write(rest ?? sourcesText(sources, { showValues }));
    return 0;
  });
}

export function previewAction(sources: readonly string[], flags: InspectFlags): Promise<void> {
  return withSettings(sources, flags, async ({ job }, context) => {
    await show(previewView, await preview({ job }, context.dependencies), flags, context);
    return 0;
  });
}

export function contractCheckAction(files: readonly string[], flags: InspectFlags): Promise<void> {
  return withConfig(flags, async ({ rules, references }, context) => {
    const checked = await contractCheck({ files, folder: process.cwd(), rules, references }, context.dependencies);
    await show(contractCheckView, checked, flags, context);
    return checked.exitCode;
  });
}

export function contractShowAction(files: readonly string[], flags: FieldFlags): Promise<void> {
  return withContext(flags, async (context) => {
    const { operation, required, under, search } = flags;
    const shown = await contractShow({ files, operation, required, under, search }, context.dependencies);
    await show(contractShowView, shown, flags, context);
    return 0;
  });
}

export function contractDiffAction(old: string, next: string, flags: InspectFlags): Promise<void> {
  return withContext(flags, async (context) => {
    const { mapping, operation, overlay: overlays = [] } = flags;
    const diff = await contractDiff({ old, new: next, mapping, operation, overlays }, context.dependencies);
    await show(contractDiffView, diff, flags, context);
    return diff.exitCode;
  });
}
