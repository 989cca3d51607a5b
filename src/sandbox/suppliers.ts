import type { Contract } from "../contract/contract.ts";
import type { FieldType } from "../contract/field-type.ts";
import type { SupplierStatus } from "./state.ts";

const SUPPLIER_FIELDS = ["import_supplier", "import_supplier_code"];

/** The import suppliers that the contract enumerates, or `SANDBOX`; all of them ongoing. */
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
