import { describe, expect, test } from "vitest";
import { findOperation } from "../../../src/contract/operations/find-operation.ts";
import { errorReachedBy } from "../../../src/contract/operations/reached-findings.ts";
import { loadContract } from "../../../src/contract/load-contract.ts";

function operationWith(schema: object, more: object = {}): object {
  return { requestBody: { content: { "application/json": { schema } } }, responses: {}, ...more };
}

const BROKEN = { $ref: "#/components/schemas/Gone" };
const SCHEMAS = {
  Sound: { type: "object", properties: { ref: { type: "string" } } },
  Whole: { type: "object", properties: { part: { $ref: "#/components/schemas/Part" } } },
  Part: { type: "object", properties: { lost: BROKEN } },
  Either: {
    oneOf: [{ $ref: "#/components/schemas/Sound" }],
    discriminator: { propertyName: "ref", mapping: { a: "Part" } },
  },
};

function contractWith(paths: object): ReturnType<typeof loadContract> {
  const document = { openapi: "3.0.3", info: { title: "T", version: "1" }, paths, components: { schemas: SCHEMAS } };
  return loadContract([{ file: "contract.json", text: JSON.stringify(document) }]);
}

describe("a broken reference", () => {
  const contract = contractWith({
    "/sound/": { post: operationWith({ $ref: "#/components/schemas/Sound" }) },
    "/direct/": { post: operationWith(BROKEN) },
    "/through/": { post: operationWith({ $ref: "#/components/schemas/Whole" }) },
    "/mapped/": { post: operationWith({ $ref: "#/components/schemas/Either" }) },
    "/stepwise/": {
      post: operationWith(
        { $ref: "#/components/schemas/Sound" },
        { "x-migrate-steps": [{ kind: "process", operation: "POST /direct/" }] },
      ),
    },
  });
  const reached = (name: string): string | undefined =>
    errorReachedBy(contract, findOperation(contract, name))?.message;

  test("does not block an operation that does not reach it", () => {
    expect(reached("POST /sound/")).toBeUndefined();
    expect(errorReachedBy(contract)).toBeUndefined();
  });

  test.each(["POST /direct/", "POST /through/", "POST /mapped/", "POST /stepwise/"])(
    "blocks %s, which reaches the reference",
    (name) => {
      expect(reached(name)).toContain("Gone");
    },
  );
});

test("an error in the document as a whole affects every operation", () => {
  const contract = contractWith({});
  expect(errorReachedBy(contract)?.code).toBe("no-operations");
});
