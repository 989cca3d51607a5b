import type { CheckProgress, Dependencies } from "../../job/dependencies.ts";
import { describeTemporaryRun } from "../../job/settings/recorded-settings.ts";
import type { PayloadFinding } from "../../model/problem.ts";
import { checkDocuments, documentFinder } from "../../pipeline/plan/look-up-documents.ts";
import { endRun, type RunReport } from "../../pipeline/run/run-report.ts";
import { type RunOptions, withUnsentRun } from "../../pipeline/run/with-run.ts";
import { readTextFile } from "../../read/text/text-file.ts";
import type { DocumentStore } from "../../store/document-store.ts";
import { openStore } from "../../store/open-store.ts";
import type { BucketSettings } from "../../store/s3-bucket.ts";
import { formatCount } from "../../text/count.ts";

export interface DocumentsCheckOptions extends RunOptions {
  readonly store: StoreSettings;
  /** Maximum number of concurrent requests to the store. */
  readonly concurrency: number;
}

/** The location of the documents, and how to connect to the store. Contains no secrets. */
export interface StoreSettings extends BucketSettings {
  /** A folder, or `s3://bucket`. */
  readonly location: string;
  /** Suppliers whose documents are in another bucket, which this check does not query, and their buckets. */
  readonly otherBuckets?: ReadonlyMap<string, string> | undefined;
  /** PEM file of a certificate authority to trust in addition to the defaults. */
  readonly ca?: string | undefined;
  /** Path of a private file with an access key. */
  readonly credentialsFile?: string | undefined;
  /** Command-line arguments that select the same store in a suggested command. */
  readonly flags: readonly string[];
}

/** Reads and maps the whole input, looks up every referenced document in the store, and reports missing documents. */
export function documentsCheck(options: DocumentsCheckOptions, dependencies: Dependencies): Promise<RunReport> {
  const { allowEmpty, maxErrors, concurrency } = options;
  const { otherBuckets } = options.store;
  return withUnsentRun({ options, flags: options.store.flags }, dependencies, async (job, closeLater) => {
    // If the contract marks no document paths, this call fails before the first request to the store.
    documentFinder(job);
    const store = closeLater(await openConfiguredStore(options, dependencies));
    return {
      newRun: describeTemporaryRun("documents check", job, dependencies.clock),
      work: async (run) => {
        const counts = createDocumentCounts();
        const { drain: signal } = dependencies;
        const onProgress = (checked: CheckProgress): void => dependencies.onProgress({ kind: "checked", ...checked });
        const checkOptions = { allowEmpty, maxErrors, signal, onProgress, shownValues: run.shownValues, concurrency };
        const lookup = { ...checkOptions, otherBuckets, onDocument: counts.count };
        const checked = await checkDocuments(job, run, store, lookup);
        dependencies.notice(counts.words(store.name));
        return endRun(run, { checked });
      },
    };
  });
}

async function openConfiguredStore(
  { store, concurrency }: DocumentsCheckOptions,
  dependencies: Dependencies,
): Promise<DocumentStore> {
  const { clock, random, userAgent } = dependencies;
  const ca = store.ca === undefined ? undefined : (await readTextFile(store.ca)).text;
  return openStore({
    ...store,
    ca,
    credentials: () => dependencies.storeCredentials(store.credentialsFile),
    connections: concurrency,
    clock,
    random,
    userAgent,
  });
}

function createDocumentCounts() {
  const counts = { there: 0, missing: 0, unsafe: 0 };
  return {
    count: (finding: PayloadFinding | undefined) => {
      if (finding === undefined) counts.there += 1;
      else if (finding.code === "unsafe_document_path") counts.unsafe += 1;
      else counts.missing += 1;
    },
    words: (store: string) => {
      const { there, missing, unsafe } = counts;
      const all = formatCount(there + missing + unsafe);
      const unsafeWords = unsafe === 0 ? "" : `, ${formatCount(unsafe)} unsafe`;
      const hint = there === 0 && missing > 0 ? "; none of them exists, so check --store and the root location" : "";
      return `Document paths: ${all}, of which ${formatCount(missing)} missing from ${store}${unsafeWords}${hint}`;
    },
  };
}
