import type { SourceNode } from "../joins/join-tree.ts";
import { type Container, narrowContainer, type Slot } from "./region.ts";
import type { Scores } from "./score.ts";

/** Meter point numbers differ by fuel: a file with the numbers of one fuel is about that fuel. */
const FUEL_NUMBERS: readonly (readonly [fuel: string, columns: readonly string[]])[] = [
  ["ELECTRICITY", ["mpan", "mpancore", "corempan", "nmi"]],
  ["GAS", ["mprn", "mpr", "mirn", "dpi"]],
];
/** Minimum score of a column that holds the fuel itself. */
const TOLD = 0.5;

/**
 * If types in the contract depend on the fuel and no column holds it, chooses the fuel of the source's meter point
 * numbers.
 */
export function chooseFuel(container: Container, { source }: SourceNode, scores: Scores): void {
  const slot = container.fields.find((field) => field.kind === "slot" && isFuel(field));
  if (slot?.kind !== "slot" || slot.constant !== undefined) return;
  if (source.columns.some((column) => scores.of(slot, column, source).score >= TOLD)) return;
  const names = new Set(source.columns.map(({ name }) => lettersOf(name)));
  const [found, second] = FUEL_NUMBERS.filter(([, numbers]) => numbers.some((number) => names.has(number)));
  if (found === undefined || second !== undefined || slot.type.kind !== "choice") return;
  const [fuel] = found;
  if (!slot.type.choices.includes(fuel)) return;
  narrowContainer(container, slot.name, fuel);
  for (const field of container.fields) if (field.kind === "slot" && field.name === slot.name) field.constant = fuel;
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, "");
}

/** Whether the column name is that of an industry-wide meter point number. */
export function isIndustryNumber(name: string): boolean {
  return FUEL_NUMBERS.some(([, numbers]) => numbers.includes(lettersOf(name)));
}

function isFuel({ words, type }: Slot): boolean {
  return words.includes("fuel") && type.kind === "choice" && type.choices.some((choice) => choice === "GAS");
}
