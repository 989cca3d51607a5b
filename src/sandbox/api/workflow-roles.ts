import type { Contract } from "../../contract/contract.ts";
import type { Operation, OutcomeRule, BodySource, Poll, ReadBack, Step } from "../../contract/operations/operation.ts";
import { type AttrPath, formatAttr } from "../../json/attr.ts";

/** The role of a POST operation in a workflow of the contract. */
export interface PostRole {
  readonly kind: Step["kind"];
  /** Path of the business key in the request body. */
  readonly key: AttrPath;
  /** Path of the import supplier's code in the request body; undefined if the payload has none. */
  readonly supplier: AttrPath | undefined;
  /** Path of the account number in an "already imported" reply. */
  readonly existingAccount: AttrPath;
  /** The code of an "already imported" reply, if the contract declares one. */
  readonly existingCode: string | undefined;
  /** Path of the account number in a success reply. */
  readonly account: AttrPath;
  /** Whether another operation reports the reasons why this operation refuses a record. */
  readonly hasSeparateValidation: boolean;
}

/** The role of a GET operation: it reports the status of an import, or returns imported accounts. */
export interface GetRole {
  readonly path: string;
  /** The name of the path parameter for the supplier; undefined if the operation has none. */
  readonly supplier: string | undefined;
  /** The name of the path parameter for the business key; undefined if the operation has none. */
  readonly key: string | undefined;
  readonly describedBy: { readonly poll: Poll } | { readonly readBack: ReadBack };
  /**
   * Whether a single request creates the account. The reply to that request contains the account number in the
   * documented form, which can differ from `ImportedAccount.number`.
   */
  readonly isSingleRequest: boolean;
}

/** Returns the path of an operation from the root of the instance. */
export function pathOnInstance({ path }: { readonly path: string }): string {
  return /^\/v\d+\//.test(path) ? path : `/v1${path}`;
}

/** Returns the roles of the POST operations that workflows use, by operation id. */
export function postRoles({ operations }: Contract): ReadonlyMap<string, PostRole> {
  const roles = new Map<string, PostRole>();
  for (const owner of operations) {
    for (const step of owner.steps) roles.set(step.operation.id, postRole(step, owner));
    for (const { reasons } of owner.steps) {
      if (reasons === undefined || roles.has(reasons.id)) continue;
      roles.set(reasons.id, postRole({ name: "validate", kind: "validate", operation: reasons }, owner));
    }
  }
  return roles;
}

function postRole({ kind, operation, body, reasons }: Step, owner: Operation): PostRole {
  const { outcomes } = operation;
  const there = outcomes.find((rule) => reportsExisting(rule) && rule.account !== undefined);
  const success = outcomes.find((rule) => rule.outcome === "accepted" && !isRefusal(rule));
  const fields = operation.wrap === undefined ? body : undefined;
  return {
    kind,
    key: fieldFor(keyOf(owner), fields) ?? keyOf(owner),
    supplier: fieldFor(owner.supplier, fields) ?? owner.supplier,
    existingAccount: there?.account ?? ["account_number"],
    existingCode: there?.code,
    account: success?.account ?? ["account_number"],
    hasSeparateValidation: reasons !== undefined,
  };
}

function reportsExisting(rule: OutcomeRule): boolean {
  return rule.outcome === "exists" || (rule.outcome === "accepted" && isRefusal(rule));
}

function isRefusal({ status }: OutcomeRule): boolean {
  return status === "4xx" || (typeof status === "number" && status >= 400);
}

function keyOf({ key = ["external_account_number"] }: Operation): AttrPath {
  return key;
}

/** Returns the field of the body that receives an attr of the payload. */
function fieldFor(
  attr: AttrPath | undefined,
  body: Readonly<Record<string, BodySource>> | undefined,
): AttrPath | undefined {
  const field = Object.entries(body ?? {}).find(([, source]) => "attr" in source && isSame(source.attr, attr));
  return field && [field[0]];
}

function isSame(one: AttrPath, other: AttrPath | undefined): boolean {
  return other !== undefined && formatAttr(one) === formatAttr(other);
}

export function getRoles({ operations }: Contract): readonly GetRole[] {
  const roles = new Map<string, GetRole>();
  for (const owner of operations) {
    const polls = owner.steps.flatMap(({ poll }) =>
      poll === undefined ? [] : [{ lookup: poll, describedBy: { poll } }],
    );
    const reads = owner.readBack.map((readBack) => ({ lookup: readBack, describedBy: { readBack } }));
    for (const { lookup, describedBy } of [...polls, ...reads]) {
      const { path } = lookup.operation;
      const named = Object.entries(lookup.parameters);
      const key = named.find(([, attr]) => isSame(attr, keyOf(owner)))?.[0];
      const supplier = named.find(([, attr]) => isSame(attr, owner.supplier))?.[0];
      const isSingleRequest = owner.steps.length === 0;
      if (!roles.has(path)) roles.set(path, { path, supplier, key, describedBy, isSingleRequest });
    }
  }
  return [...roles.values()];
}
