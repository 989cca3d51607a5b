import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Contract } from "../../src/contract/contract.ts";
import { diffContracts } from "../../src/contract/diff/diff-contracts.ts";
import { fieldTable } from "../../src/contract/describe/field-table.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import { Failure } from "../../src/model/failure.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "../../src/json/json-value.ts";
import { compileValidator } from "../../src/validate/compile-validator.ts";
import { campaignSize } from "../campaign.ts";
import { DOCUMENTS_EXIST, documentText, loadDocument, OPERATORS } from "./operators-documents.ts";

const RUNS = campaignSize({ part: 1, whole: 3 });
const TEXT_RUNS = campaignSize({ part: 1, whole: 2 });

/**
 * Published documents change, and may be edited by hand. After any change to nodes or characters, the result must be a
 * Failure with a place, or a contract whose findings have places. Any other exception is a bug.
 */
describe.skipIf(!DOCUMENTS_EXIST)("mutated operators' documents (MIGRATE_SHARED)", () => {
  it.each(OPERATORS)(
    "%s: removed, renamed, replaced and retyped nodes cause only failures and findings with a place",
    (operator) => {
      const old = loadDocument(operator);
      const whole: JsonValue = parse(documentText(operator), { schema: "core", uniqueKeys: false });
      const sites = placesIn(whole);
      fc.assert(
        fc.property(fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 12 }), (picks) => {
          const mutated: JsonValue = structuredClone(whole);
          for (const [site, how] of picks) mutate(mutated, sites[site % sites.length] ?? [], how);
          expect(loadMutated(JSON.stringify(mutated, undefined, 1), old)).toMatch(/^(?:understood|refused)$/);
        }),
        { numRuns: RUNS, seed: 20_240_229 },
      );
    },
    240_000,
  );

  it.each(OPERATORS)(
    "%s: removed, inserted and replaced characters cause only failures and findings with a place",
    (operator) => {
      const old = loadDocument(operator);
      const text = documentText(operator);
      fc.assert(
        fc.property(
          fc.nat(text.length),
          fc.nat(200),
          fc.constantFrom("", ":", "\t", "- ", '"', "&a ", "*a", "{"),
          (at, cut, put) => {
            expect(loadMutated(text.slice(0, at) + put + text.slice(at + cut), old)).toMatch(
              /^(?:understood|refused)$/,
            );
          },
        ),
        { numRuns: TEXT_RUNS, seed: 20_240_229 },
      );
    },
    240_000,
  );
});

/** Loads and uses a mutated document. Throws unless the failure, or each finding, has a place. */
function loadMutated(text: string, old: Contract): "understood" | "refused" {
  const contract = loadedOrRefused(text);
  if (contract === undefined) return "refused";
  for (const finding of contract.findings) {
    expect(finding.place).toMatchObject({ file: "mutated.yml", line: expect.any(Number) });
    expect(finding.message).not.toBe("");
  }
  for (const operation of contract.operations) {
    expect(fieldTable(operation).every(({ type }) => type !== "")).toBe(true);
    if (operation.body === undefined) continue;
    const validate = compileValidator(operation.body, { keepValues: false });
    validate({ import_supplier: 1, customers: [{ mobile: [] }], supply_addresses: {}, payload: null });
  }
  diffContracts(old, contract, undefined);
  diffContracts(contract, old, undefined);
  return "understood";
}

function loadedOrRefused(text: string): Contract | undefined {
  try {
    return loadContract([{ file: "mutated.yml", text }]);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    expect(error).toMatchObject({ code: "contract_invalid", place: { file: "mutated.yml" } });
    return undefined;
  }
}

type Path = readonly (string | number)[];

/** Returns the paths of all object members and list items, except examples. */
function placesIn(value: JsonValue, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]: [string, JsonValue]) => {
    if (name === "examples" || name === "x-enum-descriptions") return [];
    const here = [...path, isJsonArray(value) ? Number(name) : name];
    return [here, ...placesIn(member, here)];
  });
}

const STRANGE: readonly JsonValue[] = [
  null,
  true,
  0,
  -1.5,
  "",
  "datetime",
  "#/components/schemas/None",
  [],
  [null],
  {},
  { $ref: "#/components/schemas" },
  { $ref: "#" },
  [[]],
  { type: ["string", "null", 7] },
];

function mutate(document: JsonValue, path: Path, how: number): void {
  const holder = path.slice(0, -1).reduce<JsonValue | undefined>(childOf, document);
  const name = path.at(-1) ?? "";
  const member = childOf(holder, name);
  if (member === undefined) return;
  // The tree is a private copy, so writing to it is safe.
  const open: Record<string | number, JsonValue> = Object(holder);
  if (how % 4 > 1 || !isJsonObject(holder)) open[name] = STRANGE[how % STRANGE.length] ?? null;
  else delete open[name];
  if (how % 4 === 1) open[`${name}x`] = member;
}

function childOf(value: JsonValue | undefined, part: string | number): JsonValue | undefined {
  if (isJsonArray(value)) return value[Number(part)];
  return isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
}
