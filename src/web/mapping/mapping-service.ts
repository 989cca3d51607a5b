import path from "node:path";
import { prepareInit } from "../../commands/init/init.ts";
import { preparePayload, zoneOf } from "../../commands/init/guess/guess-mapping.ts";
import type { SourceProfile } from "../../commands/init/profile/profile-sources.ts";
import type { Operation } from "../../contract/operations/operation.ts";
import { isShippedOverlay, pathsFrom, readContractWithFindings, usableOperation } from "../../job/contract-files.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import type { JobSettings } from "../../job/settings/job-settings.ts";
import { openJobInput } from "../../job/job-input.ts";
import { type MappingDocument, readMapping } from "../../map/document/mapping-document.ts";
import { Failure, recover } from "../../model/failure.ts";
import { inspectFile } from "../../read/input/source-files.ts";
import type { CheckData, MappingData, MappingEdit } from "./mapping-data.ts";
import { checkDraft } from "./check-draft.ts";
import { editMapping } from "./edits/edit-mapping.ts";
import { type Draft, type MappingText, readOrFailure, unreadableView, withoutMessages } from "./mapping-draft.ts";
import type { FieldGuesses } from "./field-tree.ts";
import { mappingPath, type MappingJob } from "./mapping-file.ts";
import { type ContractSetup, viewOf } from "./mapping-view.ts";
import { createSourceProfiles, type SourceProfiles } from "./source-profiles.ts";

/** Reads, changes and checks unsaved mappings. Caches the contract and the statistics of the sources. */
export interface MappingService {
  /**
   * Applies changes to a mapping, and returns the mapping with its sources and fields. If the mapping has an error, the
   * result contains the error.
   * @throws Failure `usage` if a change is not possible; failures while reading the contract
   */
  readonly view: (draft: Draft, edits: readonly MappingEdit[], dependencies: Dependencies) => Promise<MappingData>;
  /**
   * Maps and validates the first records.
   * @throws Failure if the contract, the mapping or a source cannot be read
   */
  readonly check: (draft: Draft, dependencies: Dependencies) => Promise<CheckData>;
  /** @throws failures while reading the mapping and the contract */
  readonly operation: (mapping: MappingText, dependencies: Dependencies) => Promise<Operation>;
  /**
   * Guesses a mapping from extracts, and detects their encoding.
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

  /** Reads the contract again only after one of its files or a setting has changed. */
  async function contractFor(
    document: MappingDocument,
    job: JobSettings,
    dependencies: Dependencies,
  ): Promise<ContractSetup> {
    const { operation = document.operation, rules, supplier } = job;
    const key = JSON.stringify([await contractState(job), operation, rules, supplier]);
    if (known?.key === key) return known.setup;
    const setup = await readSetup(document, job, dependencies);
    known = { key, setup };
    return setup;
  }

  return {
    async view({ job, text, showValues }, edits, dependencies) {
      const file = mappingPath(job);
      const document = readOrFailure(file, text);
      if (document instanceof Failure) return unreadableView(text, document);
      const setup = await contractFor(document, job, dependencies);
      const guessesFor = async (read: MappingDocument): Promise<FieldGuesses> => {
        return { ...setup, profiles: await readableProfiles(read, job, profiles, dependencies) };
      };
      const guesses = await guessesFor(document);
      const zone = zoneOf(setup.contract);
      const made = edits.reduce((before, edit) => editMapping(before, edit, { file, guesses, zone }), text);
      const now = readOrFailure(file, made);
      if (now instanceof Failure) return unreadableView(made, now);
      const isExtended = edits.some(({ kind }) => kind === "addSource");
      const current = isExtended ? await guessesFor(now) : guesses;
      return viewOf(made, now, { job, showValues, guesses: current, setup, dependencies });
    },
    async operation({ job, text }, dependencies) {
      const document = readMapping({ file: mappingPath(job), text });
      return (await contractFor(document, job, dependencies)).operation;
    },
    check: checkDraft,
    async guess(job, dependencies) {
      const out = path.dirname(mappingPath(job));
      const { sources, mapping, encoding } = await prepareInit({ job, out }, dependencies);
      await profiles.remember(sources, { ...job, encoding });
      return { text: mapping, encoding };
    },
  };
}

/** Returns the profiles of the sources; none if a source cannot be read. The view and the check report the reason. */
async function readableProfiles(
  document: MappingDocument,
  job: JobSettings,
  profiles: SourceProfiles,
  dependencies: Dependencies,
): Promise<readonly SourceProfile[]> {
  const quiet = withoutMessages(dependencies);
  const read = async (): Promise<readonly SourceProfile[]> => {
    const { plan, input } = await openJobInput(document, job, quiet);
    await input.close();
    return profiles.of(plan, job, quiet);
  };
  return recover(read, () => []);
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
  return { contract, operation, payload: preparePayload({ operation, contract, supplier: job.supplier }) };
}
