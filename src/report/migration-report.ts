import type { MigrationReport } from "../model/migration-report.ts";
import { indentedJson } from "../terminal/safe-json.ts";
import { writeMigrationPage } from "./page/migration-page.ts";
import { openReportFolder } from "./report-folder.ts";

/**
 * Writes `migration.json` and `migration.html`, and moves them into the folder once both are complete. Returns the path
 * of the page.
 * @throws Failure `storage`, or `usage` for a folder that is a link or that others can write to
 */
export async function writeMigrationReport(report: MigrationReport, name: string): Promise<string> {
  const folder = await openReportFolder(name);
  try {
    const json = await folder.create("migration.json");
    await json.write(indentedJson(report));
    const page = await folder.create("migration.html");
    await writeMigrationPage(report, page.write);
    await folder.commit();
    return page.path;
  } finally {
    await folder.discard();
  }
}
