import type { ReportByOwner } from "../../../pipeline/owners/report-by-owner.ts";
import { printableJson } from "../../../terminal/safe-json.ts";
import { renderTable } from "../../../terminal/text-table.ts";
import { counted, formatCount, plural } from "../../../text/count.ts";
import type { View } from "../view.ts";

/** A table of the packages, and the command that re-imports them. As data, `{"run":...,"packages":[...]}`. */
export const reportByOwnerView: View<ReportByOwner> = {
  text: ({ run, packages, next }, { screen }) => {
    if (packages.length === 0) return `No record of run ${run} needs correction, so no folder was written\n`;
    const rows = packages.map(({ owner, records, due = "-", folder }) => [owner, formatCount(records), due, folder]);
    const columns = [
      { title: "owner" },
      { title: "records", align: "right" },
      { title: "due" },
      { title: "folder" },
    ] as const;
    const total = packages.reduce((sum, { records }) => sum + records, 0);
    const folders = `${formatCount(packages.length)} ${plural(packages.length, "folder")}`;
    return [
      `${renderTable(rows, columns, screen)}\n`,
      `${counted(total, "record")} of run ${run} in ${folders}\n`,
      ...(next === undefined ? [] : [`Next    ${next}\n`]),
    ].join("");
  },
  json: ({ run, packages, next }) => `${printableJson({ run, packages, next }, "indented")}\n`,
};
