import { instanceOf } from "../../job/endpoint.ts";
import { settingsIfKnown } from "../../job/settings/recorded-settings.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Run } from "../../ledger/records/run.ts";
import { Failure } from "../../model/failure.ts";
import { hasSent } from "./run-ledger.ts";

interface Destination {
  readonly host: string;
  readonly supplier: string;
  /** Distinguishes several instances of the platform on the same host. */
  readonly instance?: string;
}

/**
 * Requires a run to have the same destination as all earlier runs in its ledger that sent records. The outcomes in
 * a ledger are valid for one destination only. Without this check, a mistyped `--target` would cause all records to be
 * sent again, to another platform.
 * @throws Failure `wrong_target`
 */
export async function requireSameDestination(ledger: Ledger, name: string, here: Destination): Promise<void> {
  const others = (await ledger.runs()).filter((run) => !isSameDestination(run, here));
  for (const run of others) if (await hasSent(ledger, run)) throw wrongDestination(name, run, here);
}

function isSameDestination(run: Run, { host, supplier, instance }: Destination): boolean {
  if (run.target !== host || run.supplier !== supplier) return false;
  return instance === undefined || (instanceOfRun(run) ?? instance) === instance;
}

function instanceOfRun(run: Run): string | undefined {
  const settings = settingsIfKnown(run);
  return settings && instanceOf(settings.target.baseUrl);
}

function supplierText(code: string): string {
  return code === "" ? "no supplier" : `supplier ${code}`;
}

function wrongDestination(name: string, run: Run, here: Destination): Failure {
  const [from, to] =
    run.target !== here.host
      ? [run.target, here.host]
      : run.supplier !== here.supplier
        ? [supplierText(run.supplier), supplierText(here.supplier)]
        : [instanceOfRun(run), here.instance];
  return new Failure("wrong_target", `the ledger ${name} belongs to ${from}, but this run is for ${to}`, {
    hint: "check --target, --base-url and --supplier; if they are correct, use a separate ledger: --ledger <path>",
  });
}
