import path from "node:path";
import { type Job, openJob } from "../../../src/job/job.ts";

/** Opens the job of a folder with `contract.yaml` and `mapping.yaml`, at a fixed time. */
export function openFolder(folder: string): Promise<Job> {
  const settings = { folder, contract: ["contract.yaml"], mapping: "mapping.yaml", sources: [], namedSources: {} };
  return openJob(settings, {
    temporaryFolder: path.join(folder, "temp"),
    notice: () => undefined,
    clock: { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() },
  });
}
