import { contractCheck } from "../commands/contract-check.ts";
import { contractDiff } from "../commands/contract-diff.ts";
import { contractShow } from "../commands/contract-show.ts";
import { explain } from "../commands/explain.ts";
import { preview } from "../commands/preview.ts";
import { status } from "../commands/status.ts";
import { readConfig } from "./config-file.ts";
import { contractDiffJson, contractDiffMarkdown, contractDiffText } from "./contract-diff-view.ts";
import {
  contractCheckJson,
  contractCheckText,
  contractShowJson,
  contractShowMarkdown,
  contractShowText,
} from "./contract-view.ts";
import { explainJson, explainText } from "./explain-view.ts";
import type { ViewFlags } from "./flags.ts";
import { inWorld } from "./in-world.ts";
import { previewJson, previewText } from "./preview-view.ts";
import { readLedgerSettings, readSettings } from "./settings.ts";
import { statusJson, statusText } from "./status-view.ts";

export function statusAction(run: string | undefined, flags: ViewFlags): Promise<void> {
  return inWorld(flags, async ({ parts, write }) => {
    const { ledger } = await readLedgerSettings(flags, process.cwd());
    const runs = await status({ ledger, run });
    await write(flags.format === "json" ? statusJson(runs) : statusText(runs, parts.screen));
    return 0;
  });
}

export function explainAction(key: string, flags: ViewFlags): Promise<void> {
  return inWorld(flags, async ({ parts, write }) => {
    const { ledger } = await readLedgerSettings(flags, process.cwd());
    const explanation = await explain({ key, ledger, run: flags.run }, parts);
    const showValues = flags.showValues ?? false;
    await write(
      flags.format === "json"
        ? explainJson(explanation, showValues)
        : explainText(explanation, parts.screen, showValues),
    );
    return 0;
  });
}

export function previewAction(sources: readonly string[], flags: ViewFlags): Promise<void> {
  return inWorld(flags, async ({ parts, write }) => {
    const { job, showValues } = await readSettings(sources, flags, process.cwd());
    const records = await preview({ job }, parts);
    await write(flags.format === "json" ? previewJson(records, showValues) : previewText(records, showValues));
    return 0;
  });
}

export function contractCheckAction(files: readonly string[], flags: ViewFlags): Promise<void> {
  return inWorld(flags, async ({ parts, write }) => {
    const folder = process.cwd();
    const { rules, references } = await readConfig(flags.config, folder);
    const checked = await contractCheck({ files, folder, rules, references }, parts);
    if (flags.format === "json") await write(contractCheckJson(checked));
    else await write(contractCheckText(checked, parts.screen, flags.verbose ?? false));
    return checked.exitCode;
  });
}

export function contractShowAction(files: readonly string[], flags: ViewFlags): Promise<void> {
  return inWorld(flags, async ({ parts, write }) => {
    const shown = await contractShow({ files, operation: flags.operation }, parts);
    if (flags.format === "json") await write(contractShowJson(shown));
    else if (flags.format === "markdown") await write(contractShowMarkdown(shown));
    else await write(contractShowText(shown, parts.screen));
    return 0;
  });
}

export function contractDiffAction(old: string, next: string, flags: ViewFlags): Promise<void> {
  return inWorld(flags, async ({ parts, write }) => {
    const { mapping, operation, overlay } = flags;
    const diff = await contractDiff({ old, new: next, mapping, operation, overlays: overlay ?? [] }, parts);
    if (flags.format === "json") await write(contractDiffJson(diff));
    else if (flags.format === "markdown") await write(contractDiffMarkdown(diff));
    else await write(contractDiffText(diff, parts.screen));
    return diff.exitCode;
  });
}
