import type { Contract } from "../contract/contract.ts";
import type { Operation, OperationAddress } from "../contract/operations/operation.ts";
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
import type { JobSettings } from "./settings/job-settings.ts";
import { loadRuleContext, skippedRulesText } from "./settings/rule-configuration.ts";
import { setupPaths } from "./settings/setup-paths.ts";
import { WRITTEN_FOR_ANOTHER } from "../contract/document/written-for.ts";
import { findOperation, operationsNamed } from "../contract/operations/find-operation.ts";
import { sentTypes } from "../contract/operations/step-fields.ts";
import { rulesWithin } from "../rules/engine/rule-requirements.ts";
import type { Rule } from "../rules/language/rule.ts";
import { namesInPath } from "../contract/operations/request-parameters.ts";
import { type AttrPath, formatAttr } from "../json/attr.ts";
import { MAX_SEARCHED_ROWS } from "../read/input/missing-paths.ts";
import { formatCount } from "../text/count.ts";
import { listed, meantText } from "../text/suggestion.ts";

/** The parts of a job that another thread needs to convert rows to records. */
export interface CompiledJob {
  readonly settings: JobSettings;
  readonly contract: Contract;
  readonly operation: Operation;
  readonly mapping: Mapping;
  readonly after?: Prerequisite;
  /**
   * The attr that names the account of a record if several records may belong to one account. Replies about records
   * with the same value may then have the same account number.
   */
  readonly accountOwner?: AttrPath;
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
 * A job that is ready to run. Its contract and mapping are compiled, and its input files are found and opened. Reading
 * of its records has not started.
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
    const isRead = recordedInputs !== undefined || settings.rejects !== undefined;
    if (!isRead) await noticeMissingPaths(job, input, dependencies);
    return { ...job, plan, input: { ...input, close: () => input.close().finally(close) } };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens a job, calls `work`, and closes the input of the job. */
export async function withJob<T>(
  settings: JobSettings,
  dependencies: JobDependencies,
  work: (job: Job) => Promise<T>,
): Promise<T> {
  const job = await openJob(settings, dependencies);
  try {
    return await work(job);
  } finally {
    await job.input.close();
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
  const mapping = await mappingOf(document, declared, settings, { signal, notice });
  noticeUnmappedFields(mapping, settings.mapping, { notice });
  const operation = { ...declared, ...definedMembers({ key: mapping.keyAttr }) };
  const ruleContext = await loadRuleContext(contract, settings, { resolve, pathOf: setupPaths(settings), now });
  // Shows one notice about rules that cannot be checked, instead of a problem for every record.
  const skipped = ruleContext && skippedRulesText(rulesOf(operation), ruleContext);
  if (skipped !== undefined) notice(skipped);
  noticeForeignOverlays(contract, { notice });
  const after = document && prerequisiteOf(document, operation, { contract, mapping });
  const measures = document?.measures ?? [];
  const mappingFiles = document === undefined ? [] : await filesOfMapping(document, settings);
  const compiled = { settings, contract, operation, mapping, mappingFiles, ruleContext, now, measures };
  return { ...compiled, ...definedMembers({ after, accountOwner: accountOwnerOf(declared, operation, after) }) };
}

/**
 * Several records may belong to one account in two cases: they wait for a record of another operation, to which an attr
 * other than their key refers; or the mapping replaces the contract's key with the key of a part of the account.
 */
function accountOwnerOf(
  { key: declaredKey }: Operation,
  { key }: Operation,
  after: Prerequisite | undefined,
): AttrPath | undefined {
  if (after !== undefined && !after.isOwnKey && !after.isOwnOperation) return after.key;
  if (declaredKey === undefined || key === undefined) return undefined;
  return formatAttr(declaredKey) === formatAttr(key) ? undefined : declaredKey;
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

function noticeOtherOperation(
  document: MappingDocument | undefined,
  used: Operation,
  { operations }: Contract,
  dependencies: Notifier,
): void {
  if (document?.operation === undefined || operationsNamed(operations, document.operation).includes(used)) return;
  const { file, lineOf, operation } = document;
  dependencies.notice(
    `${file}:${lineOf(["operation"])}: the operation ${operation} is not used: --operation, MIGRATE_OPERATION or ` +
      `\`operation\` in migrate.yaml overrides it with ${used.id}`,
  );
}

function noticeUnmappedFields(mapping: Mapping, file: string | undefined, dependencies: Notifier): void {
  const { unmappedRequired } = mapping;
  if (unmappedRequired.length === 0) return;
  dependencies.notice(`${file ?? ""}: nothing fills ${unmappedRequired.join(", ")}, which the contract requires`);
}

/**
 * Shows a notice for each JSON source that lacks a path. In CSV files and sheets, a missing column is a failure. Do not
 * call this for inputs that an earlier run has recorded, because that run has shown the notice, or for rejects, because
 * they have too few rows.
 */
async function noticeMissingPaths(
  { mapping, settings }: CompiledJob,
  input: JobInput,
  dependencies: Notifier,
): Promise<void> {
  // An unreadable file is reported when its records are read.
  const missing = await input.missingPaths(mapping.columns).catch(() => []);
  for (const { file, rows, paths } of missing) {
    const named = paths.map(({ path, near }) => `"${path}"${near === undefined ? "" : ` (${meantText(path, near)})`}`);
    const searched = rows < MAX_SEARCHED_ROWS ? "no row" : `none of the first ${formatCount(rows)} rows`;
    dependencies.notice(`${file}: ${searched} has ${listed(named)}, which ${settings.mapping ?? "the mapping"} reads`);
  }
}

/** Returns every rule that can apply to a payload of the operation. */
export function rulesOf(operation: Operation): readonly Rule[] {
  return [...new Set(sentTypes(operation).flatMap(rulesWithin))];
}

function noticeForeignOverlays({ findings }: Contract, dependencies: Notifier): void {
  for (const { code, place, message } of findings) {
    if (code === WRITTEN_FOR_ANOTHER) dependencies.notice(`${place.file}: ${message}`);
  }
}

/** The operation whose records must be accepted first, and the attr with which a payload refers to such a record. */
interface Prerequisite {
  readonly operation: Operation;
  readonly key: AttrPath;
  readonly isOwnKey: boolean;
  /** Whether the other records belong to the mapping's own operation, or to one of its steps. */
  readonly isOwnOperation: boolean;
}

/**
 * Returns the prerequisite that `after` in a mapping declares. If `after` names no attr, both records have the same
 * key.
 * @throws Failure `mapping_invalid` if no attr refers to the prerequisite, if the mapping does not set one of its path
 * parameters, or if every record would depend on itself
 */
function prerequisiteOf(
  document: MappingDocument,
  own: Operation,
  { contract, mapping: { keyAttr } }: { readonly contract: Contract; readonly mapping: Mapping },
): Prerequisite | undefined {
  const { after, file, lineOf } = document;
  if (after === undefined) return undefined;
  const attr = after.key ?? keyAttr;
  const place = { file, line: lineOf(["after"]) };
  const refused = (message: string, hint: string): Failure => new Failure("mapping_invalid", message, { hint, place });
  if (attr === undefined) {
    throw refused(
      "`after` does not specify which attr of a payload refers to the other record",
      "write `after: { operation: ..., key: ... }`, or set `key` in the mapping",
    );
  }
  const operation = findOperation(contract, after.operation);
  const missing = namesInPath(operation.path).find((name) => document.parameters[name] === undefined);
  if (missing !== undefined) {
    throw refused(
      `\`after\` names an operation with the path parameter "${missing}", which this mapping does not set`,
      `the records of ${operation.id} are identified by their key and their path parameters: set the same parameters, or name another operation`,
    );
  }
  const isOwnKey = keyAttr !== undefined && formatAttr(attr) === formatAttr(keyAttr);
  const { method, path } = operation;
  const addresses: readonly OperationAddress[] = [own, ...own.steps.map((step) => step.operation)];
  const isOwnOperation = addresses.some((one) => one.method === method && one.path === path);
  if (!isOwnKey || !isOwnOperation) return { operation, key: attr, isOwnKey, isOwnOperation };
  throw refused(
    "`after` names this mapping's own operation, so every record would wait for itself",
    "set `after` to the operation whose records must be accepted first, or use `after: { operation: ..., key: ... }` with another attr",
  );
}
