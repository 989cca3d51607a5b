import type { Guess, Slot } from "../guess/region.ts";
import type { ChoiceType } from "../../../contract/types/field-type.ts";
import type { LeafForm, LookupForm } from "../guess/value-fit.ts";
import { yamlText } from "./yaml-text.ts";
import { UNKNOWN_ZONE } from "../guess/guess-mapping.ts";
import { plural } from "../../../text/count.ts";

/** Renders the mapping entry of a field. Returns undefined if nothing fills the field. */
export function leafText(slot: Slot, zone: string): string | undefined {
  const { guess, constant } = slot;
  const value = constant === undefined ? undefined : `{ value: ${yamlText(constant)} }`;
  const text = guess === undefined ? value : guessText(guess, zone);
  return text !== undefined && slot.isList ? `[${text}]` : text;
}

function guessText({ column, form }: Guess, zone: string): string {
  const options = formOptions(form, zone);
  return options.length === 0
    ? yamlText(column.name)
    : `{ ${[`from: ${yamlText(column.name)}`, ...options].join(", ")} }`;
}

function formOptions(form: LeafForm, zone: string): readonly string[] {
  switch (form.kind) {
    case "plain":
      return [];
    case "upper":
      return ["upper: true"];
    case "date":
    case "datetime":
      return [
        `${form.kind}: ${patternText(form.pattern)}`,
        ...(form.kind === "date" || form.hasOffset ? [] : [`zone: ${zone}`]),
      ];
    case "number": {
      const group = form.group === undefined ? "" : `, group: ${JSON.stringify(form.group)}`;
      return [`number: { decimal: ${JSON.stringify(form.decimal)}${group} }`];
    }
    case "boolean":
      return [...listText("true", form.yes), ...listText("false", form.no)];
    case "lookup": {
      const entries = [...form.table].map(([code, choice]) => `${keyText(code)}: ${yamlText(choice)}`);
      return entries.length === 0 ? [] : [`lookup: { ${entries.join(", ")} }`];
    }
    default:
      return form satisfies never;
  }
}

function listText(name: string, values: readonly string[]): readonly string[] {
  return values.length === 0 ? [] : [`${name}: [${values.map(valueText).join(", ")}]`];
}

/**
 * Renders a value. Does not quote a single letter such as `y`. YAML 1.2 reads every letter as a string; only YAML 1.1
 * reads some letters as booleans.
 */
function valueText(value: string): string {
  return /^[A-Za-z]$/.test(value) ? value : yamlText(value);
}

function keyText(code: string): string {
  return /^[A-Za-z]$/.test(code) || /^\d+$/.test(code) ? code : yamlText(code);
}

function patternText(pattern: string): string {
  return /^[A-Za-z./-]+$/.test(pattern) ? pattern : JSON.stringify(pattern);
}

/** Returns the comment on a guess: its score and the alternative columns. `zone`: zone of times without an offset. */
export function guessComment(slot: Slot, zone: string): string {
  const { guess, others } = slot;
  const likely = others.map(({ column, score }) => `${column.name} ${scoreText(score)}`).join(", ");
  if (guess === undefined) return likely === "" ? "no matching column" : `perhaps ${likely}`;
  const facts = [
    ...(slot.required ? ["required"] : []),
    scoreText(guess.score),
    ...(likely === "" ? [] : [`or ${likely}`]),
    ...formNotes(slot, guess, zone),
  ];
  return facts.join("; ");
}

function scoreText(score: number): string {
  return Math.min(score, 1).toFixed(2);
}

function formNotes({ type }: Slot, { form }: Guess, zone: string): readonly string[] {
  if (form.kind === "date") return dateNotes(form.pattern, form.also);
  if (form.kind === "datetime") {
    const isAssumed = !form.hasOffset && zone === UNKNOWN_ZONE;
    return [...dateNotes(form.pattern, form.also), ...(isAssumed ? ["TODO: check the time zone"] : [])];
  }
  return form.kind === "lookup" && type.kind === "choice" ? codeNotes(type, form) : [];
}

function dateNotes(pattern: string, also: string | undefined): readonly string[] {
  const isShort = /(?<!y)yy(?!y)/.test(pattern);
  return [
    ...(also === undefined ? [] : [`TODO: or ${also}? No date shows whether the day or the month comes first`]),
    ...(isShort ? ["TODO: check the century; two-digit years are read as 1969 to 2068 unless `pivot` is set"] : []),
  ];
}

function codeNotes({ choices }: ChoiceType, { unknown, withheld }: LookupForm): readonly string[] {
  const more = unknown.length === 0 ? "" : "more ";
  const rest = withheld === 0 ? [] : [`${withheld} ${more}${plural(withheld, "code")} not shown`];
  const left = [...unknown, ...rest];
  if (left.length === 0) return [];
  return [`TODO: codes without a matching choice: ${left.join(", ")}; the contract has ${choicesText(choices)}`];
}

const MAX_CHOICES = 12;

export function choicesText(choices: ChoiceType["choices"]): string {
  return `${choices.slice(0, MAX_CHOICES).map(String).join(", ")}${choices.length > MAX_CHOICES ? "..." : ""}`;
}
