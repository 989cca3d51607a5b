import type { Contract } from "../../../contract/contract.ts";
import { missingKeys } from "../../../contract/operations/find-operation.ts";
import type { Operation } from "../../../contract/operations/operation.ts";
import { formatAttr } from "../../../json/attr.ts";
import { Failure } from "../../../model/failure.ts";
import { chooseTree, columnNamed, findJoins, type Join, keyColumns } from "../joins.ts";
import type { SourceNode, SourceTree } from "../joins.ts";
import { suggestionOr } from "../../../text/suggestion.ts";
import type { SourceProfile } from "../profile/profile-sources.ts";
import { setConstants } from "./constants.ts";
import { fillFields } from "./fill-fields.ts";
import { placeSources } from "./place-sources.ts";
import { type Container, containersIn, payloadTree, type Slot, slotsIn } from "./region.ts";
import { parametersTree, stepsTree } from "./request-fields.ts";
import { guessOf } from "./score.ts";

/** A guessed mapping, possibly incomplete. */
export interface GuessedMapping {
  readonly operation: Operation;
  /** The attr of the business key; undefined if no field of the contract looks like a business key. */
  readonly key: string | undefined;
  readonly joins: readonly Join[];
  readonly tree: SourceTree;
  /** Sources in the tree that fill no list of the payload. */
  readonly unplaced: readonly SourceNode[];
  readonly payload: Container;
  /** Contains only the required request parameters, in a container with this name; undefined if there are none. */
  readonly parameters: Container | undefined;
  /** Contains only the required fields of steps, in the container `steps`; undefined if there are none. */
  readonly steps: Container | undefined;
  /** The time zone of times without an offset. */
  readonly zone: string;
}

export interface GuessOptions {
  readonly operation: Operation;
  readonly contract: Contract;
  /** The code of the import supplier, if known. */
  readonly supplier: string | undefined;
  /** The source of the records and its key column; absent if the user did not name them. */
  readonly root?: string | undefined;
  readonly key?: string | undefined;
}

/**
 * Guesses which source contains the records, how the other sources join it, and which column fills which field.
 * @throws Failure `usage` if the operation takes no payload, or the named root or key does not exist
 */
export function guessMapping(sources: readonly SourceProfile[], options: GuessOptions): GuessedMapping {
  const { operation, contract } = options;
  const payload = preparePayload(options);
  const joins = findJoins(sources);
  const tree = chooseTree(possibleRoots(sources, options), {
    sources,
    joins,
    key: options.key,
    recordLikeness: (source) => recordLikeness(source, payload),
  });
  if (options.key !== undefined) fillKey(payload, tree.root.source, options.key);
  const unplaced = placeSources(payload, tree.root);
  fillAll(payload, tree.root);
  const [parameters, steps] = [parametersTree(options), stepsTree(options)];
  for (const fields of [parameters, steps]) if (fields !== undefined) fillAll(fields, tree.root);
  return { operation, key: payload.key, joins, tree, unplaced, payload, parameters, steps, zone: zoneOf(contract) };
}

/** Returns the sources whose rows may be the records, limited to the root and key that the user named, if any. */
function possibleRoots(sources: readonly SourceProfile[], { root, key }: GuessOptions): readonly SourceProfile[] {
  const names = sources.map(({ name }) => name);
  const named = root === undefined ? sources : sources.filter(({ name }) => name === root);
  if (root !== undefined && named.length === 0) {
    throw new Failure("usage", `--root ${root}: there is no such source`, {
      hint: suggestionOr(`the sources are: ${names.join(", ")}`, root, names),
    });
  }
  const fitting = key === undefined ? named : named.filter((source) => columnNamed(source, key) !== undefined);
  if (key === undefined || fitting.length > 0) return fitting;
  const columns = [...new Set(named.flatMap(({ columns: own }) => own.map(({ name }) => name)))];
  const fault = root === undefined ? "no source has this column" : `${root} has no such column`;
  throw new Failure("usage", `--key ${key}: ${fault}`, {
    hint: suggestionOr(`the columns are: ${columns.join(", ")}`, key, columns),
  });
}

function fillKey(payload: Container, source: SourceProfile, name: string): void {
  const slot = slotsIn(payload).find(({ isKey }) => isKey);
  const column = columnNamed(source, name);
  if (slot !== undefined && column !== undefined) slot.guess = { ...guessOf(slot, column, source), score: 1 };
}

/**
 * Returns the payload of the operation with its constants, before any column is assigned.
 * @throws Failure `usage` if the operation takes no payload
 */
export function preparePayload({ operation, supplier }: GuessOptions): Container {
  if (operation.body === undefined) {
    throw new Failure("usage", `records cannot be sent to the operation "${operation.id}"`, {
      hint: "use --operation to choose a POST operation with a JSON request body; `migrate contract show` lists the operations",
    });
  }
  const key = operation.key === undefined ? missingKeys([operation])[0]?.candidate : formatAttr(operation.key);
  const payload = payloadTree(operation.body, operation.id, key);
  setConstants(payload, operation, supplier);
  return payload;
}

/**
 * Returns how likely it is that the rows of a source are records, from 0 to 1, based on how well their columns fit the
 * business key and the required fields of the payload.
 */
function recordLikeness(source: SourceProfile, payload: Container): number {
  const slots = payload.fields.filter((field) => field.kind === "slot");
  const best = (slot: Slot): number =>
    Math.max(0, ...source.columns.map((column) => guessOf(slot, column, source).score));
  const keySlot = slots.find(({ isKey }) => isKey);
  const hasKey = keySlot === undefined ? (keyColumns(source).length > 0 ? 0.5 : 0) : best(keySlot);
  const required = slots.filter((slot) => slot.required && slot.constant === undefined);
  const filled = required.length === 0 ? 0 : required.reduce((sum, slot) => sum + best(slot), 0) / required.length;
  return 0.5 * hasKey + 0.5 * filled;
}

/** Fills the fields of a container, and the fields of its lists that come from other sources. */
export function fillAll(container: Container, node: SourceNode): void {
  fillFields(container, node);
  for (const { fields } of [container, ...containersIn(container)]) {
    for (const field of fields) {
      if (field.kind === "container" && field.source !== undefined) fillAll(field, field.source);
    }
  }
}

const ZONES: Readonly<Record<string, string>> = {
  GB: "Europe/London",
  IE: "Europe/Dublin",
  AU: "Australia/Sydney",
  NZ: "Pacific/Auckland",
  DE: "Europe/Berlin",
  FR: "Europe/Paris",
};

/** The zone that is assumed if the contract declares neither a zone nor a region. */
export const UNKNOWN_ZONE = "UTC";

/** Returns the time zone of the instance: the declared zone, the zone of the declared region, or UTC. */
export function zoneOf({ ruleDeclarations: { settings } }: Contract): string {
  const zone = settings.get("time_zone")?.default;
  const region = settings.get("region")?.default;
  return typeof zone === "string" ? zone : ((typeof region === "string" ? ZONES[region] : undefined) ?? UNKNOWN_ZONE);
}
