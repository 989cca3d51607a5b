import { ledgerCheck, ledgerExport, ledgerRepair } from "../../commands/ledger/ledger-maintenance.ts";
import type { LedgerCheck, LedgerRepair } from "../../ledger/ledger-store.ts";
import { printableJson } from "../../terminal/safe-json.ts";
import { plainText } from "../../terminal/plain-text.ts";
import type { Flags, InspectFlags } from "../options/options.ts";
import { withContext } from "../process/context.ts";
import { readLedgerSettings } from "../settings/settings.ts";

const DAMAGED_EXIT_CODE = 6;
const AMBIGUOUS_EXIT_CODE = 5;

export function ledgerCheckAction(flags: InspectFlags): Promise<void> {
  return withContext(flags, async ({ write }) => {
    const { ledger } = await readLedgerSettings(flags, process.cwd());
    const check = await ledgerCheck({ ledger });
    await write(flags.format === "json" ? `${printableJson(check, "indented")}\n` : checkText(check, ledger));
    return check.findings.length === 0 ? 0 : DAMAGED_EXIT_CODE;
  });
}

export function ledgerRepairAction(flags: InspectFlags): Promise<void> {
  return withContext(flags, async ({ dependencies, write }) => {
    const { ledger } = await readLedgerSettings(flags, process.cwd());
    const repair = await ledgerRepair({ ledger }, dependencies.clock);
    await write(flags.format === "json" ? `${printableJson(repair, "indented")}\n` : repairText(repair));
    return repair.ambiguous === 0 ? 0 : AMBIGUOUS_EXIT_CODE;
  });
}

export function ledgerExportAction(flags: Flags): Promise<void> {
  return withContext(flags, async ({ write }) => {
    const { ledger } = await readLedgerSettings(flags, process.cwd());
    for await (const rows of ledgerExport({ ledger })) {
      await write(rows.map((row) => `${printableJson(row)}\n`).join(""));
    }
    return 0;
  });
}

function checkText({ findings, counts }: LedgerCheck, path: string): string {
  if (findings.length > 0) return findings.map((finding) => `${plainText(finding, 500)}\n`).join("");
  const counted = Object.entries(counts).map(([name, count]) => `${count.toLocaleString("en")} ${name}`);
  return `${plainText(path)} is sound: ${counted.join(", ")}\n`;
}

function repairText({ tables, ambiguous, kept }: LedgerRepair): string {
  const read = tables.map(
    ({ table, rows, isWhole }) => `  ${table}: ${rows.toLocaleString("en")}${isWhole ? "" : ", and some were lost"}\n`,
  );
  const left =
    ambiguous === 0 ? "" : `${ambiguous.toLocaleString("en")} records are ambiguous: \`migrate reconcile\`\n`;
  const lost = tables.every(({ isWhole }) => isWhole) ? "" : `${LOST_RECORDS_WARNING}\n`;
  return `Rows that could be read\n${read.join("")}${lost}${left}The damaged ledger is kept: ${plainText(kept)}\n`;
}

const LOST_RECORDS_WARNING =
  "A record that is in no table any more would be taken for new: look the lost ones up before you push again.";
