import { open } from "node:fs/promises";
import path from "node:path";
import { errorCode } from "../../files/error-code.ts";
import { makeFolder } from "../../files/make-folder.ts";
import { refuseSharedFolder } from "../../files/shared-folder.ts";
import { readContractWithFindings, usableOperation, isShippedOverlay } from "../../job/contract-files.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import type { JobSettings } from "../../job/settings/job-settings.ts";
import type { JsonObject } from "../../json/json-value.ts";
import type { Operation } from "../../contract/operations/operation.ts";
import { counted } from "../../text/count.ts";
import { shellCommand } from "../../text/shell-command.ts";
import { fieldsOf } from "./guess/region.ts";
import { remedyOf } from "../../files/write-error.ts";
import { Failure } from "../../model/failure.ts";
import { printableJson } from "../../terminal/safe-json.ts";
import { DEFAULT_LIMITS } from "../../read/read-limits.ts";
import { checkMapping, type MappingCheck } from "./check-mapping.ts";
import { type GuessedMapping, guessMapping } from "./guess/guess-mapping.ts";
import { type NamedFiles, type ProfileOptions, profileSources, type SourceProfile } from "./profile/profile-sources.ts";
import { mappingSchema } from "../../map/schema/mapping-schema.ts";
import {
  BLANK,
  commentLine,
  CONFIG_SCHEMA_FILE,
  MAPPING_SCHEMA_FILE,
  renderLines,
  schemaLine,
  yamlText,
} from "./write/yaml-text.ts";
import { lacksParameters, mappingText, oneOrMore, relativePath } from "./write/mapping-text.ts";

export interface GuessedJob {
  /** Contract, operation, sources, supplier, encoding, delimiter. */
  readonly job: JobSettings;
  readonly out: string;
  /** Name of the source whose rows are the records; default: guessed. */
  readonly root?: string | undefined;
  /** Name of the column in the root source that identifies a record; default: guessed. */
  readonly key?: string | undefined;
}

export interface InitOptions extends GuessedJob {
  /** JSON Schema of a configuration file, for editors. */
  readonly configSchema: JsonObject;
}

export interface PreparedInit {
  readonly sources: readonly SourceProfile[];
  readonly guessed: GuessedMapping;
  /** The encoding of sources that do not declare an encoding; undefined for UTF-8. */
  readonly encoding: string | undefined;
  /** The content of the mapping file. */
  readonly mapping: string;
}

interface WrittenFiles {
  readonly written: readonly string[];
  /** Existing files that were left unchanged. */
  readonly kept: readonly string[];
}

export interface InitResult extends PreparedInit, WrittenFiles {
  /** The result of validating records with the generated mapping; undefined if the mapping lacks parameters. */
  readonly check: MappingCheck | undefined;
}

/**
 * Analyses extracts, and writes a guessed mapping and a configuration file. Opens no connection.
 * @throws Failure `usage` if no source is named, a source already contains payloads, a mapping already exists, or other
 * users can write to the folder; `config` and `source_...` for unreadable files; `storage` if a file cannot be written
 */
export async function init(options: InitOptions, dependencies: Dependencies): Promise<InitResult> {
  const { job, out, configSchema } = options;
  const file = path.join(out, "mapping.yaml");
  await refuseExisting(file);
  const prepared = await prepareInit(options, dependencies);
  const { guessed, encoding, mapping } = prepared;
  const files = await writeInitFiles(out, [
    [file, mapping],
    ...setupTexts({ ...job, encoding }, { out, operation: guessed.operation, configSchema }),
  ]);
  const supplier = job.supplier ?? "TODO";
  const settings = { ...job, sources: [], namedSources: {}, corrections: undefined, mapping: file, encoding, supplier };
  const check = lacksParameters(guessed) ? undefined : await checkMapping(settings, dependencies);
  return { ...prepared, ...files, check };
}

/**
 * Analyses extracts and guesses a mapping for a file in the folder `out`. Writes nothing.
 * @throws the failures of `init`, except those for existing and unwritable files
 */
export async function prepareInit(
  { job, out, root, key }: GuessedJob,
  dependencies: Dependencies,
): Promise<PreparedInit> {
  const contract = await readContractWithFindings(job.contract, dependencies, job.rules);
  const operation = usableOperation(contract, job.operation, job.contract);
  const sources = await profileSources(namedFiles(job), profileOptions(job, dependencies));
  refusePayloads(sources, operation);
  const guessed = guessMapping(sources, { operation, contract, supplier: job.supplier, root, key });
  for (const { columns } of sources) for (const { hashes } of columns) hashes.close();
  // One setting applies to all files that do not declare their encoding.
  const first = sources.flatMap(({ files }) => files).find(({ encoding }) => encoding?.guessed);
  const encoding = job.encoding ?? first?.encoding?.name;
  return { sources, guessed, encoding, mapping: mappingText(guessed, out) };
}

type FileText = readonly [file: string, text: string];

interface SetupOptions {
  readonly out: string;
  readonly operation: Operation;
  readonly configSchema: JsonObject;
}

/** Returns the files that are written in addition to the mapping: the configuration, and the schemas for editors. */
export function setupTexts(job: JobSettings, { out, operation, configSchema }: SetupOptions): readonly FileText[] {
  return [
    [path.join(out, "migrate.yaml"), configText(job, out)],
    [path.join(out, MAPPING_SCHEMA_FILE), `${printableJson(mappingSchema(operation))}\n`],
    [path.join(out, CONFIG_SCHEMA_FILE), `${printableJson(configSchema)}\n`],
  ];
}

/**
 * Writes files that do not exist yet.
 * @throws Failure `usage` if other users can write to the folder, `storage` if a file cannot be written
 */
export async function writeInitFiles(out: string, texts: readonly FileText[]): Promise<WrittenFiles> {
  try {
    makeFolder(out);
  } catch (error) {
    refuseUnwritable(out, error);
  }
  await refuseSharedFolder(out);
  const written: string[] = [];
  for (const [file, text] of texts) if (await writeNew(file, text)) written.push(file);
  return { written, kept: texts.map(([file]) => file).filter((file) => !written.includes(file)) };
}

const NOTICE_EVERY = 1_000_000;

/**
 * Returns the options for reading extracts. Progress is reported after every million rows, because large files take a
 * while.
 */
export function profileOptions(
  { encoding, delimiter }: JobSettings,
  { notice, temporaryFolder, drain }: Dependencies,
): ProfileOptions {
  let next = NOTICE_EVERY;
  return {
    opening: {
      encoding,
      delimiter,
      limits: DEFAULT_LIMITS,
      notify: (file, text) => notice(`${file}: ${text}`),
      displayName: (file) => file,
    },
    temporaryFolder,
    onRows(rows) {
      if (rows < next) return;
      next = rows - (rows % NOTICE_EVERY) + NOTICE_EVERY;
      notice(`${counted(rows, "row")} read`);
    },
    signal: drain,
  };
}

/** Throws if the rows are already payloads, which need no mapping. */
function refusePayloads(sources: readonly SourceProfile[], { body }: Operation): void {
  const names = new Set((body && fieldsOf(body))?.map(({ name }) => name));
  for (const { files, columns } of sources) {
    const members = [...new Set(columns.map(({ name }) => name.split(".")[0] ?? ""))];
    const known = members.filter((name) => names.has(name)).length;
    const [file] = files;
    if (file === undefined || file.delimiter !== undefined || known < 3 || known < members.length * 0.8) continue;
    throw new Failure("usage", `${file.file}: its records are already payloads, so they need no mapping`, {
      hint: `omit this file, and run \`${shellCommand(["migrate", "validate", file.file])}\` without a mapping`,
    });
  }
}

function namedFiles({ sources, namedSources }: JobSettings): readonly NamedFiles[] {
  const named = Object.entries(namedSources).map(([name, patterns]) => ({ name, patterns }));
  if (sources.includes("-")) {
    throw new Failure("usage", "init cannot read standard input, because a mapping must name its source files", {
      hint: "write the input to a file, and pass the file",
    });
  }
  if (sources.length + named.length > 0) return [...named, { name: undefined, patterns: sources }];
  throw new Failure("usage", "no sources are given", {
    hint: 'pass all files of the extract: migrate init "extracts/*.csv" --contract ...',
  });
}

async function refuseExisting(file: string): Promise<void> {
  const handle = await open(file, "r").catch(() => undefined);
  if (handle === undefined) return;
  await handle.close();
  throw new Failure("usage", `${file} already exists, and init does not overwrite files`, {
    hint: "choose another folder with --out, or add missing required fields to the mapping with --update",
  });
}

/** Returns false if the file already exists. */
async function writeNew(file: string, text: string): Promise<boolean> {
  try {
    const handle = await open(file, "wx", 0o600);
    await handle.writeFile(text);
    await handle.close();
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    return refuseUnwritable(file, error);
  }
}

function refuseUnwritable(file: string, cause: unknown): never {
  throw new Failure("storage", `${file} cannot be written`, {
    hint: `${remedyOf(cause, file)}, or choose another folder with --out`,
    cause,
  });
}

/** Returns the content of `migrate.yaml`: the settings that all commands in a folder share. */
function configText({ contract, supplier, delimiter, encoding }: JobSettings, out: string): string {
  const files = contract.map((file) => yamlText(isShippedOverlay(file) ? file : relativePath(file, out)));
  const scope = "for all files without a byte order mark";
  return renderLines([
    commentLine(0, schemaLine(CONFIG_SCHEMA_FILE)),
    BLANK,
    commentLine(0, "Settings for all commands in this folder. Flags and MIGRATE_* variables override them."),
    { depth: 0, text: `contract: ${oneOrMore(files)}` },
    { depth: 0, text: "mapping: mapping.yaml" },
    supplier === undefined
      ? { depth: 0, text: "supplier: TODO", comment: "TODO the code of your import supplier" }
      : { depth: 0, text: `supplier: ${yamlText(supplier)}` },
    ...(encoding === undefined ? [] : [{ depth: 0, text: `encoding: ${encoding}`, comment: scope }]),
    ...(delimiter === undefined ? [] : [{ depth: 0, text: `delimiter: ${JSON.stringify(delimiter)}` }]),
    BLANK,
    ...TARGET.map((comment) => commentLine(0, comment)),
  ]);
}

const TARGET = [
  "The platform to push to. Fill in its base URL, and uncomment the lines:",
  "target: test",
  "targets:",
  '  test: { baseUrl: "https://.../v1/", environment: test }',
];
