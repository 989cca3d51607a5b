import type { Contract } from "../../../contract/contract.ts";
import { missingKeys } from "../../../contract/operations/find-operation.ts";
import type { Operation } from "../../../contract/operations/operation.ts";
import { formatAttr, parseAttr } from "../../../json/attr.ts";
import { Failure } from "../../../model/failure.ts";
import { findJoins, type Join, keyColumns } from "../joins/find-joins.ts";
import { chooseTree, type SourceNode, type SourceTree } from "../joins/join-tree.ts";
import type { SourceProfile } from "../source-profile.ts";
import { nameWords } from "./field-names.ts";
import { fillFields } from "./fill-fields.ts";
import { placeSources } from "./place-sources.ts";
import { type Container, containersIn, payloadTree, type Slot, slotsIn } from "./region.ts";
import { createScores, type Scores } from "./score.ts";

/** A mapping as far as it can be guessed. */
export interface GuessedMapping {
  readonly operation: Operation;
  /** The attr of the business key; undefined where nothing in the contract looks like one. */
  readonly key: string | undefined;
  /** The contract says so itself. */
  readonly keyIsDeclared: boolean;
  readonly joins: readonly Join[];
  readonly tree: SourceTree;
  /** Sources of the tree whose rows no list of the payload is meant for. */
  readonly unplaced: readonly SourceNode[];
  readonly payload: Container;
  /** The zone of times that do not name one. */
  readonly zone: string;
}

/**
 * Which source holds the records, how the others join, and which column fills which field.
 * @throws Failure `usage` where the operation takes no payload
 */
export function guessMapping(
  sources: readonly SourceProfile[],
  operation: Operation,
  contract: Pick<Contract, "ruleDeclarations">,
): GuessedMapping {
  if (operation.body === undefined) {
    throw new Failure("usage", `the operation "${operation.id}" takes no payload, so there is nothing to map`, {
      hint: "name another one with --operation; `migrate contract show` lists them",
    });
  }
  const payload = payloadTree(operation.body);
  const key = operation.key === undefined ? missingKeys([operation])[0]?.candidate : formatAttr(operation.key);
  const scores = createScores(key === undefined ? undefined : key.split("."));
  setConstants(payload, operation);
  const joins = findJoins(sources);
  const tree = chooseTree(sources, joins, (source) => recordLikeness(source, { payload, key, scores }));
  const unplaced = placeSources(payload, tree.root, scores);
  fillAll(payload, tree.root, scores);
  return {
    operation,
    key,
    keyIsDeclared: operation.key !== undefined,
    joins,
    tree,
    unplaced,
    payload,
    zone: zoneOf(contract),
  };
}

/** A row is a record where it has the business key, and fields of the payload itself. */
function recordLikeness(
  source: SourceProfile,
  { payload, key, scores }: { readonly payload: Container; readonly key: string | undefined; readonly scores: Scores },
): number {
  const slots = payload.fields.filter((field) => field.kind === "slot");
  const best = (slot: Slot): number =>
    Math.max(0, ...source.columns.map((column) => scores.of(slot, column, source).score));
  const keySlot = slots.find(({ path }) => path.join(".") === key);
  const hasKey = keySlot === undefined ? (keyColumns(source).length > 0 ? 0.5 : 0) : best(keySlot);
  const required = slots.filter((slot) => slot.required && slot.constant === undefined);
  const filled = required.length === 0 ? 0 : required.reduce((sum, slot) => sum + best(slot), 0) / required.length;
  return 0.5 * hasKey + 0.5 * filled;
}

function fillAll(container: Container, node: SourceNode, scores: Scores): void {
  fillFields(container, node, scores);
  for (const slot of slotsIn(container)) setFuel(slot, node);
  for (const { fields } of [container, ...containersIn(container)]) {
    for (const field of fields) {
      if (field.kind === "container" && field.source !== undefined) fillAll(field, field.source, scores);
    }
  }
}

/** The import supplier's code, and choices that are none. */
function setConstants(payload: Container, { supplier }: Operation): void {
  const attr = supplier === undefined ? "import_supplier" : formatAttr(supplier);
  for (const slot of slotsIn(payload)) {
    const [only, second] = slot.type.kind === "choice" ? slot.type.choices : [];
    if (formatAttr(parseAttr(slot.path.join("."))) === attr) slot.constant = "${supplier}";
    else if (slot.required && only !== undefined && second === undefined) slot.constant = String(only);
  }
}

/** Meter points are numbered otherwise for each fuel: where a file has the numbers of one, that is what it is about. */
const FUEL_NUMBERS: readonly (readonly [fuel: string, columns: readonly string[]])[] = [
  ["ELECTRICITY", ["mpan", "nmi", "mpancore", "corempan"]],
  ["GAS", ["mprn", "mirn", "mpr"]],
];

function setFuel(slot: Slot, { source }: SourceNode): void {
  if (
    slot.guess !== undefined ||
    !slot.required ||
    !nameWords(slot.name).includes("fuel") ||
    slot.type.kind !== "choice"
  )
    return;
  const names = new Set(source.columns.map(({ name }) => name.toLowerCase().replaceAll(/[^a-z]/g, "")));
  const fuels = FUEL_NUMBERS.filter(([, numbers]) => numbers.some((number) => names.has(number)));
  const [fuel] = fuels[0] ?? [];
  if (fuels.length === 1 && fuel !== undefined && slot.type.choices.includes(fuel)) slot.constant = fuel;
}

const ZONES: Readonly<Record<string, string>> = {
  GB: "Europe/London",
  IE: "Europe/Dublin",
  AU: "Australia/Sydney",
  NZ: "Pacific/Auckland",
  DE: "Europe/Berlin",
  FR: "Europe/Paris",
};

function zoneOf({ ruleDeclarations: { settings } }: Pick<Contract, "ruleDeclarations">): string {
  const zone = settings.get("time_zone")?.default;
  const region = settings.get("region")?.default;
  return typeof zone === "string" ? zone : ((typeof region === "string" ? ZONES[region] : undefined) ?? "UTC");
}
