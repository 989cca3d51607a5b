import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { findOperation } from "../../src/contract/operations/find-operation.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import type { Operation } from "../../src/contract/operations/operation.ts";
import type { FieldType } from "../../src/contract/types/field-type.ts";
import { attrPattern } from "../../src/json/attr.ts";
import { isJsonObject, type JsonObject } from "../../src/json/json-value.ts";
import { compileJudge, type Judge } from "../../src/sandbox/judge/judge.ts";
import { compileValidator, type FoundProblem, type Validate } from "../../src/validate/compile-validator.ts";
import {
  DOCUMENTS_EXIST,
  documentText,
  exampleRequests,
  foreignRequests,
  loadDocument,
  OPERATORS,
  sampleRequests,
  type Example,
  type Operator,
} from "./operators-documents.ts";

/** A contradiction between an example and its own document. */
interface Contradiction {
  readonly operator: Operator;
  /** Prefix of the operation's id. */
  readonly operation: string;
  readonly code: string;
  /** With `*` for every index. */
  readonly attrs: readonly string[];
  readonly reason: string;
}

/** Occurs only without the shipped overlays, which declare where blank text is allowed. */
const BLANK =
  "the platform refuses blank text unless the field allows it, and no field of the document does (no minLength: 0)";

/** Occurs only with the shipped overlays, which mark document paths. */
const LEADING_SLASH =
  "a leading slash in a path that both documents call relative, and that other examples write without the slash";

const CONTRADICTIONS: readonly Contradiction[] = [
  {
    operator: "gb",
    operation: "",
    code: "invalid_choice",
    attrs: ["import_supplier"],
    reason: "TENTACLE_ENERGY is not an import supplier of this instance; the enum is generated from its data",
  },
  {
    operator: "au",
    operation: "",
    code: "invalid_choice",
    attrs: ["import_supplier", "import_supplier_code"],
    reason: "TENTACLE_ENERGY and TENTACLE_UTILITIES are not import suppliers of this instance",
  },
  {
    operator: "au",
    operation: "V1 Create",
    code: "invalid_choice",
    attrs: ["vendor"],
    reason: "this instance has a single vendor, which is not STRIPE",
  },
  {
    operator: "gb",
    operation: "V1 Create Transactions",
    code: "unknown_field",
    attrs: ["transactions.*.reference"],
    reason: "charges and credits have no reference in the document; payments and repayments do",
  },
  {
    operator: "gb",
    operation: "V2",
    code: "unknown_field",
    attrs: ["ledgers"],
    reason: "the document has no ledgers",
  },
  {
    operator: "gb",
    operation: "V2",
    code: "invalid_choice",
    attrs: ["account_campaigns.*.slug"],
    reason: "super_account is not among the instance's 428 campaigns",
  },
  {
    operator: "gb",
    operation: "V2",
    code: "blank",
    attrs: [
      "billing_address2",
      "billing_address3",
      "billing_address4",
      "billing_address5",
      "sales_subchannel",
      "supply_addresses.*.supply_address2",
      "supply_addresses.*.supply_address3",
      "supply_addresses.*.supply_address4",
      "supply_addresses.*.supply_address5",
    ],
    reason: BLANK,
  },
  ...OPERATORS.map((operator) => ({
    operator,
    operation: "V2",
    code: "unsafe_document_path",
    attrs: ["notes.*.document_paths.*.document_path", "statements.*.statement_path"],
    reason: LEADING_SLASH,
  })),
  {
    operator: "au",
    operation: "V2",
    code: "blank",
    attrs: [
      "billing_address3",
      "billing_address4",
      "supply_addresses.*.meter_points.*.address.floor_or_level_number",
      "supply_addresses.*.meter_points.*.address.house.*.house_number_suffix",
      "supply_addresses.*.meter_points.*.address.location_descriptor",
      "supply_addresses.*.meter_points.*.address.lot_number",
    ],
    reason: BLANK,
  },
  {
    operator: "au",
    operation: "V2",
    code: "invalid",
    attrs: ["supply_addresses.*.meter_points.*.meters.*.active_from"],
    reason: "2001-01-01:00:00:00+10:00 is not a date-time: it has a colon in place of the T",
  },
  {
    operator: "au",
    operation: "V1 Create Transactions",
    code: "required",
    attrs: ["transactions.*.line_items.*.params"],
    reason: "params is required in the document's line items",
  },
];

/**
 * Conversions that examples rely on: values with another JSON type, or a date instead of a date-time. The platform
 * converts such values, as the fields of the Django REST framework do.
 */
const COERCIONS: ReadonlySet<string> = new Set(["number decimal", "string integer", "date date-time"]);

describe.skipIf(!DOCUMENTS_EXIST)("operators' example requests (MIGRATE_SHARED)", () => {
  const used = new Set<Contradiction>();

  const variants = OPERATORS.flatMap((operator) => [[operator, "wrapped"] as const, [operator, "shipped"] as const]);

  describe.each(variants)("%s, %s", (operator, overlay) => {
    const contract = DOCUMENTS_EXIST ? loadDocument(operator, overlay) : undefined;
    const known = CONTRADICTIONS.filter(({ reason }) => reason !== (overlay === "wrapped" ? LEADING_SLASH : BLANK));
    const examples = contract === undefined ? [] : exampleRequests(operator, contract);

    it("are the same in the document and in the files", () => {
      const inside = new Map(examples.map(({ operation, title, payload }) => [nameOf(operation.id, title), payload]));
      expect(inside).toEqual(sampleRequests(operator));
    });

    it.each(examples)("$title has only the listed contradictions", (example) => {
      const problems = problemsOf(example);
      const errors = problems.filter(({ severity }) => severity === "error");
      expect(
        errors.filter((problem) => !isExplained(problem, { operator, example, known, used })).map(attrAndCode),
      ).toEqual([]);
      const warnings = problems.filter(({ severity }) => severity === "warning");
      expect(warnings.filter((problem) => !isCoercion(problem)).map(attrAndCode)).toEqual([]);
    });

    const judges = new Map<Operation, Judge>();

    it.each(examples)("$title has the same problems in the sandbox", ({ operation, payload }) => {
      if (contract === undefined) throw new Error("no contract");
      const judge = judges.get(operation) ?? compileJudge(contract.document, operation);
      judges.set(operation, judge);
      const judged = judge(wireBody(operation, payload));
      const wrap = operation.wrap === undefined ? "" : `${operation.wrap}.`;
      const errors = problemsOf({ operation, payload, title: "" }).filter(({ severity }) => severity === "error");
      const local = errors.map(({ attr, code }) => `${wrap}${attr} ${code}`);
      expect([...new Set(judged.map(({ attr, code }) => `${attr} ${code}`))].toSorted()).toEqual(local.toSorted());
    });
  });

  it.each(OPERATORS)("%s: examples of the asynchronous API are not wrapped, although their schemas are", (operator) => {
    for (const { operation, payload } of exampleRequests(operator, loadDocument(operator))) {
      if (!operation.path.startsWith("/v2/")) continue;
      const codes = problemsOf({ operation, payload, title: "" }).map(attrAndCode);
      expect(codes).toContain("payload required");
      expect(codes).toContain("import_supplier unknown_field");
    }
  });

  it("the overlay in docs/contract.md opens enumerations that differ between instances", () => {
    const page = readFileSync(new URL("../../docs/contract.md", import.meta.url), "utf8");
    const [, text = ""] = [...page.matchAll(/```yaml\n(overlay: 1[^`]*)```/g)].map(([, overlay]) => overlay);
    const document = { file: "gb.yml", text: documentText("gb") };
    const contract = loadContract([document, { file: "overlay.yml", text }]);
    expect(contract.findings.filter(({ place }) => place.file === "overlay.yml")).toEqual([]);
    const operation = findOperation(contract, "V1 Validate Account");
    const payload = { import_supplier: "TEST_SUPPLIER", account_campaigns: [{ slug: "super_account" }] };
    const found = problemsOf({ operation, payload, title: "" }).filter(({ code }) => code === "invalid_choice");
    expect(found).toEqual([]);
  });

  it.each(foreignRequests().filter(([, data]) => isJsonObject(data)))(
    "%s of another operator is validated without throwing",
    (_, data) => {
      for (const operator of OPERATORS) {
        for (const { body } of loadDocument(operator, "shipped").operations) {
          if (body === undefined || !isJsonObject(data)) continue;
          const problems = validatorOf(body)(data);
          expect(problems.filter(({ attr }) => attr === "")).toEqual([]);
        }
      }
    },
  );

  it("contain every listed contradiction", () => {
    expect(CONTRADICTIONS.filter((contradiction) => !used.has(contradiction))).toEqual([]);
  });
});

function wireBody({ wrap, path }: Operation, payload: JsonObject): JsonObject {
  if (wrap === undefined) return payload;
  return path.endsWith("/accounts/") ? { task_params: {}, [wrap]: payload } : { [wrap]: payload };
}

/** Returns the name of an example, such as `v1-create-transactions ExamplePayload`. */
function nameOf(id: string, title: string): string {
  const name = title.slice(title.indexOf(": ") + 2);
  return `${id.toLowerCase().replaceAll(" ", "-")} ${name.replaceAll(" ", "")}`;
}

function problemsOf({ operation, payload }: Example): readonly FoundProblem[] {
  if (operation.body === undefined) throw new Error("no body");
  return validatorOf(operation.body)(payload);
}

const validators = new Map<FieldType, Validate>();

function validatorOf(body: FieldType): Validate {
  const validate = validators.get(body) ?? compileValidator(body, { keepValues: false });
  validators.set(body, validate);
  return validate;
}

interface Explaining {
  readonly operator: Operator;
  readonly example: Example;
  readonly known: readonly Contradiction[];
  readonly used: Set<Contradiction>;
}

function isExplained(problem: FoundProblem, { operator, example, known, used }: Explaining): boolean {
  const reason = known.find(
    (one) =>
      one.operator === operator &&
      one.code === problem.code &&
      example.operation.id.startsWith(one.operation) &&
      one.attrs.includes(attrPattern(problem.attr)),
  );
  if (reason !== undefined) used.add(reason);
  return reason !== undefined;
}

function isCoercion(problem: FoundProblem): boolean {
  return problem.code === "coerced" && COERCIONS.has(`${problem.from} ${problem.to}`);
}

function attrAndCode({ attr, code }: FoundProblem): string {
  return `${attr} ${code}`;
}
