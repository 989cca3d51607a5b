import { Hono } from "hono";
import { z } from "zod";
import type { JobSettings } from "../../job/settings/job-settings.ts";
import { definedMembers } from "../../json/defined-members.ts";
import type { JsonValue } from "../../json/json-value.ts";
import { RefusedRequest } from "../error-reply.ts";
import { requestBody } from "../request-body.ts";
import { stoppable } from "../stoppable.ts";
import type { WebProject } from "../web-project.ts";
import { findSetup, operationsOf, withSheets } from "./find-setup.ts";
import type {
  DraftRequest,
  FilesData,
  FoundData,
  MappingEdit,
  MappingState,
  SaveData,
  SetupData,
} from "./mapping-data.ts";
import { type MappingJob, pathInMapping, readMappingFile, saveMapping, writeSetup } from "./mapping-file.ts";
import { createMappingService, type MappingService } from "./mapping-service.ts";
import { describeNewSource } from "./new-source.ts";

const json: z.ZodType<JsonValue> = z.json();
const options = z.record(z.string(), json);
const entryPath = z.array(z.union([z.string(), z.int().nonnegative()])).min(1);

const condition = z.object({ column: z.string().min(1), in: z.array(z.string()).min(1) });

const EDIT: z.ZodType<MappingEdit> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("connect"), path: entryPath, source: z.string(), column: z.string() }),
  z.object({ kind: z.literal("disconnect"), path: entryPath }),
  z.object({ kind: z.literal("set"), path: entryPath, leaf: options }),
  z.object({ kind: z.literal("rows"), path: entryPath, source: z.string().nullable() }),
  z.object({ kind: z.literal("addPart"), path: entryPath, source: z.string().optional(), when: condition.optional() }),
  z.object({ kind: z.literal("part"), path: entryPath, when: condition.nullable() }),
  z.object({ kind: z.literal("removePart"), path: entryPath }),
  z.object({ kind: z.literal("functions"), module: z.string().min(1).nullable() }),
  z.object({
    kind: z.literal("addSource"),
    name: z.string().regex(/^[^.\s]+$/),
    file: z.string().min(1),
    key: z.string().optional(),
    parent: z.string(),
    column: z.string(),
    parentColumn: z.string(),
  }),
  z.object({ kind: z.literal("source"), name: z.string().min(1), options }),
]);

const SETUP: z.ZodType<SetupData> = z.object({
  contract: z.array(z.string()),
  operation: z.string().optional(),
  sources: z.array(z.string()),
  supplier: z.string().optional(),
  encoding: z.string().optional(),
});

const DRAFT = z.object({ text: z.string(), showValues: z.boolean(), setup: SETUP.optional() });

/**
 * `GET /` returns the saved mapping, or the files from which a first mapping can be created. `POST /operations` and
 * `/guess` start a mapping. `POST /view` and `/check` change and try a mapping without saving it. `POST /save` saves
 * the mapping. `GET /files` and `POST /source` describe files that a mapping can use.
 */
export function mappingRoutes(project: WebProject): Hono {
  const service = createMappingService();
  const { dependencies, withSettings } = project;
  const withJob = <T>(setup: SetupData | undefined, action: (job: MappingJob) => Promise<T>): Promise<T> =>
    withSettings(({ job }) => action(mappingJob(job, setup)));
  return new Hono()
    .get("/", async (context) => context.json(await withJob(undefined, (job) => readState(job, project))))
    .post("/operations", async (context) => {
      const setup = await requestBody(context, SETUP);
      return context.json(await withJob(setup, (job) => operationsOf(job, dependencies)));
    })
    .post("/guess", async (context) => {
      const setup = await requestBody(context, SETUP);
      const { text, encoding } = await withJob(setup, (job) =>
        service.guess({ ...job, sources: setup.sources }, stoppable(dependencies, context)),
      );
      return context.json({ text, setup: { ...setup, ...definedMembers({ encoding }) } });
    })
    .post("/view", async (context) => {
      const { edits, ...draft } = await requestBody(context, DRAFT.extend({ edits: z.array(EDIT) }));
      return context.json(await withJob(draft.setup, (job) => service.view({ ...draft, job }, edits, dependencies)));
    })
    .post("/check", async (context) => {
      const draft = await requestBody(context, DRAFT);
      const stopping = stoppable(dependencies, context);
      return context.json(await withJob(draft.setup, (job) => service.check({ ...draft, job }, stopping)));
    })
    .get("/files", async (context) => context.json(await withJob(undefined, (job) => filesOf(job, project))))
    .post("/source", async (context) => {
      const { file, text, setup } = await requestBody(context, DRAFT.extend({ file: z.string() }));
      if (!(await sourcesIn(project)).includes(file))
        throw new RefusedRequest(
          400,
          "invalid_request",
          `The project folder has no extract ${file}`,
          "Reload the page.",
        );
      const stopping = stoppable(dependencies, context);
      return context.json(await withJob(setup, (job) => describeNewSource({ job, text, file }, stopping)));
    })
    .post("/save", async (context) => {
      const body = await requestBody(context, DRAFT.extend({ base: z.string().optional() }));
      return context.json(await withJob(body.setup, (job) => save(job, body, { service, project })));
    });
}

/**
 * Returns the settings for a mapping. With a setup, omits the configured sources, because a mapping names its own
 * sources.
 */
function mappingJob(job: JobSettings, setup: SetupData | undefined): MappingJob {
  const mapping = job.mapping ?? "mapping.yaml";
  if (setup === undefined) return { ...job, mapping };
  const { contract, operation, supplier, encoding } = setup;
  return {
    ...job,
    mapping,
    contract,
    operation,
    sources: [],
    namedSources: {},
    supplier: supplier ?? "TODO",
    ...definedMembers({ encoding }),
  };
}

async function readState(job: MappingJob, { folder }: WebProject): Promise<MappingState> {
  const { file, content } = await readMappingFile(job);
  if (content !== undefined) return { file, saved: content };
  return { file, start: startOf(job, await findSetup(folder)) };
}

async function sourcesIn({ folder }: WebProject): Promise<readonly string[]> {
  return withSheets(folder, (await findSetup(folder)).sources);
}

const TABLE = /\.(?:csv|tsv|txt)$/i;

/**
 * Finds the files of the project. Paths of lookup tables and modules are relative to the mapping, as in the mapping
 * file.
 */
async function filesOf(job: MappingJob, { folder }: WebProject): Promise<FilesData> {
  const { sources, modules } = await findSetup(folder);
  const named = (file: string): string => pathInMapping(job, file);
  return {
    sources: await withSheets(folder, sources),
    tables: sources.filter((file) => TABLE.test(file)).map(named),
    modules: modules.map(named),
  };
}

/**
 * Lists the files from the settings first, and selects them. If the settings name no sources, selects all sources that
 * were found. If they name no contract, selects the first contract that was found.
 */
function startOf(
  { contract, operation, sources, supplier, encoding }: MappingJob,
  found: FoundData,
): NonNullable<MappingState["start"]> {
  const [document = found.contracts[0] ?? "", ...overlays] = contract;
  const chosen = sources.length > 0 ? sources : found.sources;
  return {
    sources: [...new Set([...sources, ...found.sources])],
    contracts: [...new Set([...contract.slice(0, 1), ...found.contracts])],
    overlays: [...new Set([...overlays, ...found.overlays])],
    chosen: {
      contract: [document, ...overlays].filter((file) => file !== ""),
      sources: chosen,
      ...definedMembers({ operation, supplier, encoding }),
    },
  };
}

interface SaveRequest extends DraftRequest {
  /** The hash of the file from which the text was derived; absent for a new file. */
  readonly base?: string | undefined;
}

async function save(
  job: MappingJob,
  { text, showValues, base, setup }: SaveRequest,
  { service, project }: { readonly service: MappingService; readonly project: WebProject },
): Promise<SaveData> {
  const { dependencies, configSchema } = project;
  const { error } = await service.view({ job, text, showValues }, [], dependencies);
  if (error?.code === "mapping_invalid") {
    const message = "The mapping is not saved, because it has an error";
    throw new RefusedRequest(422, error.code, message, "Correct the error, or undo the change.");
  }
  const saved = await saveMapping(job, { text, base });
  if (saved.kind === "changed") throw changed(saved.file);
  if (setup === undefined) return { hash: saved.hash, written: saved.written };
  const operation = await service.operation({ job, text }, dependencies);
  const supplier = setup.supplier === "" ? undefined : setup.supplier;
  const written = await writeSetup({ ...job, supplier }, { operation, configSchema: configSchema() });
  return { hash: saved.hash, written: [...saved.written, ...written] };
}

function changed(file: string): RefusedRequest {
  return new RefusedRequest(
    409,
    "mapping_changed",
    `${file} has changed since this page read it, so it was not overwritten`,
    "Your changes are still here. Apply them to the new version, or discard them.",
  );
}
