import type { CompiledJob } from "../../job/job.ts";
import type { InputRecord } from "../../model/record.ts";
import { checkAfterCalls, checkBatches } from "./check-batches.ts";
import type { ByteChunk, ChunkSource } from "../bytes/chunk-pieces.ts";
import { type ChunkAnswer, checkChunks, type ChunkSettings } from "./check-chunks.ts";
import { type PackedRecords, recordUnpacker } from "./packed-records.ts";

/** A part of the input: bytes, or records if other threads cannot read the bytes. */
export type ChunkTask = ByteChunk | PackedRecords;

export interface TaskChecks {
  /** Checks a task. Call this for one task at a time. */
  readonly ofTask: (task: ChunkTask) => ChunkAnswer | Promise<ChunkAnswer>;
  /** Checks records whose numbers continue across all calls. */
  readonly ofRecords: (records: readonly InputRecord[]) => ChunkAnswer | Promise<ChunkAnswer>;
}

export function checkTasks(job: CompiledJob, input: ChunkSource, settings: ChunkSettings): TaskChecks {
  const ofChunk = checkChunks(job, input, settings);
  const checked = checkBatches(job, settings);
  const unpack = recordUnpacker();
  const ofRecords: TaskChecks["ofRecords"] = (records) => {
    if (job.mapping.prepare === undefined) return { unnumbered: 0, checked: checked([{ records }]) };
    return checkAfterCalls(job, [{ records }], checked).then((answer) => ({ unnumbered: 0, checked: answer }));
  };
  return { ofRecords, ofTask: (task) => ("text" in task ? ofRecords(unpack(task)) : ofChunk(task)) };
}
