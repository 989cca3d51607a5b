import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";

/** Payloads that satisfy a rule of a shipped overlay, and payloads that violate it. */
export type RuleCase = z.output<typeof caseSchema> & { readonly file: string };

const json: z.ZodType<JsonValue> = z.json();
const payload: z.ZodType<JsonObject> = z.record(z.string(), json);
const payloads = z.union([z.array(payload).min(1), payload.transform((one) => [one])]);
const attr = z.string();

const caseSchema = z.strictObject({
  /** The code of the rule. */
  rule: z.string(),
  /** The schema of the payloads. Attrs are relative to it. */
  on: z.string(),
  passes: payloads,
  fails: payloads,
  /** The attrs of all problems with this code in each failing payload. */
  attr: z.union([z.array(attr), attr.transform((one) => [one])]),
  severity: z.enum(["error", "warning"]).default("error"),
  today: z.string().optional(),
  /** Settings and reference lists, as in migrate.yaml. */
  rules: z.record(z.string(), z.union([z.boolean(), z.number(), z.string(), z.array(z.string())])).default({}),
  references: z.record(z.string(), z.array(z.record(z.string(), json)).min(1)).default({}),
});

/** Reads the cases of a folder next to this file: `shared`, or the name of an overlay. */
export function casesOf(folder: string): readonly RuleCase[] {
  const at = path.join(import.meta.dirname, folder);
  return readdirSync(at)
    .filter((name) => name.endsWith(".yaml"))
    .flatMap((name) => {
      const file = `${folder}/${name}`;
      const cases = z.array(caseSchema).parse(parse(readFileSync(path.join(at, name), "utf8")));
      return cases.map((one) => ({ ...one, file }));
    });
}
