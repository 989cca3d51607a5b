/** The type without `readonly`, to build a value. On hot paths, spreading absent members costs more than the rest. */
export type Writable<T> = { -readonly [Name in keyof T]: T[Name] };
