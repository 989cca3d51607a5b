import type { OpenFlags } from "../options/options.ts";
import { withLedger } from "../process/context.ts";
import type { Session } from "../process/session.ts";
import { requireOwners } from "../settings/require-owners.ts";

export function openAction(flags: OpenFlags, session: Session): Promise<void> {
  return withLedger(session, flags, async ({ ledger, inventory, owners }, { dependencies, write, close }) => {
    const { exitCodeOfOpen, openGroups, openRecords } = await import("../../commands/ledger/open-records.ts");
    const { openGroupsText, openWriter } = await import("../views/run/open-view.ts");
    const { by, format, since } = flags;
    if (by === "owner") requireOwners(owners, "--by owner");
    const shown = { screen: dependencies.screen, now: dependencies.clock.now(), hasOwners: owners !== undefined };
    close();
    if (by !== undefined) {
      const found = await openGroups(by, { ledger, since, inventory, owners }, dependencies);
      await write(openGroupsText({ by, ...found }, format, shown));
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
