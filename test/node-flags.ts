/**
 * Node.js flags for test processes and for the programs that they start. Most of their code runs too rarely for
 * optimisation to pay off. Later versions of Node.js optimise less, and do not know this flag.
 */
export const OPTIMISE_LATE = process.version.startsWith("v20.") ? ["--interrupt-budget=1000000"] : [];
