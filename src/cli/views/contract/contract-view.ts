import type { ContractCheck } from "../../../commands/contract/contract-check.ts";
import type { ContractShow } from "../../../commands/contract/contract-show.ts";
import type { FieldRow } from "../../../contract/describe/field-table.ts";
import { type MissingKey, missingKeys } from "../../../contract/operations/find-operation.ts";
import type { Screen } from "../../../job/dependencies.ts";
import { formatPlace } from "../../../model/place.ts";
import { cutText } from "../../../terminal/text-width.ts";
import { indentedJson } from "../../../terminal/safe-json.ts";
import { plainText } from "../../../text/plain-text.ts";
import { type ListEntry, markdownTable, renderEntryList } from "../../../terminal/text-table.ts";
import { type Coverage, COVERAGE_CLASSES, type CoverageClass } from "../../../rules/engine/rule-coverage.ts";
import { counted, formatCount } from "../../../text/count.ts";
import type { View, ViewOptions } from "../view.ts";

export const contractCheckView: View<ContractCheck> = { text: contractCheckText, json: contractCheckJson };

export const contractShowView: View<ContractShow> = {
  text: contractShowText,
  json: contractShowJson,
  markdown: contractShowMarkdown,
};

function contractCheckText({ contract, coverage }: ContractCheck, { screen, verbose }: ViewOptions): string {
  const { title, version, operations, findings } = contract;
  const head = `${plainText(title)} ${plainText(version)}: ${counted(operations.length, "operation")}, ${counted(findings.length, "finding")}\n`;
  const covered = coverage === undefined ? "" : `\n${coverageText(coverage, verbose)}`;
  const keys = keyHint(missingKeys(operations), screen);
  if (findings.length === 0) return `${head}${keys}${covered}`;
  const entries = findings.map(({ severity, code, place, message }) => ({
    head: `${formatPlace(place)}  ${severity}  ${code}`,
    body: message,
  }));
  return `${head}\n${renderEntryList(entries, screen)}${keys}${covered}`;
}

/** Names the operations without a business key, and shows an overlay that declares a key for the first operation. */
function keyHint(missing: readonly MissingKey[], screen: Screen): string {
  const [first] = missing;
  if (first === undefined) return "";
  const { path, method } = first.operation;
  const ids = missing.map(({ operation }) => operation.id).join(", ");
  const target = `$.paths[${JSON.stringify(path)}].${method.toLowerCase()}`;
  const entry = {
    head: `${counted(missing.length, "operation")} without a business key`,
    body: `${ids}. A push needs a key. Set "key" in the mapping, or declare the key in an overlay:`,
  };
  return [
    `\n${renderEntryList([entry], screen).trimEnd()}`,
    `      - target: ${plainText(target)}`,
    `        update: { x-migrate-key: ${plainText(first.candidate ?? "<the field that identifies a record>")} }\n`,
  ].join("\n");
}

function contractCheckJson({ contract, coverage }: ContractCheck): string {
  const { title, version, operations, findings } = contract;
  const withoutKey = missingKeys(operations).map(({ operation }) => operation.id);
  const ids = operations.map(({ id }) => id);
  return indentedJson({ title, version, operations: ids, withoutKey, findings, coverage });
}

const OPERATION_COLUMNS = ["operation", "method", { title: "path", code: true }, "summary"];
const FIELD_COLUMNS = [{ title: "attr", code: true }, "type", "required", "rules", "description"];

function contractShowText(shown: ContractShow, { screen }: ViewOptions): string {
  if (shown.operation === undefined) {
    const listed = shown.contract.operations.map(({ id, method, path, summary }) => {
      return { head: id, body: `${method} ${path}${summary === undefined ? "" : `: ${summary}`}` };
    });
    return renderEntryList(listed, screen);
  }
  const { id, method, path } = shown.operation;
  const { filteredFrom } = shown;
  const entries = (fields: readonly FieldRow[]): string =>
    renderEntryList(
      fields.map((row) => fieldEntry(row, filteredFrom !== undefined)),
      screen,
    );
  const more = tablesOf(shown).map(({ title, fields }) => `\n${plainText(title)}\n\n${entries(fields)}`);
  const count =
    filteredFrom === undefined ? "" : `\n${formatCount(shown.fields.length)} of ${counted(filteredFrom, "field")}\n`;
  return `${plainText(`${id}  ${method} ${path}`)}\n\n${entries(shown.fields)}${more.join("")}${count}`;
}

function contractShowMarkdown(shown: ContractShow): string {
  if (shown.operation === undefined) {
    const rows = shown.contract.operations.map(({ id, method, path, summary = "" }) => [id, method, path, summary]);
    return markdownTable(rows, OPERATION_COLUMNS);
  }
  const { id, method, path } = shown.operation;
  const more = tablesOf(shown).map(({ title, fields }) => `\n### ${title}\n\n${tableOf(fields)}`);
  return `## ${id}\n\n\`${method} ${path}\`\n\n${tableOf(shown.fields)}${more.join("")}`;
}

/**
 * Returns tables of the fields that a mapping can set in addition to the payload: request parameters, and fields of
 * steps.
 */
function tablesOf({
  parameters,
  steps,
}: ContractShow): readonly { readonly title: string; readonly fields: readonly FieldRow[] }[] {
  const inAddress = { title: "Request parameters: path, query and headers", fields: parameters };
  const inSteps = steps.map(({ step, fields }) => ({ title: `Fields of the step ${step}`, fields }));
  return parameters.length === 0 ? inSteps : [inAddress, ...inSteps];
}

function contractShowJson({ contract, operation, fields, parameters, steps }: ContractShow): string {
  const operations = contract.operations.map(({ id, method, path, summary }) => ({ id, method, path, summary }));
  const more = { ...(parameters.length > 0 && { parameters }), ...(steps.length > 0 && { steps }) };
  const shown = operation && { operation: operation.id, fields, ...more };
  return indentedJson(shown ?? { operations });
}

/** Maximum length of one rule in characters. Some lists of choices would otherwise fill the screen. */
const MAX_RULE_WIDTH = 200;

/**
 * Adds the description of a field only if `isDescribed` is true, because descriptions would double the length of the
 * full table.
 */
function fieldEntry(row: FieldRow, isDescribed: boolean): ListEntry {
  const texts = isDescribed ? rulesOf(row).map((rule) => cutText(rule, MAX_RULE_WIDTH)) : rulesOf(row);
  const rules = [row.type, ...(row.required ? ["required"] : []), ...texts].join("; ");
  return {
    head: row.attr,
    body: isDescribed && row.description !== undefined ? `${rules}. ${row.description}` : rules,
  };
}

function rulesOf({ rules, when, deprecated }: FieldRow): readonly string[] {
  return [...rules, ...(when === undefined ? [] : [`when ${when}`]), ...(deprecated ? ["deprecated"] : [])];
}

function tableOf(fields: readonly FieldRow[]): string {
  const rows = fields.map((row) => {
    return [row.attr, row.type, row.required ? "yes" : "", rulesOf(row).join("; "), row.description ?? ""];
  });
  return markdownTable(rows, FIELD_COLUMNS);
}

/** Describes how many of the published codes the rules cover. With `verbose`, lists the codes of each class. */
function coverageText({ published, byClass, rules, skipped, missing }: Coverage, verbose: boolean): string {
  const lines = [`${counted(published.length, "published code")}, ${counted(rules, "rule")}`];
  for (const name of COVERAGE_CLASSES) {
    const codes = byClass[name];
    if (codes.length === 0) continue;
    lines.push(`${String(codes.length).padStart(5)}  ${CLASS_TEXT[name]}`);
    if (verbose) lines.push(...codes.map((code) => `         ${plainText(code)}`));
  }
  if (skipped > 0) {
    const rulesAre = skipped === 1 ? "rule is" : "rules are";
    lines.push(`${String(skipped).padStart(5)}  ${rulesAre} skipped because the configuration does not declare:`);
    lines.push(...missing.map((name) => `         ${plainText(name)}`));
  }
  return `${lines.join("\n")}\n`;
}

const CLASS_TEXT: Readonly<Record<CoverageClass, string>> = {
  checked: "checked locally",
  partial: "partly checked locally",
  setting: "checked once a setting is declared",
  reference: "not checked: a reference list is needed",
  platform: "can be checked only by the platform",
  unclear: "not checked: the published text is not precise enough for a rule",
  "not-in-schema": "not checked: the check needs fields that the document does not have",
  open: "not checked: there is no rule",
};
