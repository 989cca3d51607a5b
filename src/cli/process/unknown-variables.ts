import { didYouMean } from "../../text/suggestion.ts";

/** Variables with our prefix that no command reads. Without a notice, a typo would go unnoticed. */
export function unknownVariables(env: NodeJS.ProcessEnv, known: readonly string[]): readonly string[] {
  const unknown = Object.keys(env).filter((name) => name.startsWith("MIGRATE_") && !known.includes(name));
  return unknown.map((name) => `${name} is set, but no command reads it${didYouMean(name, known)}`);
}
