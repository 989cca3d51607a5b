import type { Contract } from "../../contract/contract.ts";
import type { Operation } from "../../contract/operations/operation.ts";
import { pathsFrom, readContract } from "../../job/contract-files.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import { endpointOf } from "../../job/endpoint.ts";
import type { Job } from "../../job/job.ts";
import { requireUnchangedFiles } from "../../job/settings/recorded-files.ts";
import { type RunSettings, settingsIfKnown } from "../../job/settings/recorded-settings.ts";
import type { Ledger, Run } from "../../ledger/ledger.ts";
import { readMapping } from "../../map/document/mapping-document.ts";
import { Failure } from "../../model/failure.ts";
import { readTextFile } from "../../read/text/text-file.ts";
import { hasSent } from "./run-ledger.ts";

type ContractDependencies = Pick<Dependencies, "contractCache">;

/**
 * Adds the endpoints to runs of earlier versions, where they can be determined, and returns the other runs. Those
 * versions identified a record by the id of its operation. Method and path are in that id (`POST /accounts/`), in the
 * contract, or in the run's own contract or mapping if that file is unchanged.
 */
export async function identifyEarlierRuns(
  ledger: Ledger,
  job: Job,
  dependencies: ContractDependencies,
): Promise<readonly Run[]> {
  const unknown: Run[] = [];
  const endpoints = new Map<string, string>();
  for (const run of await ledger.runs()) {
    if (run.endpoint !== undefined) continue;
    const endpoint = await endpointOfEarlierRun(run, job, dependencies);
    if (endpoint === undefined) unknown.push(run);
    else endpoints.set(run.id, endpoint);
  }
  if (endpoints.size > 0) await ledger.setEndpoints(endpoints);
  return unknown;
}

/**
 * The same before a push, which would create records again that it does not recognise.
 * @throws Failure `config` if such a run has sent anything
 */
export async function requireKnownRecords(ledger: Ledger, job: Job, dependencies: ContractDependencies): Promise<void> {
  for (const run of await identifyEarlierRuns(ledger, job, dependencies)) {
    if (await hasSent(ledger, run)) throw unknownOperation(run);
  }
}

function unknownOperation({ id, operation }: Run): Failure {
  return new Failure(
    "config",
    `run ${id} was created by an earlier version, which identified records by the operation "${operation}". The contract has ` +
      "no operation of that name, so this push might create the same records again",
    {
      hint:
        "run the same push once with the old contract (--contract), or with an overlay that restores the old " +
        "operationId of the operation. After that, the name does not matter. Nothing was sent",
    },
  );
}

type PlainOperation = Pick<Operation, "method" | "path">;

async function endpointOfEarlierRun(
  run: Run,
  { contract }: Job,
  dependencies: ContractDependencies,
): Promise<string | undefined> {
  const settings = settingsIfKnown(run);
  if (settings === undefined) return undefined;
  const operation =
    methodAndPath(run.operation) ??
    operationOf(contract, run) ??
    (await unlessFailing(() => operationOfThen(run, settings, dependencies))) ??
    (await unlessFailing(() => operationNamedThen(settings)));
  return operation && endpointOf(settings.target.baseUrl, operation);
}

/** `POST /accounts/`: the name of an operation without an id. A mapping may name any operation this way. */
function methodAndPath(name: string | undefined): PlainOperation | undefined {
  const [, method, path] = /^([A-Z]+) (\/.*)$/.exec(name ?? "") ?? [];
  return method === undefined || path === undefined ? undefined : { method, path };
}

function operationOf({ operations }: Contract, { operation: id }: Run): PlainOperation | undefined {
  return operations.find((operation) => operation.id === id);
}

async function operationOfThen(
  run: Run,
  { job, files }: RunSettings,
  dependencies: ContractDependencies,
): Promise<PlainOperation | undefined> {
  const resolve = pathsFrom(job.folder);
  const contract = job.contract.map(resolve);
  await requireUnchangedFiles({ job, files: files.filter(({ file }) => contract.includes(resolve(file))) });
  return operationOf(await readContract(contract, dependencies), run);
}

/** The operation named by the flag of that run, or by its mapping. */
async function operationNamedThen({ job, files }: RunSettings): Promise<PlainOperation | undefined> {
  if (job.operation !== undefined || job.mapping === undefined) return methodAndPath(job.operation);
  const mapping = pathsFrom(job.folder)(job.mapping);
  await requireUnchangedFiles({ job, files: files.filter(({ file }) => file === mapping) });
  return methodAndPath(readMapping(await readTextFile(mapping)).operation);
}

/** Undefined if a file changed or cannot be read. */
async function unlessFailing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
