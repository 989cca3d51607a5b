import { Failure } from "../../model/failure.ts";
import type { OwnerRule } from "../../model/owner.ts";

/**
 * The rules of `owners`, which the option `flag` needs.
 * @throws Failure `usage` if the configuration file has none
 */
export function requireOwners(owners: readonly OwnerRule[] | undefined, flag: string): readonly OwnerRule[] {
  if (owners !== undefined) return owners;
  throw new Failure("usage", `${flag} needs \`owners\` in the configuration file`, {
    hint: "see docs/configuration.md, section Owners",
  });
}
