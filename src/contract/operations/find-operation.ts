import type { AttrPath } from "../../json/attr.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { Failure } from "../../model/failure.ts";
import { didYouMean } from "../../text/suggestion.ts";
import type { Contract } from "../contract.ts";
import type { FieldType } from "../types/field-type.ts";
import { addressOf, type NamedOperation, type Operation, type RequestForm } from "./operation.ts";

/**
 * Finds an operation by its id ("import-account"), by method and path ("POST /data-import/accounts/"), or by its path
 * alone. In an id, case is ignored, and spaces, `-` and `_` are interchangeable. In a path, a leading `/v1` and a
 * trailing slash are ignored unless they distinguish operations. If `wanted` is undefined, finds the only operation
 * with a body and a key (`x-migrate-key`).
 *
 * Throws a Failure (`config`) that lists the operations if no operation or more than one operation matches.
 */
export function findOperation(contract: Contract, wanted: string | undefined): Operation {
  const { operations } = contract;
  if (wanted === undefined) return onlyOperation(contract);
  const matches = operationsNamed(operations, wanted);
  const [match, second] = matches;
  if (match !== undefined && second === undefined) return match;
  if (match !== undefined)
    throw operationFailure(`more than one operation matches "${wanted}"`, matches, "name one of");
  const message = `the contract has no operation "${wanted}"${suggestionFor(wanted, operations)}`;
  throw operationFailure(message, operations, "its operations are");
}

/**
 * Returns the type of the payload.
 * @throws Failure `contract_invalid` if records cannot be sent to the operation
 */
export function requireBody({ id, body }: Operation): FieldType {
  if (body !== undefined) return body;
  throw new Failure("contract_invalid", `records cannot be sent to the operation "${id}"`, {
    hint: "use --operation to choose a POST operation with a JSON request body",
  });
}

/**
 * Returns a suggestion, such as `; did you mean "POST /accounts/"?`, or an empty string. For an id, prefers a path that
 * contains its words, because operators may rename an id and keep the path.
 */
function suggestionFor(wanted: string, operations: readonly Operation[]): string {
  const paths = operations.map(addressOf);
  const ids = operations.map(({ id }) => id);
  if (wanted.includes("/")) return didYouMean(wanted, paths) || didYouMean(wanted, ids);
  const withBody = operations.filter(({ body }) => body !== undefined);
  const words = wordsOf(wanted);
  const nouns = words.filter((word) => !VERBS.has(word));
  return suggestPath(words, withBody) || didYouMean(wanted, [...ids, ...paths]) || suggestPath(nouns, withBody);
}

/** Suggests the operation whose path contains all of the words and the fewest other words, if there is one. */
function suggestPath(words: readonly string[], operations: readonly Operation[]): string {
  const fitting = operations
    .map((operation) => ({ operation, found: wordsOf(operation.path) }))
    .filter(({ found }) => words.length > 0 && words.every((word) => found.includes(word)))
    .toSorted((one, other) => one.found.length - other.found.length);
  return fitting[0] === undefined ? "" : `; did you mean "${addressOf(fitting[0].operation)}"?`;
}

/** Returns the words in lower case and in the singular, so that `importAccounts` and `/import/account/` match. */
function wordsOf(text: string): readonly string[] {
  const words = text.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").match(/[A-Za-z\d]+/g) ?? [];
  return words.map((word) => word.toLowerCase().replace(/(?<=[^s])s$/, ""));
}

const VERBS: ReadonlySet<string> = new Set([
  "add",
  "create",
  "import",
  "post",
  "put",
  "send",
  "submit",
  "update",
  "upsert",
]);

function onlyOperation({ operations }: Contract): Operation {
  const keyed = operations.filter((operation) => operation.body !== undefined && operation.key !== undefined);
  const [match, second] = keyed;
  if (match !== undefined && second === undefined) return match;
  const candidates = match === undefined ? operations.filter(({ body }) => body !== undefined) : keyed;
  const message =
    match === undefined
      ? "no operation of the contract has a business key (x-migrate-key)"
      : "several operations of the contract have a business key (x-migrate-key)";
  throw operationFailure(message, candidates, "choose with --operation");
}

/** Returns the operations that match a name, by the strictest matcher that matches any operation. */
export function operationsNamed<Named extends NamedOperation>(
  operations: readonly Named[],
  wanted: string,
): readonly Named[] {
  for (const isNamed of NAME_MATCHERS) {
    const matches = operations.filter((operation) => isNamed(operation, wanted.trim()));
    if (matches.length > 0) return matches;
  }
  return [];
}

/** From the strictest to the most tolerant. */
const NAME_MATCHERS: readonly ((operation: NamedOperation, wanted: string) => boolean)[] = [
  (operation, wanted) => operation.id === wanted,
  (operation, wanted) => samePath(addressOf(operation), wanted, (path) => path),
  (operation, wanted) => samePath(addressOf(operation), wanted, withoutSlash),
  (operation, wanted) => samePath(addressOf(operation), wanted, withoutVersion),
  (operation, wanted) => wanted.startsWith("/") && withoutSlash(operation.path) === withoutSlash(wanted),
  (operation, wanted) => wanted.startsWith("/") && withoutVersion(operation.path) === withoutVersion(wanted),
  (operation, wanted) => normalisedId(operation.id) === normalisedId(wanted),
];

function samePath(one: string, other: string, plain: (path: string) => string): boolean {
  const [method, path] = splitMethodAndPath(one);
  const [otherMethod, otherPath] = splitMethodAndPath(other);
  return method === otherMethod && path !== "" && plain(path) === plain(otherPath);
}

function splitMethodAndPath(text: string): readonly [method: string, path: string] {
  const [, method = "", path = ""] = /^(\w+)\s+(\/.*)$/.exec(text) ?? [];
  return [method.toUpperCase(), path];
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, "");
}

function withoutVersion(path: string): string {
  return withoutSlash(path).replace(/^\/v1(?=\/)/, "");
}

function normalisedId(id: string): string {
  return id.toLowerCase().replace(/[\s_-]+/g, "-");
}

const MAX_LISTED = 20;

function operationFailure(message: string, operations: readonly Operation[], lead: string): Failure {
  const listed = operations.slice(0, MAX_LISTED).map((operation) => `  ${addressOf(operation)}  (${operation.id})`);
  const more = operations.length > MAX_LISTED ? [`  and ${operations.length - MAX_LISTED} more`] : [];
  const hint =
    operations.length === 0
      ? "use a contract that has an operation with a request body"
      : [`${lead}:`, ...listed, ...more].join("\n");
  return new Failure("config", message, { hint });
}

/** An operation that accepts records but has no business key. */
export interface MissingKey {
  readonly operation: Operation;
  /** The field of the payload that most resembles a business key; absent if none does. */
  readonly candidate?: string;
}

/** Returns the operations with a request body but without a declared business key, in the contract's order. */
export function missingKeys(operations: readonly Operation[]): readonly MissingKey[] {
  return operations.flatMap((operation) => {
    if (operation.body === undefined || operation.key !== undefined) return [];
    const candidate = keyCandidate(operation)?.join(".");
    return [{ operation, ...definedMembers({ candidate }) }];
  });
}

/** Patterns for the identifier of a record outside the platform, most specific first. */
const KEY_NAME_PATTERNS = [
  /^external_.*(?:number|reference|identifier|id)$/,
  /(?:number|reference|identifier|key)$/,
  /_id$/,
];

/** Returns the field of the payload that most resembles a business key, or undefined if no field does. */
export function keyCandidate({ body }: RequestForm): AttrPath | undefined {
  if (body?.kind !== "object") return undefined;
  const texts = [...body.properties.values()].filter(({ type }) => type.kind === "text").map(({ name }) => name);
  const name = KEY_NAME_PATTERNS.flatMap((pattern) => texts.filter((text) => pattern.test(text)))[0];
  return name === undefined ? undefined : [name];
}
