import { z } from "zod";
import type { AnyType, PublishedValidator } from "./field-type.ts";
import { read, readAll, type Compilation, type SchemaNode } from "./schema-node.ts";
import { keywordReader } from "./schema-values.ts";
import { present } from "./present.ts";

/** What every type says of itself. */
export type TypeBase = Omit<AnyType, "kind">;

/** Where several parts say the same thing, the one nearest to the field is believed. */
export function baseType(parts: readonly SchemaNode[], nullable: boolean, { findings }: Compilation): TypeBase {
  const reader = keywordReader(parts, findings);
  const title = reader.text("title");
  const description = reader.text("description");
  const standard = readAll(parts, "default")[0]?.value;
  return {
    nullable,
    deprecated: reader.isTrue("deprecated"),
    validators: parts.flatMap((part) => validatorsOf(part, findings)),
    ...present({ title, description }),
    ...(standard === undefined ? {} : { default: standard }),
  };
}

/** As operators publish them: a name, a text (either may be null), and the codes that the platform may answer with. */
const validatorsSchema = z.array(
  z.object({
    name: z.string().nullish(),
    description: z.string().nullish(),
    possible_errors: z.array(z.string()).default([]),
  }),
);

function validatorsOf(part: SchemaNode, findings: Compilation["findings"]): readonly PublishedValidator[] {
  const written = read(part, "x-validators");
  if (written === undefined) return [];
  const validators = validatorsSchema.safeParse(written);
  if (!validators.success) {
    const message = '"x-validators" must be a list of objects with name, description and possible_errors';
    findings.add("error", "bad-extension", message, [...part.path, "x-validators"]);
    return [];
  }
  return validators.data.map(({ name, description, possible_errors: codes }) => ({
    name: name ?? "",
    description: description ?? "",
    codes,
  }));
}
