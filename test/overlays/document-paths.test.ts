import { describe, expect, it } from "vitest";
import { findOperation } from "../../src/contract/operations/find-operation.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import { compileValidator } from "../../src/validate/compile-validator.ts";
import { operationsFor, OPERATORS, overlayTexts } from "./shipped-overlay.ts";

/** Shortened versions of the schemas that the operators publish. */
const DOCUMENT = `
openapi: 3.0.3
info: { title: Documents, version: "1" }
paths: {}
components:
  schemas:
    NoteDocument: { type: object, properties: { document_path: { type: string } } }
    Statement: { type: object, properties: { statement_path: { type: string } } }
    AusStatement: { type: object, properties: { statement_path: { type: string } } }
    PartnerFileAttachment: { type: object, properties: { s3_key: { type: string } } }
    PartnerOrganisation: { type: object, properties: { source_reference_s3_key: { type: string } } }
`;

const FIELDS = [
  ["NoteDocument", "document_path"],
  ["Statement", "statement_path"],
  ["AusStatement", "statement_path"],
  ["PartnerFileAttachment", "s3_key"],
  ["PartnerOrganisation", "source_reference_s3_key"],
] as const;

describe.each(OPERATORS)("overlay:%s", (operator) => {
  const schemas = FIELDS.map(([schema]) => schema);
  const contract = loadContract([
    { file: "documents.yaml", text: DOCUMENT },
    ...overlayTexts(operator),
    operationsFor(schemas),
  ]);

  const problemsOf = (schema: string, field: string, value: string): readonly string[] => {
    const { body } = findOperation(contract, schema);
    if (body === undefined) throw new Error(`there is no schema ${schema}`);
    return compileValidator(body, { keepValues: false, documentRoot: "sftp/spring" })({ [field]: value }).map(
      ({ code }) => code,
    );
  };

  it.each(FIELDS)("rejects paths in %s that leave the root or are absolute", (schema, field) => {
    for (const path of ["../../etc/passwd", "/notes/1234/attachment.jpg", "2024/../../up.pdf", "%2e%2e/up.pdf"]) {
      expect(problemsOf(schema, field, path)).toEqual(["unsafe_document_path"]);
    }
    expect(problemsOf(schema, field, "some/path/to/a/document.pdf")).toEqual([]);
  });

  it("allows the root at the start of a full key in another file store, but not at the start of a document path", () => {
    expect(problemsOf("PartnerFileAttachment", "s3_key", "sftp/spring/letter.pdf")).toEqual([]);
    expect(problemsOf("NoteDocument", "document_path", "sftp/spring/letter.pdf")).toEqual(["unsafe_document_path"]);
  });
});
