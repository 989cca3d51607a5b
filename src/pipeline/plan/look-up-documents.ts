import pLimit from "p-limit";
import { formatAttr } from "../../json/attr.ts";
import type { JsonObject } from "../../json/json-value.ts";
import { Failure } from "../../model/failure.ts";
import type { PayloadFinding, Problem } from "../../model/problem.ts";
import { addProblem } from "../../model/problem-limit.ts";
import type { MappedRecord } from "../../model/record.ts";
import { shapeOf } from "../../text/shape.ts";
import type { ShownValues } from "../../report/shown-values.ts";
import type { DocumentStore } from "../../store/document-store.ts";
import {
  compileDocumentPaths,
  documentPathCheck,
  type FindDocuments,
  type FoundDocument,
  rootWithoutSlashes,
} from "../../validate/document-paths.ts";
import type { Job } from "../../job/job.ts";
import { mapRecords, perDocumentRoot, readRecords, selectRecords } from "./check-records.ts";
import { type CheckResult, listRecords, type PlanOptions, type PlanHandle } from "./plan-records.ts";

export interface DocumentOptions extends PlanOptions {
  /** Questions to the store at once. */
  readonly concurrency: number;
  readonly shownValues?: ShownValues | undefined;
  /** Told of every document path, with what is wrong with it. */
  readonly onDocument: (finding: PayloadFinding | undefined) => void;
}

/**
 * The line of `documents check`: sources -> rows -> payloads -> their document paths, asked of the store -> plan.
 * @throws Failure `config` when the contract marks no document path, and what the store ends a run with
 */
export async function checkDocuments(
  job: Job,
  handle: PlanHandle,
  store: DocumentStore,
  options: DocumentOptions,
): Promise<CheckResult> {
  const find = documentFinder(job);
  const rows = readRecords(job, options.signal);
  const payloads = selectRecords(mapRecords(rows, job), job.settings);
  const records = lookUpDocuments(payloads, { job, store, find }, options);
  return listRecords(records, { job, handle }, options);
}

type LookupOptions = Pick<DocumentOptions, "concurrency" | "shownValues" | "onDocument">;

/** Batches that are being looked up while an earlier one is waited for. */
const LOOKAHEAD_BATCHES = 8;
/** Paths whose answers are remembered; the oldest are forgotten, and asked for again where they come up again. */
const MAX_CACHED_PATHS = 50_000;

/**
 * The document paths of the job's operation.
 * @throws Failure `config` when the contract marks none: there would be nothing to check, whatever the input
 */
export function documentFinder({ operation }: Pick<Job, "operation">): FindDocuments {
  const find = operation.body && compileDocumentPaths(operation.body);
  if (find !== undefined) return find;
  throw new Failure("config", `the contract marks no field of "${operation.id}" as the path of a document`, {
    hint: "mark such fields with `x-document-path: true`, in an overlay (docs/contract.md)",
  });
}

/**
 * Records -> the same records with what is wrong with their document paths, and nothing else: a path that is not safe
 * is not asked for. Problems of reading stay, because such a record could not be looked into.
 */
export async function* lookUpDocuments(
  records: AsyncIterable<readonly MappedRecord[]>,
  { job, store, find }: { readonly job: Job; readonly store: DocumentStore; readonly find: FindDocuments },
  options: LookupOptions,
): AsyncGenerator<readonly MappedRecord[]> {
  const has = askOnce(store, options.concurrency);
  const pathCheckOf = perDocumentRoot(job, (root) => createPathCheck(store, rootWithoutSlashes(root), has));
  const underWay: Promise<readonly MappedRecord[]>[] = [];
  for await (const batch of records) {
    const checked = Promise.all(batch.map((record) => checkRecord(record, { job, find, pathCheckOf, options })));
    // It is waited for in its turn; until then nobody handles a failure of it.
    checked.catch(() => undefined);
    underWay.push(checked);
    const first = underWay.length < LOOKAHEAD_BATCHES ? undefined : underWay.shift();
    if (first !== undefined) yield await first;
  }
  for (const checked of underWay) yield await checked;
}

type CheckPath = (path: string) => Promise<PayloadFinding | undefined>;

/** Questions to the store, by the whole place of a document. */
function askOnce(store: DocumentStore, concurrency: number): DocumentStore["has"] {
  const limit = pLimit(concurrency);
  const cache = new Map<string, Promise<boolean>>();
  return (key) => {
    const known = cache.get(key);
    if (known !== undefined) return known;
    const answer = limit(() => store.has(key));
    cache.set(key, answer);
    const [oldest] = cache.size > MAX_CACHED_PATHS ? cache.keys() : [];
    if (oldest !== undefined) cache.delete(oldest);
    return answer;
  };
}

function createPathCheck({ name }: DocumentStore, root: string, has: DocumentStore["has"]): CheckPath {
  const reasonAgainst = documentPathCheck(root);
  const under = root === "" ? name : `${name}/${root}`;
  return async (path) => {
    const reason = reasonAgainst(path);
    if (reason !== undefined) return { code: "unsafe_document_path", reason };
    return (await has(root === "" ? path : `${root}/${path}`))
      ? undefined
      : { code: "path_does_not_exist_in_file_store", under };
  };
}

interface RecordContext {
  readonly job: Job;
  readonly find: FindDocuments;
  readonly pathCheckOf: (payload: JsonObject) => CheckPath;
  readonly options: LookupOptions;
}

async function checkRecord(
  record: MappedRecord,
  { job, find, pathCheckOf, options }: RecordContext,
): Promise<MappedRecord> {
  if (!record.readable) return record;
  const documents = find(record.payload);
  const checkPath = pathCheckOf(record.payload);
  const findings = await Promise.all(documents.map(({ value }) => checkPath(value)));
  const problems: Problem[] = [];
  for (const [index, document] of documents.entries()) {
    const finding = findings[index];
    options.onDocument(finding);
    if (finding !== undefined) addProblem(problems, problemAt(document, finding, { record, job, options }));
  }
  return { ...record, problems };
}

function problemAt(
  { path, value }: FoundDocument,
  finding: PayloadFinding,
  { record, job, options }: { readonly record: MappedRecord } & Pick<RecordContext, "job" | "options">,
): Problem {
  const place = job.mapping.locate(record.row, path);
  if (place !== undefined) options.shownValues?.noteValue(place, value);
  const found = { attr: formatAttr(path), severity: "error", by: "local", shape: shapeOf(value), ...finding } as const;
  return place === undefined ? found : { ...found, place };
}
