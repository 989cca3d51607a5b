import { describe, expect, it } from "vitest";
import type { Contract } from "../../src/contract/contract.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import { attrPattern } from "../../src/json/attr.ts";
import { isJsonObject, type JsonValue, valueAt } from "../../src/json/json-value.ts";
import { compileRules } from "../../src/rules/engine/compile-rules.ts";
import { coverageOf } from "../../src/rules/engine/rule-coverage.ts";
import { compileValidator } from "../../src/validate/compile-validator.ts";
import { judgeWith, worldOf } from "../overlays/judge-case.ts";
import { casesOf } from "../overlays/rule-cases.ts";
import { operationsFor, overlayTexts, rulesOf } from "../overlays/shipped-overlay.ts";
import {
  ARE_THERE,
  documentText,
  exampleRequests,
  judgedCodes,
  OPERATORS,
  type Operator,
  withSupplyTypes,
} from "./operators-documents.ts";

/** A true contradiction between an example and a rule of its own operator, which is a warning for that reason. */
interface Contradiction {
  readonly operator: Operator;
  readonly code: string;
  /** `*` for every index. */
  readonly attr: string;
  readonly reason: string;
}

const CONTRADICTIONS: readonly Contradiction[] = OPERATORS.map((operator) => ({
  operator,
  code: "required_user_role",
  attr: "customers.*.non_field_errors",
  reason: "the examples name no roles, which the text of the check asks for; that of the deprecated role has a default",
}));

/** The day on which the examples make sense: after their transactions, before what they plan. */
const DAYS: Readonly<Record<Operator, string>> = { gb: "2020-03-26", au: "2020-03-26" };

/** An instance that takes what the examples hold. */
const SETTINGS: Readonly<Record<string, boolean>> = {
  auto_allocation: true,
  cais_references: true,
  consents: true,
  create_new_portfolios: false,
  import_address_history: true,
  link_account_to_business_with_contract: false,
  managed_accounts: false,
  send_registration_flows: true,
  skip_property_creation: false,
  skip_supply_point_creation: false,
};

/** The document with its overlays, and with an operation for each schema that has rules. */
function loadWith(operator: Operator): Contract {
  const document = { file: `${operator}.yml`, text: documentText(operator) };
  const published = valueAt(loadContract([document]).document, ["components", "schemas"]);
  const known = isJsonObject(published) ? published : {};
  const names = rulesOf(operator).flatMap(({ schemas }) => schemas);
  const present = [...new Set(names)].filter((name) => Object.hasOwn(known, name));
  return loadContract([document, ...overlayTexts(operator), operationsFor(present)]);
}

function publishedSchemas(operator: Operator): JsonValue {
  const document = { file: `${operator}.yml`, text: documentText(operator) };
  return valueAt(loadContract([document]).document, ["components", "schemas"]) ?? {};
}

/** What each schema below says of additional properties, by the schema's place. */
function openings(value: JsonValue | undefined, place: string): ReadonlyMap<string, string> {
  if (!isJsonObject(value)) return new Map();
  const own = value["additionalProperties"];
  const below = Object.entries(value).flatMap(([name, member]) => [...openings(member, `${place}/${name}`)]);
  return new Map([...(own === undefined ? [] : [[place, JSON.stringify(own)] as const]), ...below]);
}

interface StringField {
  readonly field: string;
  /** All that is said of it. */
  readonly words: string;
  readonly marked: JsonValue | undefined;
}

function stringFields(schemas: JsonValue | undefined): readonly StringField[] {
  return Object.entries(isJsonObject(schemas) ? schemas : {}).flatMap(([schema, written]) => {
    const properties = valueAt(written, ["properties"]);
    return Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, property]) => {
      if (!isJsonObject(property) || property["type"] !== "string" || Array.isArray(property["enum"])) return [];
      return [{ field: `${schema}.${name}`, words: JSON.stringify(property), marked: property["x-document-path"] }];
    });
  });
}

describe.skipIf(!ARE_THERE).each(OPERATORS)("overlay:%s on the published document (MIGRATE_SHARED)", (operator) => {
  const contract = ARE_THERE ? loadWith(operator) : undefined;
  if (contract === undefined) return;
  const { document } = contract;

  it("is understood, and every target and every field is there", () => {
    const own = contract.findings.filter(({ place }) => overlayTexts(operator).some(({ file }) => file === place.file));
    expect(own.map(({ place, message }) => `${place.file}:${place.line} ${message}`)).toEqual([]);
  });

  const cases = ["shared", operator]
    .flatMap(casesOf)
    .filter(({ on }) => valueAt(document, ["components", "schemas", on]) !== undefined);

  it.each(cases)("$file: $rule on $on says the same with the document's own types", (one) => {
    const judge = judgeWith(contract, one);
    expect(one.passes.flatMap(judge)).toEqual([]);
    for (const payload of one.fails) {
      expect(judge(payload).toSorted()).toEqual(one.attr.map((attr) => `${one.severity} ${attr}`).toSorted());
    }
  });

  it("opens only objects of which the document says nothing else", () => {
    const published = publishedSchemas(operator);
    const before = openings(published, "");
    const after = openings(valueAt(document, ["components", "schemas"]), "");
    expect([...before.keys()].filter((pointer) => after.get(pointer) !== before.get(pointer))).toEqual([]);
    const opened = [...after.keys()].filter((pointer) => !before.has(pointer));
    expect(opened.length).toBeGreaterThan(0);
    const bare = opened.filter((pointer) => {
      const schema = valueAt(published, pointer.slice(1).split("/"));
      return isJsonObject(schema) && schema["type"] === "object" && !Object.hasOwn(schema, "properties");
    });
    expect(bare).toEqual(opened);
  });

  it("has a rule for every code that can be decided before sending, or says that its fields are not published", () => {
    const published = loadContract([
      { file: `${operator}.yml`, text: documentText(operator) },
      ...overlayTexts(operator),
    ]);
    const coverage = coverageOf(published, worldOf(published, {}));
    const judged = judgedCodes(operator);
    const local = [...judged].flatMap(([code, isLocal]) => (isLocal ? [code] : []));
    expect(coverage?.published).toEqual([...judged.keys()].toSorted());
    expect(coverage?.byClass.open).toEqual([]);
    const ruled = new Set(rulesOf(operator).map(({ code }) => code));
    const dead = new Set(coverage?.byClass["not-in-schema"]);
    expect(local.length).toBeGreaterThan(200);
    expect(local.filter((code) => !ruled.has(code) && !dead.has(code))).toEqual([]);
  });

  it("marks every field that the operator calls a path or a key of S3 as that of a document", () => {
    const fields = stringFields(valueAt(document, ["components", "schemas"]));
    const ofDocuments = fields.filter(({ words }) => /S3|path_does_not_exist_in_file_store/i.test(words));
    expect(ofDocuments.length).toBeGreaterThanOrEqual(3);
    expect(ofDocuments.filter(({ marked }) => marked === undefined)).toEqual([]);
    expect(fields.filter(({ words, marked }) => marked !== undefined && !/S3/i.test(words))).toEqual([]);
  });

  it("takes businesses with contracts where the instance enforces them, and compares those of agreements", () => {
    const published = { file: `${operator}.yml`, text: documentText(operator) };
    const settings = { enforce_business_contracts_exist: true };
    const { operations, ruleDeclarations } = loadContract([published, ...overlayTexts(operator)], settings);
    const body = operations.find(({ path }) => path === "/v1/data-import/validate-account/")?.body;
    if (body === undefined) throw new Error("no operation");
    const agreements = [{ business_contract_identifier: "C2" }];
    const point = { supply_type: "ELECTRICITY", agreements };
    const payload = {
      business: { business_contract_identifiers: ["C1"], business_type: "LTD" },
      supply_addresses: [{ meter_points: [point] }],
    };
    const structure = compileValidator(body, { keepValues: false })(payload);
    expect(structure.filter(({ attr }) => attr.startsWith("business"))).toEqual([]);
    const judge = compileRules(body, worldOf({ ...contract, ruleDeclarations }, { rules: settings }), {
      keepValues: false,
    });
    const codes = (judge?.(payload, new Set()) ?? []).map(({ code }) => code);
    expect(codes).toContain("agreement_business_contract_identifier_not_declared");
  });

  it("finds nothing in the operator's own examples but true contradictions, which are warnings", () => {
    const world = worldOf(contract, { today: DAYS[operator], rules: { ...SETTINGS } });
    const own = CONTRADICTIONS.filter((one) => one.operator === operator);
    const found = exampleRequests(operator, contract).flatMap((example) => {
      const { title, operation } = example;
      const judge = operation.body && compileRules(operation.body, world, { keepValues: false });
      const problems = judge?.(withSupplyTypes(example), new Set()) ?? [];
      return problems.map(({ code, attr, severity }) => ({ title, code, attr: attrPattern(attr), severity }));
    });
    expect(found.filter(({ severity }) => severity === "error")).toEqual([]);
    const isKnown = (one: { readonly code: string; readonly attr: string }): boolean =>
      own.some(({ code, attr }) => code === one.code && attr === one.attr);
    expect(found.filter((one) => !isKnown(one))).toEqual([]);
    expect(own.filter(({ code, attr }) => !found.some((one) => one.code === code && one.attr === attr))).toEqual([]);
  });
});

describe.skipIf(!ARE_THERE)("overlay:au on the published document (MIGRATE_SHARED)", () => {
  it.each([
    ["text that is no number", "abc", "invalid"],
    ["an object", {}, "invalid"],
    ["a boolean", true, "invalid"],
    ["null", null, "null"],
    ["a decimal", "0.25", undefined],
  ])("judges rates in rate_overrides as decimals: %s", (_name, rate, code) => {
    const contract = loadWithAgreement();
    const body = contract.operations.find(({ id }) => id === "AusAgreement")?.body;
    if (body === undefined) throw new Error("no body");
    const found = compileValidator(body, { keepValues: false })({ rate_overrides: { "R-1": rate } });
    const own = found.filter(({ attr }) => attr.startsWith("rate_overrides"));
    expect(own.map(({ attr, code: given }) => `${attr} ${given}`)).toEqual(
      code === undefined ? [] : [`rate_overrides.R-1 ${code}`],
    );
  });
});

function loadWithAgreement(): Contract {
  const document = { file: "au.yml", text: documentText("au") };
  return loadContract([document, ...overlayTexts("au"), operationsFor(["AusAgreement"])]);
}
