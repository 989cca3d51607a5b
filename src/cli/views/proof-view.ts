import type { CheckedProof, ProofResult } from "../../commands/proof/make-proof.ts";
import type { Screen } from "../../job/dependencies.ts";
import type { RunProof } from "../../model/proof.ts";
import { plainText } from "../../text/plain-text.ts";
import { indentedJson } from "../../terminal/safe-json.ts";
import { renderTable } from "../../terminal/text-table.ts";
import { counted, formatCount } from "../../text/count.ts";
import type { View } from "./view.ts";

export const proofView: View<ProofResult> = {
  text: ({ proof, folder, isComplete }, { screen }) =>
    [
      ...proof.runs.map((run) => runText(run, screen)),
      `${isComplete ? "Everything is accounted for." : "Some rows or records are not accounted for."}\n`,
      `Proof   ${plainText(folder)}\n`,
    ].join("\n"),
  json: ({ proof }) => indentedJson(proof),
};

export const checkedProofView: View<CheckedProof> = {
  text: ({ folder, differences }) =>
    differences.length === 0
      ? `${plainText(folder)} matches the sources and the ledger\n`
      : `${plainText(folder)} does not match the sources and the ledger:\n${differences.map((one) => `  ${plainText(one)}\n`).join("")}`,
};

function titleOf({ run, dryRun, records }: RunProof): string {
  return `Run ${run}${dryRun ? " (dry run)" : ""}: ${counted(records.total, "record")}`;
}

function runText(run: RunProof, screen: Screen): string {
  const { unreadable, sources, payloads, measures, differences, platform } = run;
  const lines = [titleOf(run)];
  if (unreadable !== undefined) lines.push(`  cannot be proved from its sources: ${plainText(unreadable)}`);
  for (const { file, rows, inRecords, orphans, duplicates, leftOut, notPicked, unaccounted } of sources) {
    const parts = [
      `${formatCount(inRecords)} in records`,
      ...(orphans > 0 ? [counted(orphans, "orphan")] : []),
      ...(duplicates > 0 ? [`${formatCount(duplicates)} in duplicates`] : []),
      ...(leftOut > 0 ? [`${formatCount(leftOut)} left out`] : []),
      ...(notPicked > 0 ? [`${formatCount(notPicked)} not picked`] : []),
      ...(unaccounted > 0 ? [`${formatCount(unaccounted)} UNACCOUNTED`] : []),
    ];
    lines.push(`  ${plainText(file)}: ${counted(rows, "row")}, ${parts.join(", ")}`);
  }
  lines.push(...recordsText(run));
  if (platform !== undefined) lines.push(...platformText(platform).map((line) => `  ${line}`));
  if (payloads.different > 0)
    lines.push(
      `  ${counted(payloads.different, "payload")} ${payloads.different === 1 ? "differs" : "differ"} from the plan`,
    );
  const end = differences === 0 ? "" : `  ${counted(differences, "difference")}: differences-${run.run}.csv\n`;
  return `${lines.join("\n")}\n${sumsTable(measures, screen)}${end}`;
}

function recordsText({ run, records, corrections = 0 }: RunProof): readonly string[] {
  const { existing = 0, excluded = 0 } = records.byStatus;
  const content = `${existing === 1 ? "its" : "their"} content was not compared`;
  return [
    ...(existing > 0 ? [`  ${counted(existing, "record")} already existed on the platform, and ${content}`] : []),
    ...(excluded > 0 ? [`  ${counted(excluded, "record")} excluded from the migration`] : []),
    ...(corrections > 0 ? [`  ${counted(corrections, "cell")} corrected: corrections-${run}.csv`] : []),
  ];
}

function platformText(platform: NonNullable<RunProof["platform"]>): readonly string[] {
  const { compared, found, notCompared, different, absent, unknown, replaced } = platform;
  const others = [
    ...(notCompared > 0 ? [`${formatCount(notCompared)} found, content not compared`] : []),
    ...(different > 0 ? [`${formatCount(different)} with different values`] : []),
    ...(absent > 0 ? [`${formatCount(absent)} not found`] : []),
    ...(unknown > 0 ? [`${formatCount(unknown)} with an unknown result`] : []),
    ...(replaced > 0 ? [`${formatCount(replaced)} replaced by other content`] : []),
  ];
  return [
    `on the platform: ${[`${formatCount(found)} with the values that were sent`, ...others].join(", ")}`,
    `compared: ${compared.length === 0 ? "only keys" : compared.map((attr) => plainText(attr)).join(", ")}`,
  ];
}

function sumsTable(measures: RunProof["measures"], screen: Screen): string {
  const rows = measures.flatMap(({ name, sums }) =>
    sums.map(({ by, source, payloads, sent, accepted, platform = "" }) => {
      return [by === undefined ? name : `${name} ${by}`, source, payloads, sent, accepted, platform];
    }),
  );
  if (rows.length === 0) return "";
  const hasPlatform = rows.some((row) => row[5] !== "");
  const titles = ["in the sources", "in payloads", "sent", "accepted", ...(hasPlatform ? ["on the platform"] : [])];
  const columns = ["sum", ...titles.map((title) => ({ title, align: "right" as const }))];
  return `\n${renderTable(rows, columns, screen)}`;
}
