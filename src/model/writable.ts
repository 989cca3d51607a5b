/**
 * The type without `readonly`, to build a value on a hot path, where spreading optional members would take most of the
 * time.
 */
export type Writable<T> = { -readonly [Name in keyof T]: T[Name] };
