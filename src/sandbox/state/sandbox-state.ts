import { createHash } from "node:crypto";
import type { Contract } from "../../contract/contract.ts";
import type { FieldType } from "../../contract/types/field-type.ts";
import type { JsonObject } from "../../json/json-value.ts";
import type { SupplierStatus } from "../../model/supplier-status.ts";

export interface ImportedAccount {
  /** The account number: `A-` and eight hexadecimal digits. */
  readonly number: string;
  readonly supplier: string;
  /** The business key: the account's number in the old system. */
  readonly key: string;
  /** ISO 8601 UTC. */
  readonly importedAt: string;
  readonly payload: JsonObject;
  /** Fingerprints of the notes added after the import. */
  readonly notes: readonly string[];
}

/** The state of the platform as stored in the data file. */
export interface StateSnapshot {
  readonly suppliers: Readonly<Record<string, SupplierStatus>>;
  readonly accounts: readonly ImportedAccount[];
}

/** The state of the platform: import suppliers and migrated accounts. */
export interface SandboxState {
  readonly supplierStatus: (code: string) => SupplierStatus | undefined;
  readonly setSupplier: (code: string, status: SupplierStatus) => void;
  readonly accounts: () => readonly ImportedAccount[];
  readonly findAccount: (number: string) => ImportedAccount | undefined;
  /** The first account created for this key. */
  readonly findByKey: (supplier: string, key: string) => ImportedAccount | undefined;
  readonly addAccount: (
    account: Pick<ImportedAccount, "supplier" | "key" | "payload" | "importedAt">,
  ) => ImportedAccount;
  readonly addNotes: (number: string, fingerprints: readonly string[]) => void;
  readonly snapshot: () => StateSnapshot;
  /** Removes all accounts and restores the initial suppliers. */
  readonly reset: () => void;
}

/** @param onChange called after every change */
export function createState(
  suppliers: Readonly<Record<string, SupplierStatus>>,
  stored: StateSnapshot | undefined,
  onChange: () => void,
): SandboxState {
  const statuses = new Map(Object.entries({ ...suppliers, ...stored?.suppliers }));
  const byNumber = new Map<string, ImportedAccount>();
  const byKey = new Map<string, string>();
  for (const account of stored?.accounts ?? []) remember(account);

  function remember(account: ImportedAccount): void {
    byNumber.set(account.number, account);
    const key = keyOfAccount(account);
    if (!byKey.has(key)) byKey.set(key, account.number);
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
      onChange();
    },
  };
}

/** Combines an import supplier and a business key in one string. */
export function keyOfAccount({ supplier, key }: Pick<ImportedAccount, "supplier" | "key">): string {
  return JSON.stringify([supplier, key]);
}

/**
 * An account number that is derived from the key. A key has the same number in every sandbox, so that examples are
 * reproducible.
 */
function unusedNumber(supplier: string, key: string, taken: ReadonlyMap<string, unknown>): string {
  for (let round = 0; ; round += 1) {
    const digest = createHash("sha256")
      .update(JSON.stringify([supplier, key, round]))
      .digest("hex");
    const number = `A-${digest.slice(0, 8).toUpperCase()}`;
    if (!taken.has(number)) return number;
  }
}

const SUPPLIER_FIELDS = ["import_supplier", "import_supplier_code"];

/** The import suppliers that the contract enumerates, or else `SANDBOX`. All are ongoing. */
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
