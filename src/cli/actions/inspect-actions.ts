import { Failure } from "../../model/failure.ts";
import type {
  ChangesFlags,
  CompareFlags,
  ExcludeFlags,
  FieldFlags,
  InspectFlags,
  OpenFlags,
  StatusFlags,
} from "../options/options.ts";
import { withConfig, withContext, withLedger, withSettings } from "../process/context.ts";
import { operator } from "../process/operator.ts";
import type { Session } from "../process/session.ts";
import { endedExclusionsView, excludedRecordsView, exclusionsView } from "../views/exclusions-view.ts";
import { show } from "../views/view.ts";

export function statusAction(session: Session, run: string | undefined, flags: StatusFlags): Promise<void> {
  return withLedger(session, flags, async ({ ledger, inventory, owners }, context) => {
    const { by, since } = flags;
    if (by !== undefined && run !== undefined)
      throw new Failure("usage", `--by ${by} counts the records of all runs`, { hint: "omit the run" });
    if (since !== undefined && (by === undefined || by === "owner")) {
      throw new Failure("usage", "--since needs --by cause, file or day", {
        hint: "to count by owner, use `migrate open --since <date> --by owner`; to list the records, use `migrate open --since <date>`",
      });
    }
    if (by === "owner") {
      const { ownerStatus } = await import("../../commands/ledger/report.ts");
      const { requireOwners } = await import("../settings/settings.ts");
      const { ownerStatusView } = await import("../views/run/report-views.ts");
      const options = { ledger, inventory, owners: requireOwners(owners, "--by owner") };
      return show(ownerStatusView, await ownerStatus(options, context.dependencies), flags, context);
    }
    if (by !== undefined) {
      const { openGroups } = await import("../../commands/ledger/open-records.ts");
      const { openGroupsView } = await import("../views/run/open-view.ts");
      const counted = await openGroups(by, { ledger, inventory, since }, context.dependencies);
      return show(openGroupsView, { by, ...counted }, flags, context);
    }
    if (flags.watch === true) {
      const { watchStatus } = await import("../views/run/watch-status.ts");
      return watchStatus({ ledger, run }, flags, context);
    }
    const { status } = await import("../../commands/ledger/run-status.ts");
    const { statusView } = await import("../views/run/status-view.ts");
    const { temporaryFolder } = context.dependencies;
    const compared = inventory === undefined ? undefined : { inventory, temporaryFolder };
    return show(statusView, await status({ ledger, run, inventory: compared }, context.dependencies), flags, context);
  });
}

export function explainAction(session: Session, key: string, flags: InspectFlags): Promise<void> {
  return withLedger(session, flags, async ({ ledger }, context) => {
    const { explain } = await import("../../commands/ledger/explain.ts");
    const { explainJson, explainText, sourcesText } = await import("../views/run/explain-view.ts");
    const explanation = await explain({ key, ledger, run: flags.run }, context.dependencies);
    const { write, close, dependencies } = context;
    const { showValues = false } = flags;
    // Shows the part from the ledger first, because reading the sources can take a long time.
    if (flags.format !== "json") await write(explainText(explanation, dependencies.screen));
    const sources = await explanation.readSources();
    close();
    const rest = flags.format === "json" ? explainJson(explanation, sources, { showValues }) : undefined;
    await write(rest ?? sourcesText(sources, { showValues }));
    return 0;
  });
}

export function previewAction(session: Session, sources: readonly string[], flags: InspectFlags): Promise<void> {
  return withSettings(session, sources, flags, async ({ job }, context) => {
    const { preview } = await import("../../commands/check/preview.ts");
    const { previewView } = await import("../views/preview-view.ts");
    return show(previewView, await preview(job, context.dependencies), flags, context);
  });
}

export function contractCheckAction(session: Session, files: readonly string[], flags: InspectFlags): Promise<void> {
  return withConfig(session, flags, async ({ rules, references }, context) => {
    const { contractCheck } = await import("../../commands/contract/contract-check.ts");
    const { contractCheckView } = await import("../views/contract/contract-view.ts");
    const checked = await contractCheck({ files, folder: process.cwd(), rules, references }, context.dependencies);
    await show(contractCheckView, checked, flags, context);
    return checked.exitCode;
  });
}

export function contractShowAction(session: Session, files: readonly string[], flags: FieldFlags): Promise<void> {
  return withContext(session, flags, async (context) => {
    const { contractShow } = await import("../../commands/contract/contract-show.ts");
    const { contractShowView } = await import("../views/contract/contract-view.ts");
    const { operation, required, under, search } = flags;
    const shown = await contractShow({ files, operation, required, under, search }, context.dependencies);
    return show(contractShowView, shown, flags, context);
  });
}

export function contractDiffAction(session: Session, old: string, next: string, flags: InspectFlags): Promise<void> {
  return withContext(session, flags, async (context) => {
    const { contractDiff } = await import("../../commands/contract/contract-diff.ts");
    const { contractDiffView, contractWarningText } = await import("../views/contract/contract-diff-view.ts");
    const { mapping, operation, overlay: overlays = [] } = flags;
    const diff = await contractDiff({ old, new: next, mapping, operation, overlays }, context.dependencies);
    for (const { place, message } of diff.warnings) context.logger.notice(contractWarningText(place, message));
    await show(contractDiffView, diff, flags, context);
    return diff.exitCode;
  });
}

export function openAction(session: Session, flags: OpenFlags): Promise<void> {
  return withLedger(session, flags, async ({ ledger, inventory, owners }, { dependencies, write, close }) => {
    const { exitCodeOfOpen, openGroups, openRecords } = await import("../../commands/ledger/open-records.ts");
    const { requireOwners } = await import("../settings/settings.ts");
    const { openGroupsText, openWriter } = await import("../views/run/open-view.ts");
    const { by, format, since } = flags;
    if (by === "owner") requireOwners(owners, "--by owner");
    const shown = { screen: dependencies.screen, now: dependencies.clock.now(), hasOwners: owners !== undefined };
    close();
    if (by !== undefined) {
      const found = await openGroups(by, { ledger, since, inventory, owners }, dependencies);
      await write(openGroupsText({ by, ...found }, format, dependencies.screen));
      return exitCodeOfOpen(found.counts);
    }
    const writer = openWriter(format, shown);
    const counts = await openRecords({ ledger, since, inventory, owners }, dependencies, (records) =>
      write(writer.add(records)),
    );
    await write(writer.end(counts));
    return exitCodeOfOpen(counts);
  });
}

export function changesAction(session: Session, sources: readonly string[], flags: ChangesFlags): Promise<void> {
  const { format, ...others } = flags;
  return withSettings(session, sources, others, async ({ job, target, ledger }, { dependencies, write, close }) => {
    const { changes } = await import("../../commands/changes/changes.ts");
    const { changesWriter } = await import("../views/difference-views.ts");
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

export function compareAction(session: Session, run: string | undefined, flags: CompareFlags): Promise<void> {
  return withLedger(session, flags, async ({ ledger }, { dependencies, write }) => {
    const { compare } = await import("../../commands/proof/compare.ts");
    const { compareWriter } = await import("../views/difference-views.ts");
    const { all = false, unverified = false, format } = flags;
    const writer = compareWriter(format, dependencies.screen);
    const summary = await compare({ ledger, run, all, unverified }, dependencies, (batch) => write(writer.add(batch)));
    await write(writer.end(summary));
    const { different, absent, unknown } = summary.counts;
    if (!summary.isComplete) return 3;
    return different + absent + unknown === 0 ? 0 : 1;
  });
}

export function excludeAction(session: Session, keys: readonly string[], flags: ExcludeFlags): Promise<void> {
  return withLedger(session, flags, async ({ ledger, supplier }, context) => {
    const { endExclusions, excludeRecords, listExclusions } = await import("../../commands/ledger/exclude-records.ts");
    const { from, reason, undo = false, operation } = flags;
    const { dependencies } = context;
    if (keys.length === 0 && from === undefined) {
      if (undo || reason !== undefined)
        throw new Failure("usage", `${undo ? "--undo" : "--reason"} needs keys`, {
          hint: "name the keys of the records, or a file with keys (--from)",
        });
      return show(exclusionsView, await listExclusions(ledger, dependencies), flags, context);
    }
    const options = { ledger, keys, from, supplier, operation, who: operator() };
    if (undo) {
      const ended = await endExclusions(options, dependencies);
      await show(endedExclusionsView, ended, flags, context);
      return ended.unknown.length === 0 ? 0 : 1;
    }
    if (reason === undefined) {
      throw new Failure("usage", "an exclusion needs a reason", { hint: 'add --reason "account closed in 2019"' });
    }
    const result = await excludeRecords({ ...options, reason }, dependencies);
    await show(excludedRecordsView, result, flags, context);
    return result.accepted.length + result.unsettled.length === 0 ? 0 : 1;
  });
}
