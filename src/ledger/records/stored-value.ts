/** A value in the ledger that is missing or is not valid JSON. */
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

/**
 * Requires a row to have a value in each of these columns. Another program may have removed a value.
 * @throws UnreadableValue
 */
export function requireValues<Row extends object>(row: Row, columns: readonly (keyof Row & string)[]): void {
  const missing = columns.find((column) => row[column] === null);
  if (missing !== undefined) throw new UnreadableValue(`a stored row has no value in the column "${missing}"`);
}
