import { joinColumn, type SourceNode } from "../joins.ts";
import { nameWords } from "./field-names.ts";
import { type Container, containersIn, narrowContainer } from "./region.ts";
import { guessOf, nameLikeness, namesOtherParty } from "./score.ts";

/** Minimum affinity of a source to the list that it fills. */
const MIN_AFFINITY = 0.3;
/** The factor for each level between the list and a field inside its items. */
const DEEPER = 0.8;

/**
 * Assigns each child source to a list of the payload, based on the names of both and on how well the columns fit the
 * items. Returns the sources without a list.
 */
export function placeSources(container: Container, node: SourceNode): readonly SourceNode[] {
  for (const each of [container, ...containersIn(container)]) chooseFuel(each, node);
  const lists = [...containersIn(container)].filter(({ isList }) => isList);
  const pairs = node.children
    .flatMap((child) => lists.map((list) => ({ child, list, affinity: affinityWithin(list, child) })))
    .filter(({ child, list, affinity }) => affinity >= MIN_AFFINITY && !isOfOther(child, list))
    .toSorted((one, other) => other.affinity - one.affinity);
  const placed = new Set<SourceNode>();
  for (const { child, list } of pairs) {
    if (placed.has(child) || hasSource(list, container)) continue;
    list.source = child;
    placed.add(child);
  }
  const below = [...placed].flatMap((child) => {
    const list = lists.find(({ source }) => source === child);
    return list === undefined ? [] : placeSources(list, child);
  });
  return [...node.children.filter((child) => !placed.has(child)), ...below];
}

/** Whether the source is named after a party other than the customer, and the list is not about this party. */
function isOfOther({ source }: SourceNode, { path }: Container): boolean {
  return namesOtherParty(nameWords(source.name), path.flatMap(nameWords));
}

/** Whether the list, a list that contains it, or a list inside it already has a source. */
function hasSource(list: Container, within: Container): boolean {
  for (let one: Container | undefined = list; one !== within && one !== undefined; one = one.parent) {
    if (one.source !== undefined) return true;
  }
  return hasSourceBelow(list);
}

function hasSourceBelow({ fields }: Container): boolean {
  return fields.some((field) => field.kind === "container" && (field.source !== undefined || hasSourceBelow(field)));
}

/** Weight of a source's children. Their rows fill lists inside the list that the source fills. */
const BELOW_WEIGHT = 0.35;

function affinityWithin(list: Container, child: SourceNode): number {
  const own = affinityOf(list, child);
  if (child.children.length === 0 || own <= 0) return own;
  const lists = [...containersIn(list)].filter(({ isList }) => isList);
  const best = child.children.map((below) => Math.max(0, ...lists.map((inner) => affinityOf(inner, below))));
  const below = best.reduce((sum, affinity) => sum + affinity, 0) / best.length;
  return (1 - BELOW_WEIGHT) * own + BELOW_WEIGHT * below;
}

function affinityOf(list: Container, child: SourceNode): number {
  const { source } = child;
  const own = joinColumn(child);
  const columns = source.columns.filter((column) => column !== own && column.filled > 0);
  const best = new Map(columns.map((column) => [column, 0]));
  const reached = [{ container: list, weight: 1 }];
  for (const { container, weight } of reached) {
    for (const field of container.fields) {
      if (field.kind === "container") reached.push({ container: field, weight: weight * DEEPER });
      else
        for (const [column, score] of best)
          best.set(column, Math.max(score, weight * guessOf(field, column, source).score));
    }
  }
  const sum = [...best.values()].reduce((total, score) => total + score, 0);
  const fit = columns.length === 0 ? 0 : sum / columns.length;
  const likeness = nameLikeness({ own: list.words, around: [] }, { own: nameWords(source.name), around: [] });
  return 0.55 * fit + 0.4 * likeness + (list.required ? 0.05 : 0) - 0.02 * list.path.length;
}

/**
 * Names of columns with meter point numbers, by fuel. A file with meter point numbers of one fuel contains data about
 * that fuel.
 */
const FUEL_NUMBERS: readonly (readonly [fuel: string, columns: readonly string[]])[] = [
  ["ELECTRICITY", ["mpan", "mpancore", "corempan", "nmi"]],
  ["GAS", ["mprn", "mpr", "mirn", "dpi"]],
];
/** Minimum score of a column that contains the fuel itself. */
const CLEAR_MATCH = 0.5;

/**
 * Sets the fuel of a container to the fuel of the source's meter point numbers if the container has a field for the
 * fuel and no column contains the fuel.
 */
function chooseFuel(container: Container, { source }: SourceNode): void {
  const slot = container.fields
    .filter((field) => field.kind === "slot")
    .find(({ words, type }) => words.includes("fuel") && type.kind === "choice" && type.choices.includes("GAS"));
  if (slot === undefined || slot.constant !== undefined) return;
  if (source.columns.some((column) => guessOf(slot, column, source).score >= CLEAR_MATCH)) return;
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

/** Whether a column with this name contains industry-wide meter point numbers. */
export function isIndustryNumber(name: string): boolean {
  return FUEL_NUMBERS.some(([, numbers]) => numbers.includes(lettersOf(name)));
}
