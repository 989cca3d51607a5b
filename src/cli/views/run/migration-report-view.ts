import type { WrittenMigrationReport } from "../../../commands/ledger/report.ts";
import { indentedJson } from "../../../terminal/safe-json.ts";
import { counted, formatCount } from "../../../text/count.ts";
import { plainText } from "../../../text/plain-text.ts";

/** One line per destination and the path of the page; as data, the content of `migration.json`. */
export const migrationReportView = {
  text: ({ report: { destinations }, page }: WrittenMigrationReport): string =>
    [
      ...destinations.map(({ target, supplier, operation, records, states }) => {
        const name = [operation, target, supplier].filter((part) => part !== "").join(", ");
        const accepted = formatCount(states["accepted"] ?? 0);
        return `${plainText(name)}: ${accepted} of ${counted(records, "record")} on the platform with the latest content\n`;
      }),
      `Report  ${plainText(page)}\n`,
    ].join(""),
  json: ({ report }: WrittenMigrationReport): string => indentedJson(report),
};
