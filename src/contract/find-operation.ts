import { Failure } from "../model/failure.ts";
import type { Contract, Operation } from "./contract.ts";
import { suggest } from "../model/suggest.ts";

/**
 * The operation that the user means: by its id ("import-account"; case, spaces, `-` and `_` do not count), by method
 * and path ("POST /data-import/accounts/"), or by its path alone. A leading `/v1` and a trailing slash do not count
 * unless they make the difference. Undefined: the only operation with a body and a key (`x-migrate-key`).
 *
 * Throws a Failure (`config`) that lists what there is when no operation or more than one fits.
 */
export function findOperation(contract: Contract, wanted: string | undefined): Operation {
  const { operations } = contract;
  if (wanted === undefined) return onlyOperation(contract);
  const matches = operationsNamed(operations, wanted);
  const [match, second] = matches;
  if (match !== undefined && second === undefined) return match;
  if (match !== undefined) throw refusal(`more than one operation fits "${wanted}"`, matches, "name one of");
  const near = suggest(
    wanted,
    operations.flatMap((operation) => [operation.id, methodAndPath(operation)]),
  );
  const question = near === undefined ? "" : `; did you mean "${near}"?`;
  throw refusal(`the contract has no operation "${wanted}"${question}`, operations, "there is");
}

function onlyOperation({ operations }: Contract): Operation {
  const keyed = operations.filter((operation) => operation.body !== undefined && operation.key !== undefined);
  const [match, second] = keyed;
  if (match !== undefined && second === undefined) return match;
  const candidates = match === undefined ? operations.filter(({ body }) => body !== undefined) : keyed;
  throw refusal("the contract does not tell which operation is meant", candidates, "choose with --operation");
}

/** The operations that a name fits, read as strictly as it can be. */
export function operationsNamed<Named extends NamedOperation>(
  operations: readonly Named[],
  wanted: string,
): readonly Named[] {
  for (const form of FORMS) {
    const matches = operations.filter((operation) => form(operation, wanted.trim()));
    if (matches.length > 0) return matches;
  }
  return [];
}

type NamedOperation = Pick<Operation, "id" | "method" | "path">;

/** From the strictest to the most tolerant; the first that fits any operation decides. */
const FORMS: readonly ((operation: NamedOperation, wanted: string) => boolean)[] = [
  (operation, wanted) => operation.id === wanted,
  (operation, wanted) => samePath(methodAndPath(operation), wanted, (path) => path),
  (operation, wanted) => samePath(methodAndPath(operation), wanted, withoutSlash),
  (operation, wanted) => samePath(methodAndPath(operation), wanted, withoutVersion),
  (operation, wanted) => wanted.startsWith("/") && withoutSlash(operation.path) === withoutSlash(wanted),
  (operation, wanted) => wanted.startsWith("/") && withoutVersion(operation.path) === withoutVersion(wanted),
  (operation, wanted) => plainId(operation.id) === plainId(wanted),
];

function methodAndPath({ method, path }: NamedOperation): string {
  return `${method} ${path}`;
}

function samePath(one: string, other: string, plain: (path: string) => string): boolean {
  const [method, path] = split(one);
  const [otherMethod, otherPath] = split(other);
  return method === otherMethod && path !== "" && plain(path) === plain(otherPath);
}

function split(text: string): readonly [method: string, path: string] {
  const [, method = "", path = ""] = /^(\w+)\s+(\/.*)$/.exec(text) ?? [];
  return [method.toUpperCase(), path];
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, "");
}

function withoutVersion(path: string): string {
  return withoutSlash(path).replace(/^\/v1(?=\/)/, "");
}

function plainId(id: string): string {
  return id.toLowerCase().replace(/[\s_-]+/g, "-");
}

const MOST_LISTED = 20;

function refusal(message: string, operations: readonly Operation[], lead: string): Failure {
  const listed = operations
    .slice(0, MOST_LISTED)
    .map((operation) => `  ${methodAndPath(operation)}  (${operation.id})`);
  const more = operations.length > MOST_LISTED ? [`  and ${operations.length - MOST_LISTED} more`] : [];
  const hint =
    operations.length === 0
      ? "give a contract that has an operation with a request body"
      : [`${lead}:`, ...listed, ...more].join("\n");
  return new Failure("config", message, { hint });
}
