import { type AttrSegment, childAttr } from "../../json/attr.ts";
import { definedMembers } from "../../json/defined-members.ts";
import type { FieldType, ObjectType, PublishedValidator } from "../types/field-type.ts";
import { descriptionText } from "./description-text.ts";

/** A location in a payload for which the operator publishes an error code. */
export interface PublishedCode {
  /** `customers.*.mobile`; empty for the whole payload. */
  readonly attr: string;
  /** Name of the schema that has the validator, or whose property has it; absent if the schema has no name. */
  readonly schema?: string;
  /** The property that has the validator; absent for a whole schema. */
  readonly property?: string;
  readonly validator: PublishedValidator;
  /** Fields of the validated object, or of the object with the property. */
  readonly fields: readonly string[];
}

/** Returns the locations in a payload of this type for which the code is published (`x-validators`), in field order. */
export function publishedCodes(body: FieldType, code: string): readonly PublishedCode[] {
  const found: PublishedCode[] = [];
  collectCodes(body, { attr: "", inside: [], code, found });
  return found;
}

interface CodeSearch {
  readonly attr: string;
  readonly inside: readonly FieldType[];
  readonly code: string;
  readonly found: PublishedCode[];
  /** The object that has a property of this type. */
  readonly holder?: { readonly type: ObjectType; readonly property: string };
}

function collectCodes(type: FieldType, position: CodeSearch): void {
  if (position.inside.includes(type)) return;
  addCodes(type, position);
  const { attr, code, found } = position;
  const inside = [...position.inside, type];
  if (type.kind === "list") collectCodes(type.items, { attr: childAttr(attr, "*"), inside, code, found });
  if (type.kind === "union") for (const option of type.options) collectCodes(option, { ...position, inside });
  if (type.kind !== "object") return;
  for (const { name, type: field } of type.properties.values()) {
    collectCodes(field, { attr: childAttr(attr, name), inside, code, found, holder: { type, property: name } });
  }
}

function addCodes(type: FieldType, { attr, code, found, holder }: CodeSearch): void {
  const own = type.kind === "object" ? { type, property: undefined } : holder;
  for (const validator of type.validators) {
    if (!validator.codes.includes(code)) continue;
    const fields = [...(own?.type.properties.keys() ?? [])];
    found.push({ attr, validator, fields, ...definedMembers({ schema: own?.type.name, property: own?.property }) });
  }
}

/** A rule's code, the type to which the rule is attached, and the attr of its problems relative to that type. */
interface CodeOrigin {
  readonly code: string;
  readonly type: FieldType;
  readonly attr?: readonly AttrSegment[] | undefined;
}

/**
 * Returns the requirement that the operator's document publishes for a code (`x-validators`), as one sentence. Searches
 * the first field in `attr`, the type, all fields of the type, and the whole body, in this order. Returns undefined if
 * no place publishes the code, or if the first place that publishes the code has no sentence or several different
 * sentences.
 */
export function publishedSentence(body: FieldType, { code, type, attr = [] }: CodeOrigin): string | undefined {
  const fields = type.kind === "object" ? [...type.properties.values()] : [];
  const addressed = fields.filter(({ name }) => name === attr[0]);
  const searches: readonly (() => readonly PublishedValidator[])[] = [
    () => addressed.flatMap((field) => field.type.validators),
    () => type.validators,
    () => fields.flatMap((field) => field.type.validators),
    () => publishedCodes(body, code).map(({ validator }) => validator),
  ];
  for (const search of searches) {
    const nearest = search().filter(({ codes }) => codes.includes(code));
    const sentences = new Set(nearest.map(sentenceOf));
    if (sentences.size > 0) return sentences.size === 1 ? [...sentences][0] : undefined;
  }
  return undefined;
}

function sentenceOf({ name, description }: PublishedValidator): string | undefined {
  const text = descriptionText(description.trim() === "" ? name : description) ?? "";
  const [sentence = ""] = text.split(/(?<=[.!?])\s+(?=\p{Lu})/u);
  if (!sentence.includes(" ")) return undefined;
  const requirement = /^(?:Validates?|Ensures?|Checks?) that,? (?<requirement>.+?)\.?$/su.exec(sentence)?.groups?.[
    "requirement"
  ];
  return requirement === undefined ? `The contract says: ${sentence}` : `The contract requires that ${requirement}.`;
}
