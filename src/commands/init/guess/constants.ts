import type { Operation } from "../../../contract/operations/operation.ts";
import { formatAttr } from "../../../json/attr.ts";
import { type Container, slotsIn } from "./region.ts";

/**
 * Sets the constants: the code of the import supplier, if the contract accepts it, and each required choice that has a
 * single value.
 */
export function setConstants(payload: Container, operation: Operation, supplier: string | undefined): void {
  const attr = operation.supplier === undefined ? "import_supplier" : formatAttr(operation.supplier);
  for (const slot of slotsIn(payload)) {
    const choices = slot.type.kind === "choice" ? slot.type.choices : undefined;
    const [only, second] = choices ?? [];
    const isTaken = choices === undefined || (supplier !== undefined && choices.includes(supplier));
    if (slot.path.join(".") === attr) slot.constant = isTaken ? "${supplier}" : undefined;
    else if (slot.required && only !== undefined && second === undefined) slot.constant = String(only);
  }
}
