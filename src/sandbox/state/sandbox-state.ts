import { hash } from "node:crypto";
import type { Contract } from "../../contract/contract.ts";
import type { FieldType } from "../../contract/types/field-type.ts";
import type { JsonObject } from "../../json/json-value.ts";
import type { SupplierStatus } from "../../model/supplier-status.ts";
import type { LoginAttempt } from "../sandbox-reply.ts";

export interface AccountIdentity {
  readonly supplier: string;
  /** The business key, which is the account's number in the old system. */
  readonly key: string;
}

interface NewAccount extends AccountIdentity {
  /** ISO 8601 UTC. */
  readonly importedAt: string;
  readonly payload: JsonObject;
}

export interface ImportedAccount extends NewAccount {
  /** The account number: `A-` and eight hexadecimal digits. */
  readonly number: string;
  /** Fingerprints of the notes added after the import. */
  readonly notes: readonly string[];
}

/** The state of the platform as stored in the data file. */
export interface StateSnapshot {
  readonly suppliers: Readonly<Record<string, SupplierStatus>>;
  readonly accounts: readonly ImportedAccount[];
}

export interface SandboxState {
  readonly supplierStatus: (code: string) => SupplierStatus | undefined;
  readonly setSupplier: (code: string, status: SupplierStatus) => void;
  readonly accounts: () => readonly ImportedAccount[];
  readonly findAccount: (number: string) => ImportedAccount | undefined;
  /** Returns the first account that was created for this key. */
  readonly findByKey: (supplier: string, key: string) => ImportedAccount | undefined;
  /** Returns the import supplier of the first account that was created for this key. */
  readonly supplierOf: (key: string) => string | undefined;
  readonly addAccount: (account: NewAccount) => ImportedAccount;
  readonly addNotes: (number: string, fingerprints: readonly string[]) => void;
  readonly snapshot: () => StateSnapshot;
  /** Removes all accounts and restores the initial suppliers. */
  readonly reset: () => void;
}

export function createState(
  suppliers: Readonly<Record<string, SupplierStatus>>,
  stored: StateSnapshot | undefined,
  onChange: () => void,
): SandboxState {
  const statuses = new Map(Object.entries({ ...suppliers, ...stored?.suppliers }));
  const byNumber = new Map<string, ImportedAccount>();
  const byKey = new Map<string, string>();
  const supplierByKey = new Map<string, string>();
  for (const account of stored?.accounts ?? []) remember(account);

  function remember(account: ImportedAccount): void {
    byNumber.set(account.number, account);
    const key = keyOfAccount(account);
    if (!byKey.has(key)) byKey.set(key, account.number);
    if (!supplierByKey.has(account.key)) supplierByKey.set(account.key, account.supplier);
  }

  return {
    supplierStatus: (code) => statuses.get(code),
    setSupplier: (code, status) => {
      statuses.set(code, status);
      onChange();
    },
    accounts: () => [...byNumber.values()],
    findAccount: (number) => byNumber.get(number),
    findByKey: (supplier, key) => byNumber.get(byKey.get(keyOfAccount({ supplier, key })) ?? ""),
    supplierOf: (key) => supplierByKey.get(key),
    addAccount: (fields) => {
      const account = { ...fields, number: unusedNumber(fields.supplier, fields.key, byNumber), notes: [] };
      remember(account);
      onChange();
      return account;
    },
    addNotes: (number, fingerprints) => {
      const account = byNumber.get(number);
      if (account === undefined) return;
      byNumber.set(number, { ...account, notes: [...account.notes, ...fingerprints] });
      onChange();
    },
    snapshot: () => ({ suppliers: Object.fromEntries(statuses), accounts: [...byNumber.values()] }),
    reset: () => {
      statuses.clear();
      for (const [code, status] of Object.entries(suppliers)) statuses.set(code, status);
      byNumber.clear();
      byKey.clear();
      supplierByKey.clear();
      onChange();
    },
  };
}

export function keyOfAccount({ supplier, key }: AccountIdentity): string {
  return JSON.stringify([supplier, key]);
}

/**
 * Derives an unused account number from the supplier and the key. A key gets the same number in every sandbox, so that
 * examples are reproducible.
 */
function unusedNumber(supplier: string, key: string, taken: ReadonlyMap<string, unknown>): string {
  for (let round = 0; ; round += 1) {
    const digest = hash("sha256", JSON.stringify([supplier, key, round]));
    const number = `A-${digest.slice(0, 8).toUpperCase()}`;
    if (!taken.has(number)) return number;
  }
}

const SUPPLIER_FIELDS = ["import_supplier", "import_supplier_code"];

/** Returns the import suppliers that the contract enumerates or, if it enumerates none, `SANDBOX`. All are ongoing. */
export function defaultSuppliers(contract: Contract): Readonly<Record<string, SupplierStatus>> {
  const enumerated = contract.operations.flatMap(({ body }) =>
    SUPPLIER_FIELDS.flatMap((name) => choicesAt(body, name)),
  );
  const codes = enumerated.length > 0 ? enumerated : ["SANDBOX"];
  return Object.fromEntries(codes.map((code) => [code, "Ongoing" as const]));
}

function choicesAt(body: FieldType | undefined, name: string): readonly string[] {
  const type = body?.kind === "object" ? body.properties.get(name)?.type : undefined;
  return type?.kind === "choice" ? type.choices.map(String).filter((code) => code !== "") : [];
}

interface ReceivedRequest {
  /** Time of arrival, ISO 8601 UTC. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
}

/** One request that the platform received. Contains no payload values and no credentials. */
export interface HistoryEntry extends ReceivedRequest {
  /** Number of the request, counted from 1 in the order of arrival. */
  readonly request: number;
  /** The business key in the payload, if it has one. */
  readonly key?: string;
  /** The kind of credential in a token request and, if the request was refused, the code of the refusal. */
  readonly login?: LoginAttempt;
  /** The status that the client received. Absent before the reply, and if the client received none (reset or hang). */
  readonly status?: number;
  /**
   * Whether the platform processed the request (account created, notes added, token issued), even if the reply was
   * lost.
   */
  readonly processed: boolean;
}

export interface RequestHistory {
  readonly entries: () => readonly HistoryEntry[];
  /** Records a request. The returned function adds its outcome. */
  readonly record: (request: ReceivedRequest) => (more: Partial<HistoryEntry>) => void;
  readonly clear: () => void;
}

export function createRequestHistory(): RequestHistory {
  let entries: HistoryEntry[] = [];
  let count = 0;
  return {
    entries: () => entries,
    record: (request) => {
      count += 1;
      const current = entries; // `clear` replaces `entries`; this entry stays in the old array
      const index = current.push({ request: count, ...request, processed: false }) - 1;
      return (more) => {
        const entry = current[index];
        if (entry !== undefined) current[index] = { ...entry, ...more };
      };
    },
    clear: () => {
      entries = [];
      count = 0;
    },
  };
}
