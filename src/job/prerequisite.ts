import type { Contract } from "../contract/contract.ts";
import { findOperation } from "../contract/operations/find-operation.ts";
import type { Operation, OperationAddress } from "../contract/operations/operation.ts";
import { namesInPath } from "../contract/operations/request-parameters.ts";
import { type AttrPath, formatAttr } from "../json/attr.ts";
import type { MappingDocument } from "../map/document/mapping-document.ts";
import type { Mapping } from "../map/mapping.ts";
import { Failure } from "../model/failure.ts";

/** The operation whose records must be accepted first, and the attr with which a payload refers to such a record. */
export interface Prerequisite {
  readonly operation: Operation;
  readonly key: AttrPath;
  readonly isOwnKey: boolean;
}

/**
 * Returns the prerequisite that `after` in a mapping declares. If `after` names no attr, both records have the same
 * key.
 * @throws Failure `mapping_invalid` if no attr refers to the prerequisite, if the mapping does not set one of its path
 * parameters, or if every record would depend on itself
 */
export function prerequisiteOf(
  document: MappingDocument,
  own: Operation,
  { contract, mapping: { keyAttr } }: { readonly contract: Contract; readonly mapping: Mapping },
): Prerequisite | undefined {
  const { after, file, lineOf } = document;
  if (after === undefined) return undefined;
  const attr = after.key ?? keyAttr;
  const place = { file, line: lineOf(["after"]) };
  const refused = (message: string, hint: string): Failure => new Failure("mapping_invalid", message, { hint, place });
  if (attr === undefined) {
    throw refused(
      "`after` does not specify which attr of a payload refers to the other record",
      "write `after: { operation: ..., key: ... }`, or set `key` in the mapping",
    );
  }
  const operation = findOperation(contract, after.operation);
  const missing = namesInPath(operation.path).find((name) => document.parameters[name] === undefined);
  if (missing !== undefined) {
    throw refused(
      `\`after\` names an operation with the path parameter "${missing}", which this mapping does not set`,
      `the records of ${operation.id} are identified by their key and their path parameters: set the same parameters, or name another operation`,
    );
  }
  const isOwnKey = keyAttr !== undefined && formatAttr(attr) === formatAttr(keyAttr);
  const { method, path } = operation;
  const addresses: readonly OperationAddress[] = [own, ...own.steps.map((step) => step.operation)];
  if (!isOwnKey || !addresses.some((one) => one.method === method && one.path === path)) {
    return { operation, key: attr, isOwnKey };
  }
  throw refused(
    "`after` names this mapping's own operation, so every record would wait for itself",
    "set `after` to the operation whose records must be accepted first, or use `after: { operation: ..., key: ... }` with another attr",
  );
}
