import { refuseRule } from "./findings.ts";
import { z } from "zod";
import type { AnyType, PublishedValidator } from "./field-type.ts";
import { readRules } from "../grammar/read-rules.ts";
import type { Rule } from "../grammar/rule.ts";
import { read, readAll, type Compilation, type SchemaNode } from "./schema-node.ts";
import { keywordReader } from "./schema-values.ts";
import { present } from "../model/present.ts";

/** What every type says of itself. */
export type TypeBase = Omit<AnyType, "kind">;

/** Where several parts say the same thing, the one nearest to the field is believed. */
export function baseType(parts: readonly SchemaNode[], nullable: boolean, compilation: Compilation): TypeBase {
  const { findings } = compilation;
  const reader = keywordReader(parts, findings);
  const title = reader.text("title");
  const description = reader.text("description");
  const standard = readAll(parts, "default")[0]?.value;
  const rules = parts.flatMap((part) => rulesOf(part, compilation));
  return {
    nullable,
    deprecated: reader.isTrue("deprecated"),
    validators: parts.flatMap((part) => validatorsOf(part, findings)),
    ...present({ title, description }),
    ...(standard === undefined ? {} : { default: standard }),
    ...(rules.length === 0 ? {} : { rules }),
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

/** The same rules wherever the part is used, so that they are known again. */
function rulesOf(part: SchemaNode, { findings, rules }: Compilation): readonly Rule[] {
  const written = read(part, "x-rules");
  if (written === undefined) return [];
  const known = rules.get(written) ?? readRules(written, [...part.path, "x-rules"], refuseRule(findings));
  rules.set(written, known);
  return known;
}
