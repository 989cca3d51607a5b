import { didYouMean } from "../../text/suggestion.ts";

/** Variables that look like ours and that nothing reads: a slip of the finger would be passed over in silence. */
export function unknownVariables(env: NodeJS.ProcessEnv, known: readonly string[]): readonly string[] {
  const unknown = Object.keys(env).filter((name) => name.startsWith("MIGRATE_") && !known.includes(name));
  return unknown.map((name) => `${name} is set, and nothing reads it${didYouMean(name, known)}`);
}
