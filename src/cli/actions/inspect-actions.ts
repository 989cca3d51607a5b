import { Failure } from "../../model/failure.ts";
import type { FieldFlags, InspectFlags, StatusFlags } from "../options/options.ts";
import { withConfig, withContext, withLedger, withSettings } from "../process/context.ts";
import type { Session } from "../process/session.ts";
import { requireOwners } from "../settings/require-owners.ts";
import { show } from "../views/view.ts";

export function statusAction(run: string | undefined, flags: StatusFlags, session: Session): Promise<void> {
  return withLedger(session, flags, async ({ ledger, inventory, owners }, context) => {
    const { by, since } = flags;
    if (by !== undefined && run !== undefined)
      throw new Failure("usage", `--by ${by} counts the records of all runs`, { hint: "omit the run" });
    if (since !== undefined && (by === undefined || by === "owner")) {
      throw new Failure("usage", "--since needs --by cause, file or day", {
        hint: "`migrate open --since <date>` lists the records, and with --by owner counts them",
      });
    }
    if (by === "owner") {
      const { ownerStatus } = await import("../../commands/ledger/owner-status.ts");
      const { ownerStatusView } = await import("../views/run/owner-status-view.ts");
      const options = { ledger, inventory, owners: requireOwners(owners, "--by owner") };
      await show(ownerStatusView, await ownerStatus(options, context.dependencies), flags, context);
      return 0;
    }
    if (by !== undefined) {
      const { openGroups } = await import("../../commands/ledger/open-records.ts");
      const { openGroupsView } = await import("../views/run/open-view.ts");
      const counted = await openGroups(by, { ledger, inventory, since }, context.dependencies);
      await show(openGroupsView, { by, ...counted }, flags, context);
      return 0;
    }
    if (flags.watch === true) {
      const { watchStatus } = await import("../views/run/watch-status.ts");
      return watchStatus({ ledger, run }, flags, context);
    }
    const { status } = await import("../../commands/ledger/run-status.ts");
    const { statusView } = await import("../views/run/status-view.ts");
    const { temporaryFolder } = context.dependencies;
    const compared = inventory === undefined ? undefined : { inventory, temporaryFolder };
    await show(statusView, await status({ ledger, run, inventory: compared }, context.dependencies), flags, context);
    return 0;
  });
}

export function explainAction(key: string, flags: InspectFlags, session: Session): Promise<void> {
  return withLedger(session, flags, async ({ ledger }, context) => {
    const { explain } = await import("../../commands/ledger/explain.ts");
    const { explainJson, explainText, sourcesText } = await import("../views/run/explain-view.ts");
    const explanation = await explain({ key, ledger, run: flags.run }, context.dependencies);
    const { write, close, dependencies } = context;
    const { showValues = false } = flags;
    // Shows the ledger's part first, because reading the sources can take a long time.
    if (flags.format !== "json") await write(explainText(explanation, dependencies));
    const sources = await explanation.readSources();
    close();
    const rest = flags.format === "json" ? explainJson(explanation, sources, { showValues }) : undefined;
    await write(rest ?? sourcesText(sources, { showValues }));
    return 0;
  });
}

export function previewAction(sources: readonly string[], flags: InspectFlags, session: Session): Promise<void> {
  return withSettings(session, sources, flags, async ({ job }, context) => {
    const { preview } = await import("../../commands/check/preview.ts");
    const { previewView } = await import("../views/preview-view.ts");
    await show(previewView, await preview({ job }, context.dependencies), flags, context);
    return 0;
  });
}

export function contractCheckAction(files: readonly string[], flags: InspectFlags, session: Session): Promise<void> {
  return withConfig(session, flags, async ({ rules, references }, context) => {
    const { contractCheck } = await import("../../commands/contract/contract-check.ts");
    const { contractCheckView } = await import("../views/contract/contract-view.ts");
    const checked = await contractCheck({ files, folder: process.cwd(), rules, references }, context.dependencies);
    await show(contractCheckView, checked, flags, context);
    return checked.exitCode;
  });
}

export function contractShowAction(files: readonly string[], flags: FieldFlags, session: Session): Promise<void> {
  return withContext(session, flags, async (context) => {
    const { contractShow } = await import("../../commands/contract/contract-show.ts");
    const { contractShowView } = await import("../views/contract/contract-view.ts");
    const { operation, required, under, search } = flags;
    const shown = await contractShow({ files, operation, required, under, search }, context.dependencies);
    await show(contractShowView, shown, flags, context);
    return 0;
  });
}

export function contractDiffAction(old: string, next: string, flags: InspectFlags, session: Session): Promise<void> {
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
