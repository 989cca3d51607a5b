/** The same while it is put together: where thousands are made a second, spreading absent members costs more than the rest. */
export type Writable<T> = { -readonly [Name in keyof T]: T[Name] };
