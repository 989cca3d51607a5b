import { z } from "zod";
import type { Expression } from "./expression.ts";
import type { RuleCheck, RuleKind } from "./rule.ts";

/** Understands the members of one kind. A text in place of the check says what is wrong with them together. */
export interface KindReader {
  readonly members: z.ZodRawShape;
  readonly read: (members: unknown) => Understood | z.ZodError | string;
}

/** How each of some kinds is read. */
export type KindReaders<Kinds extends RuleKind> = { readonly [Kind in Kinds]: KindReader };

interface Understood {
  readonly check: RuleCheck;
  readonly about: readonly Expression[];
}

export function reader<Shape extends z.ZodRawShape>(
  members: Shape,
  understand: (rule: z.output<z.ZodObject<Shape>>) => Understood | string,
): KindReader {
  const schema = z.object(members);
  return {
    members,
    read: (written) => {
      const parsed = schema.safeParse(written);
      return parsed.success ? understand(parsed.data) : parsed.error;
    },
  };
}

export function flag(): z.ZodDefault<z.ZodBoolean> {
  return z.boolean("must be true or false").default(false);
}

export function count(): z.ZodInt {
  return z.int("must be a whole number").min(0, "must not be negative");
}
