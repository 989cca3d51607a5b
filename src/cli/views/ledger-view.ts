import type { LedgerCheck, LedgerRepair } from "../../ledger/ledger-store.ts";
import { printableJson } from "../../terminal/safe-json.ts";
import { plainText } from "../../terminal/plain-text.ts";
import { formatCount } from "../../text/count.ts";
import type { View } from "./view.ts";

/** @param path of the ledger that was checked */
export function ledgerCheckView(path: string): View<LedgerCheck> {
  return {
    text: (check) => checkText(check, path),
    json: (check) => `${printableJson(check, "indented")}\n`,
  };
}

export const ledgerRepairView: View<LedgerRepair> = {
  text: repairText,
  json: (repair) => `${printableJson(repair, "indented")}\n`,
};

function checkText({ findings, counts }: LedgerCheck, path: string): string {
  if (findings.length > 0) return findings.map((finding) => `${plainText(finding, 500)}\n`).join("");
  const counted = Object.entries(counts).map(([name, count]) => `${formatCount(count)} ${name}`);
  return `${plainText(path)} is sound: ${counted.join(", ")}\n`;
}

function repairText({ tables, ambiguous, kept }: LedgerRepair): string {
  const read = tables.map(
    ({ table, rows, isWhole }) => `  ${table}: ${formatCount(rows)}${isWhole ? "" : ", and some were lost"}\n`,
  );
  const left = ambiguous === 0 ? "" : `${formatCount(ambiguous)} records are ambiguous: \`migrate reconcile\`\n`;
  const lost = tables.every(({ isWhole }) => isWhole) ? "" : `${LOST_RECORDS_WARNING}\n`;
  return `Rows that could be read\n${read.join("")}${lost}${left}The damaged ledger is kept: ${plainText(kept)}\n`;
}

const LOST_RECORDS_WARNING =
  "A record that is in no table any more would be taken for new: look the lost ones up before you push again.";
