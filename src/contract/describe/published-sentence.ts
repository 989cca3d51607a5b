import type { AttrSegment } from "../../json/attr.ts";
import type { FieldType, PublishedValidator } from "../types/field-type.ts";
import { descriptionText } from "./description-text.ts";
import { publishedCodes } from "./published-codes.ts";

/** A rule's code, the type to which the rule is attached, and the attr of its problems relative to that type. */
export interface CodeOrigin {
  readonly code: string;
  readonly type: FieldType;
  readonly attr?: readonly AttrSegment[] | undefined;
}

/**
 * The requirement that the operator's document publishes for a code (`x-validators`), as one sentence. Searches the
 * field at `attr`, the type, all fields of the type, and the whole body, in this order. Undefined if no place publishes
 * a sentence, or if the first place that publishes the code has several different texts.
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
