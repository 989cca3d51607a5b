import type { WrittenMigrationReport } from "../../../commands/ledger/report.ts";
import type { OwnerProgress } from "../../../pipeline/owners/owner-progress.ts";
import type { ReportByOwner } from "../../../pipeline/owners/report-by-owner.ts";
import { indentedJson } from "../../../terminal/safe-json.ts";
import { renderTable } from "../../../terminal/text-table.ts";
import { counted, formatCount } from "../../../text/count.ts";
import { plainText } from "../../../text/plain-text.ts";
import type { View } from "../view.ts";

/** Shows a table of the packages, and the command that re-imports them. As data, `{"run":...,"packages":[...]}`. */
export const reportByOwnerView: View<ReportByOwner> = {
  text: ({ run, packages, next }, { screen }) => {
    if (packages.length === 0) return `No records of run ${run} need correction, so no folder was written\n`;
    const rows = packages.map(({ owner, records, due = "-", folder }) => [owner, formatCount(records), due, folder]);
    const columns = ["owner", { title: "records", align: "right" }, "due", "folder"] as const;
    const total = packages.reduce((sum, { records }) => sum + records, 0);
    return [
      `${renderTable(rows, columns, screen)}\n`,
      `${counted(total, "record")} of run ${run} in ${counted(packages.length, "folder")}\n`,
      ...(next === undefined ? [] : [`Next    ${next}\n`]),
    ].join("");
  },
  json: ({ run, packages, next }) => indentedJson({ run, packages, next }),
};

/** Shows a table with one line per owner. As data, `{"owners":[...]}`. */
export const ownerStatusView: View<readonly OwnerProgress[]> = {
  text: (owners, { screen }) => {
    const rows = owners.map(({ owner, open, overdue, exported, returned, due = "-", address = "" }) => {
      return [owner, ...[open, overdue, exported, returned].map(formatCount), due, address];
    });
    const numbers = ["open", "overdue", "exported", "returned"].map((title) => ({ title, align: "right" }) as const);
    return renderTable(rows, ["owner", ...numbers, "due", "address"], screen);
  },
  json: (owners) => indentedJson({ owners }),
};

/** Shows one line per destination and the path of the page. In JSON, shows the content of `migration.json`. */
export const migrationReportView: View<WrittenMigrationReport> = {
  text: ({ report: { destinations }, page }) =>
    [
      ...destinations.map(({ target, supplier, operation, records, states }) => {
        const name = [operation, target, supplier].filter((part) => part !== "").join(", ");
        const accepted = formatCount(states["accepted"] ?? 0);
        return `${plainText(name)}: ${accepted} of ${counted(records, "record")} on the platform with the latest content\n`;
      }),
      `Report  ${plainText(page)}\n`,
    ].join(""),
  json: ({ report }) => indentedJson(report),
};
