/** Time limit for one call of a mapping function, in seconds. */
export const FUNCTION_TIMEOUT = { default: 2, least: 0.1, most: 3600 } as const;
