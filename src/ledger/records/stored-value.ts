/** A value in the ledger that is not valid JSON. */
export class UnreadableValue extends Error {}

/**
 * Returns the result of parsing JSON that the ledger contains.
 * @throws UnreadableValue
 */
export function storedValue<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new UnreadableValue("a stored value is not valid JSON", { cause: error });
  }
}
