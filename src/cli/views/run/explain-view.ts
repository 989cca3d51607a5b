import type { Problem } from "../../../model/problem.ts";
import type { ExplainedSources, Explanation } from "../../../commands/ledger/explain.ts";
import { changedText } from "../../../job/settings/recorded-files.ts";
import type { Exclusion } from "../../../ledger/records/exclusions.ts";
import { ledgerFlag } from "../../../ledger/open-ledger-store.ts";
import type { Attempt } from "../../../ledger/records/requests.ts";
import type { Run } from "../../../ledger/records/run.ts";
import { formatPlace } from "../../../model/place.ts";
import type { Row } from "../../../model/record.ts";
import { indentedJson } from "../../../terminal/safe-json.ts";
import { plainText } from "../../../text/plain-text.ts";
import { shellCommand } from "../../../text/shell-command.ts";
import { renderTable } from "../../../terminal/text-table.ts";
import { describeProblem } from "../../../report/problems/problem-text.ts";
import type { Screen } from "../../../job/dependencies.ts";
import { originData, originText, problemLine } from "../preview-view.ts";

/** Renders the part of the explanation that comes from the ledger. `sourcesText` renders the part from the sources. */
export function explainText(explanation: Explanation, screen: Screen): string {
  const { key, run, outcomes, acceptedElsewhere, attempts, decisions, exclusions } = explanation;
  const parts = [`${plainText(key)} in run ${run.id} (${run.operation} on ${plainText(run.target)})\n`];
  for (const { status, source, account, problems } of outcomes) {
    parts.push(
      `\n${status}${account === undefined ? "" : `, account ${plainText(account)}`}, from ${plainText(formatPlace(source))}\n`,
    );
    parts.push(...problems.map(problemLine));
  }
  if (acceptedElsewhere !== undefined) parts.push(`\n${elsewhereText(acceptedElsewhere)}\n`);
  parts.push(...exclusions.map(exclusionText));
  if (attempts.length > 0) parts.push(`\nRequests\n${attemptTable(attempts, screen)}`);
  if (decisions.length > 0) {
    const rows = decisions.map(({ at, run: of, decision, who, reason }) => [at, of, decision, plainText(who), reason]);
    parts.push(`\nDecisions\n${renderTable(rows, ["at", "run", "decision", "by", "why"], screen)}`);
  }
  parts.push(...explanation.sameKeyElsewhere.map((other) => `\n${otherRecordText(explanation, other)}\n`));
  return parts.join("");
}

function otherRecordText({ key, run, ledger }: Explanation, { id, operation, supplier }: Run): string {
  const of = supplier === run.supplier ? "" : `, supplier ${plainText(supplier)}`;
  const command = shellCommand(["migrate", "explain", plainText(key), "--run", id, ...ledgerFlag(ledger)]);
  return `Another record has this key (${operation}${of}): ${command}`;
}

function exclusionText({ at, who, reason, undoneAt, undoneBy = "" }: Exclusion): string {
  const period =
    undoneAt === undefined
      ? `since ${at} by ${plainText(who)}`
      : `from ${at} (${plainText(who)}) until ${undoneAt} (${plainText(undoneBy)})`;
  return `\nExcluded from the migration ${period}: ${plainText(reason)}\n`;
}

function elsewhereText({ run, account, settledAt }: NonNullable<Explanation["acceptedElsewhere"]>): string {
  const as = account === undefined ? "" : ` as account ${plainText(account)}`;
  const at = settledAt === undefined ? "" : ` since ${settledAt}`;
  return `On the platform${at}${as}, with different content: accepted in run ${run}`;
}

export function sourcesText(
  { records, unreadable, changedInputs }: ExplainedSources,
  { showValues }: { readonly showValues: boolean },
): string {
  if (unreadable !== undefined) return `\nThe sources can no longer be read: ${plainText(unreadable)}\n`;
  const parts: string[] = [];
  if (changedInputs.length > 0) {
    const effect =
      records.length > 0
        ? "The rows and the payload below may differ from those of the run"
        : "The current files contain no record with this key";
    parts.push(`\n${plainText(changedText(changedInputs))}. ${effect}.\n`);
  }
  for (const { row, origins } of records) {
    const places = rowPlaces(row).map((place) => `  ${plainText(place)}\n`);
    parts.push(`\nRows\n${places.join("")}`, `\nPayload\n${originText(origins, showValues)}`);
  }
  return parts.join("");
}

export function explainJson(
  { key, run, outcomes, acceptedElsewhere: elsewhere, attempts, decisions, exclusions, sameKeyElsewhere }: Explanation,
  { records, unreadable, changedInputs }: ExplainedSources,
  { showValues }: { readonly showValues: boolean },
): string {
  const shown = {
    key,
    decisions: decisions.map(withoutIdentity),
    exclusions: exclusions.map(withoutIdentity),
    unreadable,
    ...(changedInputs.length > 0 && { changedInputs: changedInputs.map(({ file, isGone }) => ({ file, isGone })) }),
    run: run.id,
    acceptedElsewhere: elsewhere && { run: elsewhere.run, account: elsewhere.account, at: elsewhere.settledAt },
    sameKeyElsewhere: sameKeyElsewhere.map(({ id, operation, supplier }) => ({ run: id, operation, supplier })),
    outcomes: outcomes.map(({ problems, ...outcome }) => ({ ...outcome, errors: problems.map(withWords) })),
    attempts: attempts.map(({ problems, ...attempt }) => ({
      ...withoutIdentity(attempt),
      errors: problems.map(withWords),
    })),
    records: records.map(({ number, row, payload, origins }) => ({
      record: number,
      rows: rowPlaces(row),
      origins: originData(origins, showValues),
      ...(showValues && { payload }),
    })),
  };
  return indentedJson(shown);
}

function withoutIdentity<Entry extends { readonly identity: Uint8Array }>({
  identity: _identity,
  ...entry
}: Entry): Omit<Entry, "identity"> {
  return entry;
}

function withWords(problem: Problem): object {
  const { attr, code, severity, by, place } = problem;
  return { attr, code, detail: describeProblem(problem), severity, by, ...(place && { source: place }) };
}

function attemptTable(attempts: readonly Attempt[], screen: Screen): string {
  const rows = attempts.map((attempt) => [
    attempt.intendedAt,
    attempt.run,
    attempt.status,
    attempt.http === undefined ? "" : String(attempt.http),
    attempt.durationMs === undefined ? "" : `${Math.round(attempt.durationMs)} ms`,
    [attempt.step, attempt.reason ?? attempt.account].filter((part) => part !== undefined).join(": "),
  ]);
  return renderTable(rows, ["at", "run", "outcome", "http", "took", "note"], screen);
}

/** Returns the place of the row, then the places of all rows joined to the row, at any depth. */
function rowPlaces(row: Row, source?: string): readonly string[] {
  const own = `${formatPlace({ file: row.table.file, line: row.line })}${source === undefined ? "" : ` (${source})`}`;
  const joined = [...(row.children ?? [])].flatMap(([name, rows]) => rows.flatMap((child) => rowPlaces(child, name)));
  return [own, ...joined];
}
