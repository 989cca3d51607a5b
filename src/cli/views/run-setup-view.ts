import type { ListedFile, RunSetup, WrittenSetup } from "../../commands/ledger/run-setup.ts";
import { isData } from "../../job/settings/recorded-files.ts";
import { printableJson } from "../../terminal/safe-json.ts";
import { renderTable } from "../../terminal/text-table.ts";
import { counted, formatCount } from "../../text/count.ts";
import { plainText } from "../../text/plain-text.ts";
import type { View, ViewOptions } from "./view.ts";

export const runSetupView: View<RunSetup> = {
  text: setupText,
  json: ({ run: { settings: _settings, ...run }, files }) => `${printableJson({ ...run, files }, "indented")}\n`,
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
  const rows = files.map((file) => [
    file.kind,
    plainText(file.file),
    formatCount(file.bytes),
    file.sha256.slice(0, 12),
    storedText(file),
  ]);
  const columns = [
    { title: "file" },
    { title: "name" },
    { title: "bytes", align: "right" },
    { title: "sha256" },
    { title: "stored" },
  ] as const;
  return `${facts.join("")}\n${renderTable(rows, columns, screen)}`;
}

function storedText({ kind, isStored }: ListedFile): string {
  if (isStored) return "yes";
  return isData(kind) ? "no" : "lost";
}

export const writtenSetupView: View<WrittenSetup> = {
  text: ({ run, written }) =>
    `${written.map((file) => `${plainText(file, 500)}\n`).join("")}${counted(written.length, "file")} of run ${run}\n`,
  json: (setup) => `${printableJson(setup, "indented")}\n`,
};
