import { contractCheck } from "../../commands/contract/contract-check.ts";
import { contractDiff } from "../../commands/contract/contract-diff.ts";
import { contractShow } from "../../commands/contract/contract-show.ts";
import { explain } from "../../commands/ledger/explain.ts";
import { preview } from "../../commands/preview.ts";
import { status } from "../../commands/ledger/run-status.ts";
import { readConfig } from "../settings/config-file.ts";
import { contractDiffJson, contractDiffMarkdown, contractDiffText } from "../views/contract-diff-view.ts";
import {
  contractCheckJson,
  contractCheckText,
  contractShowJson,
  contractShowMarkdown,
  contractShowText,
} from "../views/contract-view.ts";
import { explainJson, explainText } from "../views/explain-view.ts";
import type { InspectFlags } from "../options/options.ts";
import { withContext } from "../process/context.ts";
import { previewJson, previewText } from "../views/preview-view.ts";
import { readLedgerSettings, readSettings } from "../settings/settings.ts";
import { statusJson, statusText } from "../views/status-view.ts";

export function statusAction(run: string | undefined, flags: InspectFlags): Promise<void> {
  return withContext(flags, async ({ dependencies, write }) => {
    const { ledger } = await readLedgerSettings(flags, process.cwd());
    const runs = await status({ ledger, run });
    await write(flags.format === "json" ? statusJson(runs) : statusText(runs, dependencies.screen));
    return 0;
  });
}

export function explainAction(key: string, flags: InspectFlags): Promise<void> {
  return withContext(flags, async ({ dependencies, write }) => {
    const { ledger } = await readLedgerSettings(flags, process.cwd());
    const explanation = await explain({ key, ledger, run: flags.run }, dependencies);
    const showValues = flags.showValues ?? false;
    await write(
      flags.format === "json"
        ? explainJson(explanation, showValues)
        : explainText(explanation, dependencies.screen, showValues),
    );
    return 0;
  });
}

export function previewAction(sources: readonly string[], flags: InspectFlags): Promise<void> {
  return withContext(flags, async ({ dependencies, write }) => {
    const { job, showValues } = await readSettings(sources, flags, process.cwd());
    const records = await preview({ job }, dependencies);
    await write(flags.format === "json" ? previewJson(records, showValues) : previewText(records, showValues));
    return 0;
  });
}

export function contractCheckAction(files: readonly string[], flags: InspectFlags): Promise<void> {
  return withContext(flags, async ({ dependencies, write }) => {
    const folder = process.cwd();
    const { rules, references } = await readConfig(flags.config, folder);
    const checked = await contractCheck({ files, folder, rules, references }, dependencies);
    if (flags.format === "json") await write(contractCheckJson(checked));
    else await write(contractCheckText(checked, dependencies.screen, flags.verbose ?? false));
    return checked.exitCode;
  });
}

export function contractShowAction(files: readonly string[], flags: InspectFlags): Promise<void> {
  return withContext(flags, async ({ dependencies, write }) => {
    const shown = await contractShow({ files, operation: flags.operation }, dependencies);
    if (flags.format === "json") await write(contractShowJson(shown));
    else if (flags.format === "markdown") await write(contractShowMarkdown(shown));
    else await write(contractShowText(shown, dependencies.screen));
    return 0;
  });
}

export function contractDiffAction(old: string, next: string, flags: InspectFlags): Promise<void> {
  return withContext(flags, async ({ dependencies, write }) => {
    const { mapping, operation, overlay } = flags;
    const diff = await contractDiff({ old, new: next, mapping, operation, overlays: overlay ?? [] }, dependencies);
    if (flags.format === "json") await write(contractDiffJson(diff));
    else if (flags.format === "markdown") await write(contractDiffMarkdown(diff));
    else await write(contractDiffText(diff, dependencies.screen));
    return diff.exitCode;
  });
}
