import { checkDocuments } from "../migrate.ts";
import type { PayloadFinding } from "../model/problem.ts";
import { readTextFile } from "../read/text/text-file.ts";
import { createShownValues } from "../report/shown-values.ts";
import { documentFinder } from "../pipeline/look-up-documents.ts";
import { openJob } from "../job/job.ts";
import { closeAfterReport } from "../pipeline/with-run.ts";
import type { Dependencies } from "../job/dependencies.ts";
import type { RunOptions } from "../pipeline/with-run.ts";
import type { RunReport } from "../pipeline/run-report.ts";
import { endRun, requireReportFolder } from "../pipeline/run-report.ts";
import { withStandardInput } from "../job/standard-input.ts";
import { openTemporaryRun } from "../pipeline/run-ledger.ts";
import type { BucketSettings } from "../store/s3-bucket.ts";
import type { DocumentStore } from "../store/document-store.ts";
import { openStore } from "../store/open-store.ts";

export interface DocumentsCheckOptions extends RunOptions {
  readonly store: StoreSettings;
  /** Questions to the store at once. */
  readonly concurrency: number;
}

/** Where the documents lie, and how to ask there. Holds no secret. */
export interface StoreSettings extends BucketSettings {
  /** A folder, or `s3://bucket`. */
  readonly location: string;
  /** PEM file of an authority to trust beside the usual ones. */
  readonly ca?: string | undefined;
  /** Private file with an access key. */
  readonly credentialsFile?: string | undefined;
  /** The flags that name this store again, as words of a command. */
  readonly flags: readonly string[];
}

/** Reads and maps the whole input, asks the store for every document that it points to, and reports those it lacks. */
export function documentsCheck(options: DocumentsCheckOptions, dependencies: Dependencies): Promise<RunReport> {
  return closeAfterReport(async (keep) => {
    const { out, showValues, allowEmpty, maxErrors, concurrency } = options;
    const job = await openJob(
      await withStandardInput(options.job, dependencies.temporaryFolder, dependencies),
      dependencies,
    );
    keep(job.input);
    await requireReportFolder(out, job);
    // Before anything is asked of the store.
    documentFinder(job);
    const store = keep(await openConfiguredStore(options, dependencies));
    const { ledger, run } = keep(await openTemporaryRun("documents check", job, dependencies));
    const shownValues = showValues ? createShownValues() : undefined;
    const tally = createDocumentCounts();
    const { drain: signal, onCheck: onProgress } = dependencies;
    const checking = { allowEmpty, maxErrors, signal, onProgress, shownValues, concurrency };
    const end = await checkDocuments(job, { ledger, run: run.id }, store, { ...checking, onDocument: tally.count });
    dependencies.notice(tally.words(store.name));
    const { flags } = options.store;
    return endRun({ ledger, run, job, end, shownValues }, { out, showValues, flags }, dependencies);
  });
}

async function openConfiguredStore(
  { store, concurrency }: DocumentsCheckOptions,
  dependencies: Dependencies,
): Promise<DocumentStore> {
  const { clock, random, userAgent } = dependencies;
  const ca = store.ca === undefined ? undefined : (await readTextFile(store.ca)).text;
  const credentials = (): ReturnType<Dependencies["storeCredentials"]> =>
    dependencies.storeCredentials(store.credentialsFile);
  return openStore({ ...store, ca, credentials, connections: concurrency, clock, random, userAgent });
}

interface DocumentCounts {
  readonly count: (finding: PayloadFinding | undefined) => void;
  readonly words: (store: string) => string;
}

function createDocumentCounts(): DocumentCounts {
  const counts = { there: 0, missing: 0, unsafe: 0 };
  return {
    count: (finding) => {
      if (finding === undefined) counts.there += 1;
      else if (finding.code === "unsafe_document_path") counts.unsafe += 1;
      else counts.missing += 1;
    },
    words: (store) => {
      const { there, missing, unsafe } = counts;
      const all = (there + missing + unsafe).toLocaleString("en");
      const unsafeWords = unsafe === 0 ? "" : `, ${unsafe.toLocaleString("en")} unsafe`;
      const hint = there === 0 && missing > 0 ? "; not one of them is there: check --store and the root location" : "";
      return `Document paths: ${all}, of which ${missing.toLocaleString("en")} missing in ${store}${unsafeWords}${hint}`;
    },
  };
}
