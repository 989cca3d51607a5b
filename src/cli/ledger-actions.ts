import { ledgerCheck, ledgerExport, ledgerRepair } from "../commands/ledger.ts";
import type { LedgerCheck } from "../ledger/ledger-check.ts";
import type { LedgerRepair } from "../ledger/ledger-repair.ts";
import { printableJson } from "../report/json-text.ts";
import { plainText } from "../report/plain-text.ts";
import type { Flags, ViewFlags } from "./flags.ts";
import { inWorld } from "./in-world.ts";
import { readLedgerSettings } from "./settings.ts";

const DAMAGED = 6;
const AMBIGUOUS = 5;

export function ledgerCheckAction(flags: ViewFlags): Promise<void> {
  return inWorld(flags, async ({ write }) => {
    const { ledger } = await readLedgerSettings(flags, process.cwd());
    const check = ledgerCheck({ ledger });
    await write(flags.format === "json" ? `${printableJson(check, "indented")}\n` : checkText(check, ledger));
    return check.findings.length === 0 ? 0 : DAMAGED;
  });
}

export function ledgerRepairAction(flags: ViewFlags): Promise<void> {
  return inWorld(flags, async ({ parts, write }) => {
    const { ledger } = await readLedgerSettings(flags, process.cwd());
    const repair = await ledgerRepair({ ledger }, parts.clock);
    await write(flags.format === "json" ? `${printableJson(repair, "indented")}\n` : repairText(repair));
    return repair.ambiguous === 0 ? 0 : AMBIGUOUS;
  });
}

export function ledgerExportAction(flags: Flags): Promise<void> {
  return inWorld(flags, async ({ write }) => {
    const { ledger } = await readLedgerSettings(flags, process.cwd());
    for (const rows of ledgerExport({ ledger })) {
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
  const lost = tables.every(({ isWhole }) => isWhole) ? "" : `${LOST}\n`;
  return `Rows that could be read\n${read.join("")}${lost}${left}The damaged ledger is kept: ${plainText(kept)}\n`;
}

const LOST =
  "A record that is in no table any more would be taken for new: look the lost ones up before you push again.";
