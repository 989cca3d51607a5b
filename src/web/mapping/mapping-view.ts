import { zoneOf } from "../../commands/init/guess/guess-mapping.ts";
import type { Container } from "../../commands/init/guess/region.ts";
import type { Contract } from "../../contract/contract.ts";
import type { Operation } from "../../contract/operations/operation.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import { compileJob } from "../../job/job.ts";
import { openJobInput } from "../../job/job-input.ts";
import { functionsOf, lookupsOf, namingPlaceIn } from "../../job/job-mapping.ts";
import { withNamingPlace } from "../../job/settings/naming-place.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { isJsonObject, type JsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";
import type { MappingDocument } from "../../map/document/mapping-document.ts";
import { Failure, failureDetails, recover } from "../../model/failure.ts";
import { type FieldGuesses, fieldTree } from "./field-tree.ts";
import type { MappingData } from "./mapping-data.ts";
import { mappingPath, type MappingJob } from "./mapping-file.ts";
import { withoutMessages } from "./mapping-draft.ts";
import { sourceData } from "./source-profiles.ts";
import { parseMapping } from "./yaml/edit-yaml.ts";
import { flowText } from "./yaml/yaml-lines.ts";

/** The parts of a contract that a mapping uses. */
export interface ContractSetup {
  readonly payload: Container;
  readonly contract: Contract;
  readonly operation: Operation;
}

interface ViewContext {
  readonly job: MappingJob;
  readonly showValues: boolean;
  readonly guesses: FieldGuesses;
  readonly setup: ContractSetup;
  readonly dependencies: Dependencies;
}

/** Returns a mapping as the page shows it. If the mapping does not compile, the result contains the error. */
export async function viewOf(text: string, document: MappingDocument, context: ViewContext): Promise<MappingData> {
  const { job, showValues, guesses, setup } = context;
  const [failure, functions] = await Promise.all([compileFailure(document, context), functionsData(document, context)]);
  const top = parseMapping(mappingPath(job), text);
  return {
    text,
    sources: guesses.profiles.map((profile) => sourceData(profile, optionsOf(top, profile.name), showValues)),
    // A mapping whose sources do not form a tree has no fields.
    fields: await recover(
      async () => fieldTree(document, guesses),
      () => [],
    ),
    ...definedMembers({ functions }),
    otherParts: otherParts(top, document),
    zone: zoneOf(setup.contract),
    ...(failure !== undefined && { error: failureDetails(failure) }),
  };
}

function optionsOf(top: JsonValue, name: string): JsonObject {
  const options = valueAt(top, ["sources", name]);
  return Object.fromEntries(
    Object.entries(isJsonObject(options) ? options : {}).filter(([option]) => option !== "files"),
  );
}

function otherParts(top: JsonValue, document: MappingDocument): MappingData["otherParts"] {
  return Object.entries(isJsonObject(top) ? top : {}).flatMap(([name, value]) =>
    EDITED_PARTS.has(name) ? [] : [{ name, text: flowText(value), line: document.lineOf([name]) }],
  );
}

const EDITED_PARTS: ReadonlySet<string> = new Set(["operation", "key", "sources", "payload", "functions"]);

/**
 * Returns the module and the names of its functions; no names if the module cannot be loaded. In this case, the mapping
 * does not compile, and the view contains the error.
 */
async function functionsData(
  document: MappingDocument,
  { job, dependencies }: ViewContext,
): Promise<MappingData["functions"]> {
  const { functions: module } = document;
  if (module === undefined) return undefined;
  const load = async (): Promise<readonly string[]> => {
    const loaded = await functionsOf(document, job, dependencies.drain);
    await loaded.close();
    return loaded.names;
  };
  return { module, names: await recover(load, () => []) };
}

/** Returns the reason why the mapping does not compile or its sources cannot be opened; undefined if there is none. */
async function compileFailure(
  document: MappingDocument,
  { job, setup: { contract }, dependencies }: ViewContext,
): Promise<Failure | undefined> {
  const quiet = withoutMessages(dependencies);
  const compile = async (): Promise<undefined> => {
    await requireTables(document, job);
    const parts = { contract, document, now: dependencies.clock.now(), signal: dependencies.drain };
    const { mapping } = await compileJob(job, parts, quiet.notice);
    await mapping.close?.();
    const { input } = await openJobInput(document, job, quiet);
    await input.close();
  };
  return recover<Failure | undefined>(compile, (failure) => failure);
}

/** @throws Failure `mapping_invalid` for a lookup table that cannot be read */
async function requireTables(document: MappingDocument, job: MappingJob): Promise<void> {
  const read = (): Promise<unknown> => withNamingPlace(namingPlaceIn(document, job), () => lookupsOf(document, job));
  await recover(read, (cause) => {
    const { message, hint, place } = cause;
    throw new Failure("mapping_invalid", message, { ...definedMembers({ hint, place }), cause });
  });
}
