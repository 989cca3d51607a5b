import type { JobSettings } from "../../job/settings/job-settings.ts";
import type { NamingPlace } from "../../job/settings/naming-place.ts";
import type { Supplier } from "../../job/settings/supplier-settings.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import type { OwnerRule } from "../../model/owner.ts";
import { type Check, skipped } from "./check.ts";
import { contractChecks, mappingDocument } from "./contract-checks.ts";
import { type InputChecks, inputChecks } from "./input-checks.ts";
import { ledgerChecks } from "./ledger-checks.ts";
import { platformChecks, type SecretOrigins } from "./platform-checks.ts";
import type { TargetSettings } from "../../job/settings/platform-settings.ts";

export interface DoctorOptions {
  readonly job: JobSettings;
  readonly owners?: readonly OwnerRule[] | undefined;
  readonly target: TargetSettings | undefined;
  readonly supplier: Supplier;
  readonly ledger: string;
  /** Whether to skip checks that open a connection. */
  readonly offline: boolean;
  readonly secretOrigins: SecretOrigins;
  /** Returns the place at which the configuration names a file. */
  readonly placeOf?: NamingPlace | undefined;
}

/**
 * Checks everything that a push needs, in this order: contract, mapping, input, platform, ledger. Reads the input once.
 * Sends at most two requests: one for headers and one for a token. Writes nothing.
 */
export async function* doctor(options: DoctorOptions, dependencies: Dependencies): AsyncGenerator<Check> {
  const { job, target, ledger, supplier, placeOf } = options;
  const { check, document } = await mappingDocument(job, placeOf);
  yield* await contractChecks(job, document, placeOf, dependencies);
  if (check !== undefined) yield check;
  const { checks, records }: InputChecks =
    document === "unreadable"
      ? { checks: [skipped("input", "needs the mapping")] }
      : await inputChecks(options, document, dependencies);
  yield* checks;
  if (target === undefined)
    yield skipped("target", "none is set: use --target, --base-url, or `target` in migrate.yaml");
  else yield* platformChecks(target, options, dependencies);
  yield* ledgerChecks({ ledger, target, supplier: supplier.code, records });
}
