import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { checkMapping } from "../../commands/init/check-mapping.ts";
import { prepareInit } from "../../commands/init/init.ts";
import { preparePayload, zoneOf } from "../../commands/init/guess/guess-mapping.ts";
import type { SourceProfile } from "../../commands/init/profile/profile-sources.ts";
import type { Contract } from "../../contract/contract.ts";
import type { Operation } from "../../contract/operations/operation.ts";
import { makeFolder } from "../../files/shared-folder.ts";
import { isShippedOverlay, pathsFrom, readContractWithFindings, usableOperation } from "../../job/contract-files.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import { compileJob } from "../../job/job.ts";
import type { JobSettings } from "../../job/settings/job-settings.ts";
import { openJobInput } from "../../job/job-input.ts";
import { copyName } from "../../job/settings/setup-paths.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../json/json-value.ts";
import { type MappingDocument, readMapping } from "../../map/document/mapping-document.ts";
import { parseDocument } from "../../contract/document/yaml-document.ts";
import { compileSentForm } from "../../map/node/sent-form.ts";
import { Failure } from "../../model/failure.ts";
import { formatPlace } from "../../model/place.ts";
import type { MappedRecord } from "../../model/record.ts";
import { inspectFile } from "../../read/input/source-files.ts";
import { describeProblem } from "../../report/problem-text.ts";
import { shapeOf } from "../../text/shape.ts";
import { failureDetails } from "../error-reply.ts";
import { type FieldGuesses, fieldTree } from "./field-tree.ts";
import type { CheckData, MappingData, MappingEdit, PayloadData } from "./mapping-data.ts";
import { editMapping } from "./mapping-edits.ts";
import { mappingPath, type MappingJob } from "./mapping-file.ts";
import { createSourceProfiles, sourceData, type SourceProfiles } from "./source-profiles.ts";
import { flowText } from "./yaml-splices.ts";

/** A text of a mapping that is not saved, and the settings for it. */
interface Draft {
  readonly job: MappingJob;
  readonly text: string;
  /** Whether cells may be shown. */
  readonly showValues: boolean;
}

/** Reads, changes and checks mappings that are not saved. Remembers the statistics of the sources. */
export interface MappingService {
  /**
   * Applies changes to a mapping, and returns it with its sources and fields. An error that the mapping itself causes
   * is in the result.
   * @throws Failure `usage` for a change that is not possible, and the failures of reading the contract
   */
  readonly view: (draft: Draft, edits: readonly MappingEdit[], dependencies: Dependencies) => Promise<MappingData>;
  /**
   * Maps and validates the first records.
   * @throws Failure of reading the contract, the mapping or the sources
   */
  readonly check: (draft: Draft, dependencies: Dependencies) => Promise<CheckData>;
  /** @throws the failures of reading the mapping and the contract */
  readonly operation: (draft: Pick<Draft, "job" | "text">, dependencies: Dependencies) => Promise<Operation>;
  /**
   * Guesses a mapping from extracts, and their encoding.
   * @throws the failures of `init`
   */
  readonly guess: (
    job: MappingJob,
    dependencies: Dependencies,
  ) => Promise<{ readonly text: string; readonly encoding: string | undefined }>;
}

export function createMappingService(): MappingService {
  const profiles = createSourceProfiles();
  let known: { readonly key: string; readonly setup: ContractSetup } | undefined;

  /** The contract is read again only after one of its files has changed. */
  async function contractFor(
    document: MappingDocument,
    job: JobSettings,
    dependencies: Dependencies,
  ): Promise<ContractSetup> {
    const key = JSON.stringify([
      await contractState(job),
      job.operation ?? document.operation,
      job.rules,
      job.supplier,
    ]);
    if (known?.key === key) return known.setup;
    const setup = await readSetup(document, job, dependencies);
    known = { key, setup };
    return setup;
  }

  return {
    async view({ job, text, showValues }, edits, dependencies) {
      const file = mappingPath(job);
      const read = readOrFailure(file, text);
      if (read.document === undefined) return { ...emptyView(text), error: failureDetails(read.failure) };
      const setup = await contractFor(read.document, job, dependencies);
      const { payload, scores } = setup;
      const guesses = {
        payload,
        scores,
        profiles: await readableProfiles(read.document, job, { profiles, dependencies }),
      };
      const zone = zoneOf(setup.contract);
      const made = edits.reduce((before, edit) => editMapping(before, edit, { file, guesses, zone }), text);
      const now = readOrFailure(file, made).document;
      const isExtended = edits.some(({ kind }) => kind === "addSource") && now !== undefined;
      const present = isExtended
        ? { ...guesses, profiles: await readableProfiles(now, job, { profiles, dependencies }) }
        : guesses;
      return viewOf(made, { job, showValues, guesses: present, setup, dependencies });
    },
    async operation({ job, text }, dependencies) {
      const document = readMapping({ file: mappingPath(job), text });
      return (await contractFor(document, job, dependencies)).operation;
    },
    check: (draft, dependencies) => checkDraft(draft, dependencies),
    async guess(job, dependencies) {
      const out = path.dirname(mappingPath(job));
      const { sources, mapping, encoding } = await prepareInit({ job, out }, dependencies);
      await profiles.remember(sources, { ...job, encoding });
      return { text: mapping, encoding };
    },
  };
}

/** If the sources cannot be read, no column is known; compiling or checking the mapping reports the reason. */
async function readableProfiles(
  document: MappingDocument,
  job: JobSettings,
  { profiles, dependencies }: { readonly profiles: SourceProfiles; readonly dependencies: Dependencies },
): Promise<readonly SourceProfile[]> {
  const quiet = withoutMessages(dependencies);
  try {
    const { plan, input } = await openJobInput(document, job, quiet);
    await input.close();
    return await profiles.of(plan, job, quiet);
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}

/** Messages about a trial belong to the page, not to the terminal. */
function withoutMessages(dependencies: Dependencies): Dependencies {
  return { ...dependencies, notice: () => undefined, onProgress: () => undefined };
}

interface ContractSetup extends Omit<FieldGuesses, "profiles"> {
  readonly contract: Contract;
  readonly operation: Operation;
}

type ReadDocument =
  | { readonly document: MappingDocument }
  | { readonly document: undefined; readonly failure: Failure };

function readOrFailure(file: string, text: string): ReadDocument {
  try {
    return { document: readMapping({ file, text }) };
  } catch (error) {
    if (error instanceof Failure) return { document: undefined, failure: error };
    throw error;
  }
}

function emptyView(text: string): MappingData {
  return { text, sources: [], fields: [], otherParts: [], zone: "UTC" };
}

async function contractState({ contract, folder }: JobSettings): Promise<readonly string[]> {
  const files = contract.filter((file) => !isShippedOverlay(file)).map(pathsFrom(folder));
  const states = await Promise.all(files.map((file) => inspectFile(file).catch(() => undefined)));
  return [...contract, ...states.map((state) => JSON.stringify(state ?? null))];
}

async function readSetup(
  document: MappingDocument,
  job: JobSettings,
  dependencies: Dependencies,
): Promise<ContractSetup> {
  const files = job.contract.map(pathsFrom(job.folder));
  const contract = await readContractWithFindings(files, dependencies, job.rules);
  const operation = usableOperation(contract, job.operation ?? document.operation, files);
  const { payload, scores } = preparePayload({ operation, contract, supplier: job.supplier });
  return { contract, operation, payload, scores };
}

interface ViewContext {
  readonly job: MappingJob;
  readonly showValues: boolean;
  readonly guesses: FieldGuesses;
  readonly setup: ContractSetup;
  readonly dependencies: Dependencies;
}

async function viewOf(text: string, context: ViewContext): Promise<MappingData> {
  const { job, showValues, guesses, setup } = context;
  const file = mappingPath(job);
  const read = readOrFailure(file, text);
  if (read.document === undefined) return { ...emptyView(text), error: failureDetails(read.failure) };
  const { document } = read;
  const failure = await compileFailure(document, context);
  const top = parseDocument({ file, text }, "mapping_invalid").value;
  return {
    text,
    sources: guesses.profiles.map((profile) =>
      sourceData(profile, { options: optionsOf(top, profile.name), showValues }),
    ),
    fields: fieldsOf(document, guesses),
    otherParts: otherParts(top, document),
    zone: zoneOf(setup.contract),
    ...(failure !== undefined && { error: failureDetails(failure) }),
  };
}

/** A mapping whose sources form no tree has no fields to show. */
function fieldsOf(document: MappingDocument, guesses: FieldGuesses): MappingData["fields"] {
  try {
    return fieldTree(document, guesses);
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}

function optionsOf(top: JsonValue, name: string): JsonObject {
  const sources = isJsonObject(top) ? top["sources"] : undefined;
  const options = sources !== undefined && isJsonObject(sources) ? sources[name] : undefined;
  if (options === undefined || !isJsonObject(options)) return {};
  return Object.fromEntries(Object.entries(options).filter(([option]) => option !== "files"));
}

function otherParts(top: JsonValue, document: MappingDocument): MappingData["otherParts"] {
  return Object.entries(isJsonObject(top) ? top : {}).flatMap(([name, value]) =>
    EDITED_PARTS.has(name) ? [] : [{ name, text: flowText(value), line: document.lineOf([name]) }],
  );
}

const EDITED_PARTS: ReadonlySet<string> = new Set(["operation", "key", "sources", "payload"]);

/** Why the mapping does not compile, or its sources cannot be opened. */
async function compileFailure(
  document: MappingDocument,
  { job, setup: { contract }, dependencies }: ViewContext,
): Promise<Failure | undefined> {
  const quiet = withoutMessages(dependencies);
  try {
    const parts = { contract, document, now: dependencies.clock.now(), signal: dependencies.drain };
    const { mapping } = await compileJob(job, parts, quiet.notice);
    await mapping.close?.();
    const { input } = await openJobInput(document, job, quiet);
    await input.close();
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

const SHOWN_PAYLOADS = 3;

async function checkDraft({ job, text, showValues }: Draft, dependencies: Dependencies): Promise<CheckData> {
  const { temporaryFolder } = dependencies;
  await makeFolder(temporaryFolder);
  const copy = path.join(temporaryFolder, `mapping-${randomBytes(6).toString("hex")}.yaml`);
  await writeFile(copy, text, { mode: 0o600, flag: "wx" });
  const settings = { ...job, copies: { ...job.copies, [copyName(job.folder, mappingPath(job))]: copy } };
  try {
    const payloads: PayloadData[] = [];
    const checked = await checkMapping(settings, withoutMessages(dependencies), (record, { operation }) => {
      if (payloads.length < SHOWN_PAYLOADS) payloads.push(payloadData(record, operation, showValues));
    });
    return { ...checked, payloads };
  } finally {
    await rm(copy, { force: true });
  }
}

function payloadData(record: MappedRecord, operation: Operation, showValues: boolean): PayloadData {
  const { number, row, problems } = record;
  const { payload } = compileSentForm(operation)(record);
  return {
    record: number,
    place: formatPlace({ file: row.table.file, line: row.line }),
    payload: showValues ? payload : shapesOf(payload),
    problems: problems.map((problem) => ({ attr: problem.attr, text: describeProblem(problem) })),
  };
}

/** Replaces each text, number and boolean in the value by its shape. */
function shapesOf(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(shapesOf);
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapesOf(inner)]));
  return shapeOf(value);
}
