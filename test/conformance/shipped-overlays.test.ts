import { beforeAll, describe, expect, it } from "vitest";
import type { Contract } from "../../src/contract/contract.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import { attrPattern } from "../../src/json/attr.ts";
import { isJsonObject, type JsonValue, valueAt } from "../../src/json/json-value.ts";
import { compileRules } from "../../src/rules/engine/compile-rules.ts";
import { coverageOf } from "../../src/rules/engine/rule-coverage.ts";
import { compileValidator } from "../../src/validate/compile-validator.ts";
import { judgeWith, ruleContextOf } from "../overlays/judge-case.ts";
import { casesOf } from "../overlays/rule-cases.ts";
import { operationsFor, overlayTexts, rulesOf } from "../overlays/shipped-overlay.ts";
import {
  DOCUMENTS_EXIST,
  documentText,
  exampleRequests,
  judgedCodes,
  loadDocument,
  OPERATORS,
  type Operator,
  withSupplyTypes,
} from "./operators-documents.ts";

/** A contradiction between an example and a rule of the same operator. The rule therefore only warns. */
interface Contradiction {
  readonly operator: Operator;
  readonly code: string;
  /** With `*` for every index. */
  readonly attr: string;
  readonly reason: string;
}

const CONTRADICTIONS: readonly Contradiction[] = OPERATORS.map((operator) => ({
  operator,
  code: "required_user_role",
  attr: "customers.*.non_field_errors",
  reason: "the examples have no roles, which the check requires; the deprecated role has a default",
}));

/** A day after the transactions in the examples, and before their scheduled payments. */
const DAYS: Readonly<Record<Operator, string>> = { gb: "2020-03-26", au: "2020-03-26" };

/** Settings of an instance that accepts the examples. */
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

/** Loads the document with its overlays and an operation for each schema with rules. */
function loadWith(operator: Operator): Contract {
  const document = { file: `${operator}.yml`, text: documentText(operator) };
  const published = publishedSchemas(operator);
  const known = isJsonObject(published) ? published : {};
  const names = rulesOf(operator).flatMap(({ schemas }) => schemas);
  const present = [...new Set(names)].filter((name) => Object.hasOwn(known, name));
  return loadContract([document, ...overlayTexts(operator), operationsFor(present)]);
}

function publishedSchemas(operator: Operator): JsonValue {
  return valueAt(loadDocument(operator).document, ["components", "schemas"]) ?? {};
}

/** Returns the `additionalProperties` of each nested schema, keyed by its place. */
function openings(value: JsonValue | undefined, place: string): ReadonlyMap<string, string> {
  if (!isJsonObject(value)) return new Map();
  const own = value["additionalProperties"];
  const below = Object.entries(value).flatMap(([name, member]) => [...openings(member, `${place}/${name}`)]);
  return new Map([...(own === undefined ? [] : [[place, JSON.stringify(own)] as const]), ...below]);
}

interface StringField {
  readonly field: string;
  /** The schema of the field as JSON, for text searches. */
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

describe.skipIf(!DOCUMENTS_EXIST).each(OPERATORS)(
  "overlay:%s on the published document (MIGRATE_SHARED)",
  (operator) => {
    const contract = DOCUMENTS_EXIST ? loadWith(operator) : undefined;
    if (contract === undefined) return;
    const { document } = contract;

    it("has no errors, and every target and field exists", () => {
      const own = contract.findings.filter(({ place }) =>
        overlayTexts(operator).some(({ file }) => file === place.file),
      );
      expect(own.map(({ place, message }) => `${place.file}:${place.line} ${message}`)).toEqual([]);
    });

    const cases = ["shared", operator]
      .flatMap(casesOf)
      .filter(({ on }) => valueAt(document, ["components", "schemas", on]) !== undefined);

    it.each(cases)("$file: $rule on $on gives the same result with the document's types", (one) => {
      const judge = judgeWith(contract, one);
      expect(one.passes.flatMap(judge)).toEqual([]);
      for (const payload of one.fails) {
        expect(judge(payload).toSorted()).toEqual(one.attr.map((attr) => `${one.severity} ${attr}`).toSorted());
      }
    });

    it("opens only objects without additionalProperties in the document", () => {
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

    it("has a rule for every code that can be checked before sending, or declares its fields unpublished", () => {
      const published = loadDocument(operator, "shipped");
      const coverage = coverageOf(published, ruleContextOf(published, {}));
      const judged = judgedCodes(operator);
      const local = [...judged].flatMap(([code, isLocal]) => (isLocal ? [code] : []));
      expect(coverage?.published).toEqual([...judged.keys()].toSorted());
      expect(coverage?.byClass.open).toEqual([]);
      const ruled = new Set(rulesOf(operator).map(({ code }) => code));
      const dead = new Set(coverage?.byClass["not-in-schema"]);
      expect(local.length).toBeGreaterThan(200);
      expect(local.filter((code) => !ruled.has(code) && !dead.has(code))).toEqual([]);
    });

    it("marks every field that the operator describes as a path or an S3 key as a document path", () => {
      const fields = stringFields(valueAt(document, ["components", "schemas"]));
      const ofDocuments = fields.filter(({ words }) => /S3|path_does_not_exist_in_file_store/i.test(words));
      expect(ofDocuments.length).toBeGreaterThanOrEqual(3);
      expect(ofDocuments.filter(({ marked }) => marked === undefined)).toEqual([]);
      expect(fields.filter(({ words, marked }) => marked !== undefined && !/S3/i.test(words))).toEqual([]);
    });

    it("accepts businesses with contracts if the instance enforces contracts, and checks the contracts of agreements", () => {
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
      const judge = compileRules(body, ruleContextOf({ ...contract, ruleDeclarations }, { rules: settings }), {
        keepValues: false,
      });
      const codes = (judge?.(payload, new Set()) ?? []).map(({ code }) => code);
      expect(codes).toContain("agreement_business_contract_identifier_not_declared");
    });

    it("reports only listed contradictions in the operator's own examples, as warnings", () => {
      const context = ruleContextOf(contract, { today: DAYS[operator], rules: { ...SETTINGS } });
      const own = CONTRADICTIONS.filter((one) => one.operator === operator);
      const found = exampleRequests(operator, contract).flatMap((example) => {
        const { title, operation } = example;
        const judge = operation.body && compileRules(operation.body, context, { keepValues: false });
        const problems = judge?.(withSupplyTypes(example), new Set()) ?? [];
        return problems.map(({ code, attr, severity }) => ({ title, code, attr: attrPattern(attr), severity }));
      });
      expect(found.filter(({ severity }) => severity === "error")).toEqual([]);
      const isKnown = (one: { readonly code: string; readonly attr: string }): boolean =>
        own.some(({ code, attr }) => code === one.code && attr === one.attr);
      expect(found.filter((one) => !isKnown(one))).toEqual([]);
      expect(own.filter(({ code, attr }) => !found.some((one) => one.code === code && one.attr === attr))).toEqual([]);
    });
  },
);

describe.skipIf(!DOCUMENTS_EXIST)("overlay:au on the published document (MIGRATE_SHARED)", () => {
  let contract: Contract;
  beforeAll(() => {
    contract = loadWithAgreement();
  });

  it.each([
    ["text that is not a number", "abc", "invalid"],
    ["an object", {}, "invalid"],
    ["a boolean", true, "invalid"],
    ["null", null, "null"],
    ["a decimal", "0.25", undefined],
  ])("validates rates in rate_overrides as decimals: %s", (_name, rate, code) => {
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
