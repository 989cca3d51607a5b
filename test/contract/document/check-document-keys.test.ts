import { describe, expect, it } from "vitest";
import type { ContractFinding } from "../../../src/contract/contract-findings.ts";
import { loadContract } from "../../../src/contract/load-contract.ts";

const DOCUMENT = `openapi: 3.1.0
info: { title: T, version: v }
component: {}
x-migrate-key: ref
x-team: us
components:
  schema: {}
paths:
  x-migrate-key: ref
  things: {}
  /things/:
    x-migrate-wrap: payload
    Post: {}
    post:
      requestBody:
        requird: true
        content:
          application/json:
            schemas: {}
            schema: { type: object }
      responses: { 201: { content: { application/json: { schema: { properties: { account_number: {} } } } } } }
`;

describe("keys around operations and schemas", () => {
  it("are reported if they are unknown or misplaced (a misplaced x-migrate key used to be ignored)", () => {
    const { findings } = loadContract([{ file: "c.yaml", text: DOCUMENT }]);
    expect(findings.map(asLine)).toEqual([
      '3 warning "component" is not part of an OpenAPI document; did you mean "components"?',
      '4 warning "x-migrate-key" has no effect on an OpenAPI document',
      '7 warning "schema" is not part of components; did you mean "schemas"?',
      '9 warning "x-migrate-key" has no effect on paths',
      '10 warning "things" is not part of paths',
      '12 warning "x-migrate-wrap" has no effect on a path',
      '13 warning "Post" is not part of a path; did you mean "post"?',
      '16 warning "requird" is not part of a request body; did you mean "required"?',
      '19 warning "schemas" is not part of a media type; did you mean "schema"?',
      '5 info "x-team" is not an extension that migrate supports; it is ignored',
    ]);
  });

  it("are reported as missing if a document has no operations", () => {
    const { findings } = loadContract([{ file: "c.yaml", text: "openapi: 3.0.3\npaths: {}\n" }]);
    expect(findings.map(asLine)).toEqual(["2 error the document has no operations"]);
  });
});

function asLine({ place, severity, message }: ContractFinding): string {
  return `${place.line} ${severity} ${message}`;
}
