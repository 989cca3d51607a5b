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
import { supplierIn } from "../../job/settings/supplier-settings.ts";
import { mapRecords, perDocumentRoot, readRecords, selectRecords } from "./check-records.ts";
import { type CheckResult, writeRecords, type PlanOptions, type PlanHandle } from "./plan-records.ts";

interface LookupOptions {
  /** Maximum number of concurrent queries to the store. */
  readonly concurrency: number;
  readonly shownValues?: ShownValues | undefined;
  /** Suppliers whose documents are not in the store, and their buckets. */
  readonly otherBuckets?: ReadonlyMap<string, string> | undefined;
  /** Called for every document path, with the problem of the path, if any. */
  readonly onDocument: (finding: PayloadFinding | undefined) => void;
}

export interface DocumentOptions extends PlanOptions, LookupOptions {}

/**
 * Runs the pipeline of `documents check`: sources -> rows -> payloads -> document paths -> store queries -> plan.
 * @throws Failure `config` if the contract marks no document path; errors from the store
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
  return writeRecords(records, { job, handle }, options);
}

/** Number of batches that are looked up in advance. */
const LOOKAHEAD_BATCHES = 8;
/** Maximum number of paths with cached answers. The oldest paths are dropped, and queried again when they recur. */
const MAX_CACHED_PATHS = 50_000;

/**
 * Returns a function that finds the document paths of the job's operation in a payload.
 * @throws Failure `config` if the contract marks no document path, because there is then nothing to check
 */
export function documentFinder({ operation }: Job): FindDocuments {
  const find = operation.body && compileDocumentPaths(operation.body);
  if (find !== undefined) return find;
  throw new Failure("config", `the contract marks no field of "${operation.id}" as a document path`, {
    hint: "mark such fields with `x-document-path: true`, in an overlay (docs/contract.md)",
  });
}

/**
 * Replaces the problems of records with the problems of their document paths. Does not query the store for unsafe
 * paths. Records that could not be read keep their problems, because they cannot be checked.
 */
export async function* lookUpDocuments(
  records: AsyncIterable<readonly MappedRecord[]>,
  { job, store, find }: { readonly job: Job; readonly store: DocumentStore; readonly find: FindDocuments },
  options: LookupOptions,
): AsyncGenerator<readonly MappedRecord[]> {
  const has = queryOnce(store, options.concurrency);
  const pathCheckOf = perDocumentRoot(job, (root) => createPathCheck(store, rootWithoutSlashes(root), has));
  const underWay: Promise<readonly MappedRecord[]>[] = [];
  for await (const batch of records) {
    const checked = Promise.all(batch.map((record) => checkRecord(record, { job, find, pathCheckOf, options })));
    // The promise is awaited later. Until then, Node.js must not treat its rejection as unhandled.
    checked.catch(() => undefined);
    underWay.push(checked);
    const first = underWay.length < LOOKAHEAD_BATCHES ? undefined : underWay.shift();
    if (first !== undefined) yield await first;
  }
  for (const checked of underWay) yield await checked;
}

type CheckPath = (path: string) => Promise<PayloadFinding | undefined>;

/** Returns a function that queries the store by full document path and caches the answers. */
function queryOnce(store: DocumentStore, concurrency: number): DocumentStore["has"] {
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

async function checkRecord(record: MappedRecord, context: RecordContext): Promise<MappedRecord> {
  const { find, pathCheckOf, options } = context;
  if (!record.readable) return record;
  const documents = find(record.payload);
  if (documents.length > 0) requireSameBucket(record, context);
  const checkPath = pathCheckOf(record.payload);
  const findings = await Promise.all(documents.map(({ value }) => checkPath(value)));
  const problems: Problem[] = [];
  for (const [index, document] of documents.entries()) {
    const finding = findings[index];
    options.onDocument(finding);
    if (finding !== undefined) addProblem(problems, problemAt(document, finding, record, context));
  }
  return { ...record, problems };
}

/** @throws Failure `config` if the record's supplier has another bucket, because the store has none of its documents */
function requireSameBucket({ payload, row }: MappedRecord, { job, options: { otherBuckets } }: RecordContext): void {
  const code = supplierIn(payload, job.operation) ?? "";
  const bucket = otherBuckets?.get(code);
  if (bucket === undefined) return;
  throw new Failure("config", `the documents of supplier ${code} are in another bucket, ${bucket}`, {
    hint: "check an extract with only this supplier's records, and name the supplier with --supplier",
    place: { file: row.table.file, line: row.line },
  });
}

function problemAt(
  { path, value }: FoundDocument,
  finding: PayloadFinding,
  { row }: MappedRecord,
  { job, options }: RecordContext,
): Problem {
  const place = job.mapping.locate(row, path);
  const attr = formatAttr(path);
  if (place !== undefined) options.shownValues?.noteValue(place, attr, value);
  const found = { attr, severity: "error", by: "local", shape: shapeOf(value), ...finding } as const;
  return place === undefined ? found : { ...found, place };
}
