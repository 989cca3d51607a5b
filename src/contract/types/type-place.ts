import { type FieldType, memberType, type ObjectType } from "./field-type.ts";
import type { PathExpression, PathStep } from "../../rules/language/expression.ts";

/** A type and its enclosing object types: one position at which a payload can contain a value of this type. */
export interface TypePlace {
  readonly type: FieldType;
  /** The object that contains the value; lists are skipped. */
  readonly holder?: TypePlace;
}

/**
 * Every position at which a payload of the type can contain a value with rules. A recursive type is entered only once.
 */
export function placesWithRules(body: FieldType): readonly TypePlace[] {
  const places: TypePlace[] = [];
  const seen = new Map<FieldType, Set<FieldType | undefined>>();
  const open: TypePlace[] = [{ type: body }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const holders = seen.get(place.type) ?? new Set();
    seen.set(place.type, holders);
    if (holders.has(place.holder?.type)) continue;
    holders.add(place.holder?.type);
    if (place.type.rules !== undefined) places.push(place);
    for (const below of placesBelow(place)) open.push(below);
  }
  return places;
}

function placesBelow(place: TypePlace): readonly TypePlace[] {
  const { type } = place;
  if (type.kind === "list") return [itemPlace(place, type.items)];
  if (type.kind === "union") return optionsOf(place);
  if (type.kind !== "object") return [];
  return memberPlaces(type, place);
}

function memberPlaces(type: ObjectType, holder: TypePlace): readonly TypePlace[] {
  const fields = [...type.properties.values()].map((property) => ({ type: property.type, holder }));
  return type.additional === "closed" ? fields : [...fields, { type: type.additional, holder }];
}

function itemPlace({ holder }: TypePlace, type: FieldType): TypePlace {
  return holder === undefined ? { type } : { type, holder };
}

/** Each possible type of the value, once, because alternatives may contain themselves. */
function optionsOf(place: TypePlace): readonly TypePlace[] {
  const types = new Set<FieldType>([place.type]);
  for (const type of types) {
    if (type.kind !== "union") continue;
    for (const option of [...type.options, ...(type.discriminator?.mapping.values() ?? [])]) types.add(option);
  }
  if (place.type.kind !== "union") return [place];
  return [...types].filter(({ kind }) => kind !== "union").map((type) => itemPlace(place, type));
}

/** The places at which the paths of a rule start. */
export interface PathBases {
  readonly here: readonly TypePlace[];
  readonly self: readonly TypePlace[];
  readonly top: readonly TypePlace[];
}

/**
 * The places to which a path leads; empty if the contract has no such field. Undefined for a path into a reference
 * list. If the path ends in a named value, the caller handles that step.
 */
export function followPath(path: PathExpression, from: PathBases): readonly TypePlace[] | undefined {
  const steps = path.steps.filter(({ kind }) => kind !== "named");
  switch (path.base) {
    case "found":
    case "listed":
      return undefined;
    case "above":
      return from.here.flatMap(({ holder }) => holdersOf(holder)).flatMap((place) => followSteps([place], steps));
    case "this":
      return followSteps(from.self, steps);
    case "top":
      return followSteps(from.top, steps);
    case "here":
    case "other":
      break;
  }
  return followSteps(from.here, steps);
}

function holdersOf(place: TypePlace | undefined): readonly TypePlace[] {
  return place === undefined ? [] : [place, ...holdersOf(place.holder)];
}

function followSteps(from: readonly TypePlace[], steps: readonly PathStep[]): readonly TypePlace[] {
  return steps.reduce<readonly TypePlace[]>((places, step) => places.flatMap((place) => followStep(step, place)), from);
}

function followStep(step: PathStep, place: TypePlace): readonly TypePlace[] {
  if (step.kind === "parent") return place.holder === undefined ? [] : [place.holder];
  return optionsOf(place).flatMap((option) => {
    const { type } = option;
    if (type.kind === "any") return [option];
    if (step.kind === "members") return type.kind === "object" ? memberPlaces(type, option) : [];
    if (step.kind === "items") return type.kind === "list" ? [itemPlace(option, type.items)] : [];
    return step.kind === "field" && type.kind === "object" ? fieldPlace(type, step.name, option) : [];
  });
}

function fieldPlace(type: ObjectType, name: string, holder: TypePlace): readonly TypePlace[] {
  const known = memberType(type, name);
  return known === undefined ? [] : [{ type: known, holder }];
}

/** All field names that may occur at these places. */
export function fieldNames(places: readonly TypePlace[]): readonly string[] {
  return places.flatMap(optionsOf).flatMap(({ type }) => (type.kind === "object" ? [...type.properties.keys()] : []));
}
