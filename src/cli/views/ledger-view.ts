import type { RepairedLedger } from "../../commands/ledger/ledger-maintenance.ts";
import type { RunSetup, WrittenSetup } from "../../commands/ledger/run-setup.ts";
import { isData } from "../../job/settings/recorded-files.ts";
import type { LedgerCheck } from "../../ledger/ledger-store.ts";
import { indentedJson } from "../../terminal/safe-json.ts";
import { renderTable } from "../../terminal/text-table.ts";
import { counted, formatCount } from "../../text/count.ts";
import { plainText } from "../../text/plain-text.ts";
import type { View, ViewOptions } from "./view.ts";

export function ledgerCheckView(path: string): View<LedgerCheck> {
  return {
    text: ({ findings, counts }) => {
      if (findings.length > 0) return findings.map((finding) => `${plainText(finding)}\n`).join("");
      const words = Object.entries(counts).map(([name, count]) => counted(count, name.replace(/s$/, "")));
      return `${plainText(path)} is intact: ${words.join(", ")}\n`;
    },
  };
}

export const ledgerRepairView: View<RepairedLedger> = { text: repairText };

function repairText({ tables, ambiguous, kept, noted, isUncertain }: RepairedLedger): string {
  const read = tables.map(
    ({ table, rows, isWhole }) => `  ${table}: ${formatCount(rows)}${isWhole ? "" : ", some were lost"}\n`,
  );
  const left = ambiguous === 0 ? "" : `${counted(ambiguous, "ambiguous record")}: resolve with \`migrate reconcile\`\n`;
  const lost = tables.every(({ isWhole }) => isWhole) ? "" : `${LOST_RECORDS_WARNING}\n`;
  const fromJournal =
    noted === 0 ? "" : `${counted(noted, "request")} added from journals; their records may have been sent\n`;
  const uncertain = isUncertain ? `${UNCERTAIN_WARNING}\n` : "";
  const before = kept === undefined ? "" : `The original ledger is stored in ${plainText(kept)}\n`;
  const nothing =
    tables.length + noted === 0 && !isUncertain ? "Every request in this machine's journals is in the ledger\n" : "";
  const readText = tables.length === 0 ? nothing : `Rows that could be read\n${read.join("")}`;
  return `${readText}${lost}${left}${fromJournal}${uncertain}${before}`;
}

const UNCERTAIN_WARNING =
  "Requests may be missing from the ledger and its journals. Later pushes therefore mark records that are new to the " +
  "ledger as ambiguous, because they may have been sent. Resolve them with `migrate reconcile`.";

const LOST_RECORDS_WARNING =
  "The next push would treat records that are missing from all tables as new. Check the lost " +
  "records on the platform before you push again.";

export const runSetupView: View<RunSetup> = {
  text: setupText,
  json: ({ run: { settings: _settings, ...run }, files }) => indentedJson({ ...run, files }),
};

function setupText({ run, files }: RunSetup, { screen }: ViewOptions): string {
  const { id, state, startedAt, target, supplier, operation, dryRun } = run;
  const facts = [
    ["run", `${id}${dryRun ? " (dry run)" : ""}, ${state}`],
    ["started", startedAt],
    ["target", target],
    ["supplier", supplier],
    ["operation", operation],
  ].flatMap(([name = "", value = ""]) => (value === "" ? [] : [`${name.padEnd(11)}${plainText(value)}\n`]));
  const rows = files.map(({ kind, file, bytes, sha256, isStored }) => {
    const stored = isStored ? "yes" : isData(kind) ? "no" : "lost";
    return [kind, plainText(file), formatCount(bytes), sha256.slice(0, 12), stored];
  });
  const columns = ["file", "name", { title: "bytes", align: "right" }, "sha256", "stored"] as const;
  return `${facts.join("")}\n${renderTable(rows, columns, screen)}`;
}

export const writtenSetupView: View<WrittenSetup> = {
  text: ({ run, written }) =>
    `${written.map((file) => `${plainText(file, 500)}\n`).join("")}${counted(written.length, "file")} of run ${run}\n`,
};
