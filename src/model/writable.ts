/**
 * The type without `readonly`, for building values on hot paths, where spreading optional members would take most of
 * the time.
 */
export type Writable<T> = { -readonly [Name in keyof T]: T[Name] };
