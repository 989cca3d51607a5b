import type { Contract } from "../contract/contract.ts";
import type { Operation } from "../contract/operations/operation.ts";
import { definedMembers } from "../json/defined-members.ts";
import type { MappingDocument } from "../map/document/mapping-document.ts";
import type { Measure } from "../map/document/measures.ts";
import type { Mapping } from "../map/mapping.ts";
import { Failure } from "../model/failure.ts";
import type { SourceSpec } from "../model/source-spec.ts";
import type { RuleContext } from "../rules/engine/rule-context.ts";
import type { Clock } from "../time/clock.ts";
import { pathsFrom, readContractWithFindings, usableOperation } from "./contract-files.ts";
import type { ContractCaching, Notifier } from "./dependencies.ts";
import { type InputDependencies, type InputOptions, type JobInput, openJobInput } from "./job-input.ts";
import { filesOfMapping, type MappingFile, mappingOf, readJobMapping } from "./job-mapping.ts";
import {
  noticeForeignOverlays,
  noticeOtherOperation,
  noticeSkippedRules,
  noticeUnmappedFields,
} from "./job-notices.ts";
import { type Prerequisite, prerequisiteOf } from "./prerequisite.ts";
import type { JobSettings } from "./settings/job-settings.ts";
import { loadRuleContext } from "./settings/rule-configuration.ts";
import { setupPaths } from "./settings/setup-paths.ts";

/** The parts of a job that another thread needs to convert rows to records. */
export interface CompiledJob {
  readonly settings: JobSettings;
  readonly contract: Contract;
  readonly operation: Operation;
  readonly mapping: Mapping;
  readonly after?: Prerequisite;
  /** Data for rules in addition to the payload; absent if the contract has neither rules nor settings for rules. */
  readonly ruleContext?: RuleContext | undefined;
  /** The current time for rules, in milliseconds since 1970. */
  readonly now: number;
  /** The lookup files of the mapping and the files that define its functions. */
  readonly mappingFiles: readonly MappingFile[];
  /** The amounts that `migrate proof` totals. */
  readonly measures: readonly Measure[];
}

/**
 * A job that is ready to run. Its contract and mapping are compiled and its input files are found, but no row has been
 * read.
 */
export interface Job extends CompiledJob {
  readonly plan: SourceSpec;
  readonly input: JobInput;
}

export interface JobDependencies extends InputDependencies, ContractCaching {
  readonly clock: Clock;
}

/**
 * Compiles the files that the settings name and finds the input files.
 * @throws Failure with exit code 2 for a file that is unreadable or invalid
 */
export async function openJob(
  settings: JobSettings,
  dependencies: JobDependencies,
  { showValues = false, recordedInputs, onReturned }: InputOptions = {},
): Promise<Job> {
  const files = settings.contract.map(pathsFrom(settings.folder));
  const contract = await readContractWithFindings(files, dependencies, settings.rules, setupPaths(settings));
  const document = await readJobMapping(settings);
  const now = dependencies.clock.now();
  const parts = { contract, document, now, signal: dependencies.drain };
  const job = await compileJob(settings, parts, dependencies.notice);
  const { mapping } = job;
  const { close = async () => undefined } = mapping;
  try {
    const { plan, input } = await openJobInput(document, settings, dependencies, {
      mapping,
      showValues,
      recordedInputs,
      onReturned,
    });
    return { ...job, plan, input: { ...input, close: () => input.close().finally(close) } };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The inputs from which a job is compiled, in addition to its settings. */
interface JobParts {
  readonly contract: Contract;
  readonly document: MappingDocument | undefined;
  readonly now: number;
  /** Stops the functions of the mapping. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Compiles a job without opening its input.
 * @throws the failures of `openJob`
 */
export async function compileJob(
  settings: JobSettings,
  { contract, document, now, signal }: JobParts,
  notice: Notifier["notice"],
): Promise<CompiledJob> {
  const resolve = pathsFrom(settings.folder);
  const named = settings.operation ?? document?.operation;
  const declared = usableOperation(contract, named, settings.contract.map(resolve));
  noticeOtherOperation(document, declared, contract, { notice });
  const mapping = await mappingOf(document, declared, settings, signal);
  noticeUnmappedFields(mapping, settings.mapping, { notice });
  const operation = { ...declared, ...definedMembers({ key: mapping.keyAttr }) };
  const ruleContext = await loadRuleContext(contract, settings, { resolve, pathOf: setupPaths(settings), now });
  noticeSkippedRules(operation, ruleContext, { notice });
  noticeForeignOverlays(contract, { notice });
  const after = document && prerequisiteOf(document, operation, { contract, mapping });
  const measures = document?.measures ?? [];
  const mappingFiles = document === undefined ? [] : await filesOfMapping(document, settings);
  const compiled = { settings, contract, operation, mapping, mappingFiles, ruleContext, now, measures };
  return { ...compiled, ...definedMembers({ after }) };
}

/**
 * Checks that the records have a business key, which identifies them on the platform.
 * @throws Failure `config` if records have no business key
 */
export function requireKey({ keyAttr }: Mapping): void {
  if (keyAttr !== undefined) return;
  throw new Failure("config", "records have no business key, so they could not be recognised later", {
    hint: "set the attr of the key: `key:` in the mapping, or `x-migrate-key` in the contract",
  });
}
