import { DATE_KINDS } from "./date-kinds.ts";
import type { KindReaders } from "./kind-reader.ts";
import { LIST_KINDS } from "./list-kinds.ts";
import { PERIOD_KINDS } from "./period-kinds.ts";
import { PRESENCE_KINDS } from "./presence-kinds.ts";
import type { RuleKind } from "./rule.ts";
import { VALUE_KINDS } from "./value-kinds.ts";

/** The members of each kind, and what they mean. Unknown members are refused by whoever reads them. */
export const KIND_READERS: KindReaders<RuleKind> = {
  ...PRESENCE_KINDS,
  ...VALUE_KINDS,
  ...DATE_KINDS,
  ...LIST_KINDS,
  ...PERIOD_KINDS,
};
