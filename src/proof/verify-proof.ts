import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline/promises";
import { z } from "zod";
import type { Dependencies } from "../job/dependencies.ts";
import type { Job } from "../job/job.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "../json/json-value.ts";
import { parseJson } from "../json/parse-json.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Run } from "../ledger/records/run.ts";
import { Failure } from "../model/failure.ts";
import type { Proof } from "../model/proof.ts";
import { plannedRuns } from "../pipeline/run/run-ledger.ts";
import { type PlatformAnswer, type PlatformCheck, platformFile, replayedCheck } from "./platform-check.ts";
import { tablesIn, writeProof } from "./write-proof.ts";

export interface VerifyOptions {
  readonly folder: string;
  readonly ledger: Ledger;
}

/**
 * Rebuilds a proof from the sources and the ledger, and compares it byte by byte with the proof in the folder. Uses the
 * platform's answers from the existing proof, and does not query the platform again. Returns one sentence per
 * difference.
 * @throws Failure `usage` if the folder contains no proof, `run_unknown` if one of its runs is not in the ledger
 */
export async function verifyProof(
  { folder, ledger }: VerifyOptions,
  dependencies: Dependencies,
): Promise<readonly string[]> {
  const { text, proof } = await readProof(folder);
  if (typeof proof === "string") return [proof];
  const again = path.join(dependencies.temporaryFolder, "proof");
  const runs: Run[] = [];
  for (const { run } of proof.runs) runs.push(await requireExactRun(ledger, run));
  const made = await writeProof(
    {
      ledger,
      runs,
      folder: again,
      madeAt: proof.madeAt,
      tool: proof.tool,
      all: proof.coverage !== undefined,
      queryPlatform: (job, _, run) => recordedAnswers(folder, proof, job, run),
    },
    dependencies,
  );
  const omitted = await omittedRuns(proof, ledger);
  const changed = changedSources(proof, made);
  if (changed.length > 0) return [...omitted, ...changed];
  const differences: string[] = [];
  const tables = [...Object.keys(proof.files), ...Object.keys(made.files), ...(await tablesIn(folder))];
  const names = new Set([...tables, "proof.html"]);
  for (const name of names) differences.push(...(await differingFile(name, folder, again)));
  const now = await readFile(path.join(again, "proof.json"), "utf8");
  if (text !== now) differences.unshift(...differingMembers(parseJson(text), parseJson(now)));
  return [...omitted, ...differences];
}

const proofSchema = z.object({
  format: z.literal("migrate-proof/1"),
  tool: z.string(),
  madeAt: z.iso.datetime(),
  runs: z
    .array(
      z.object({
        run: z.string(),
        unreadable: z.string().optional(),
        platform: z.object({ askedAt: z.iso.datetime() }).optional(),
      }),
    )
    .min(1),
  coverage: z.array(z.object({})).optional(),
  files: z.record(z.string().regex(/^[\w.-]+$/), z.string()),
});
type RecordedProof = z.infer<typeof proofSchema>;

/**
 * Reads the recorded proof. If `proof.json` is not a valid proof of this format, `proof` is a sentence that says so.
 */
async function readProof(folder: string): Promise<{ readonly text: string; readonly proof: RecordedProof | string }> {
  const file = path.join(folder, "proof.json");
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new Failure("usage", `${file}: there is no proof to verify`, {
      hint: "pass the folder that `migrate proof --out` created",
      cause: error,
    });
  });
  const parsed = proofSchema.safeParse(parseJson(text));
  return {
    text,
    proof: parsed.success ? parsed.data : "proof.json is not a valid proof in the format migrate-proof/1",
  };
}

async function requireExactRun(ledger: Ledger, id: string): Promise<Run> {
  const run = await ledger.findRun(id);
  if (run?.id === id) return run;
  throw new Failure("run_unknown", `the ledger has no run ${id}`, {
    hint: "use --ledger to select the ledger that the proof was created from",
  });
}

/**
 * Describes the runs that a proof of all runs omits, although they had ended when the proof was made. Such a proof was
 * changed later. Runs that ended later are ignored, because a proof remains valid after further pushes.
 */
async function omittedRuns({ coverage, runs, madeAt }: RecordedProof, ledger: Ledger): Promise<readonly string[]> {
  if (coverage === undefined) return [];
  const listed = new Set(runs.map(({ run }) => run));
  return (await plannedRuns(ledger))
    .filter(({ id, startedAt, finishedAt }) => !listed.has(id) && (finishedAt ?? startedAt) < madeAt)
    .map(({ id }) => `run ${id} is missing, although this is a proof of all runs`);
}

async function recordedAnswers(
  folder: string,
  proof: RecordedProof,
  job: Job,
  { id }: Run,
): Promise<PlatformCheck | undefined> {
  const askedAt = proof.runs.find(({ run }) => run === id)?.platform?.askedAt;
  return askedAt === undefined
    ? undefined
    : replayedCheck(job, askedAt, readAnswers(path.join(folder, platformFile(id))));
}

const answerSchema = z.object({
  record: z.number(),
  answer: z.enum(["found", "notCompared", "different", "absent", "unknown", "replaced"]),
  values: z.record(z.string(), z.string()),
});

/**
 * Yields the recorded answers. Stops at the first line that is not an answer; the comparison of the files reports that
 * line.
 */
async function* readAnswers(
  file: string,
): AsyncGenerator<{ readonly record: number; readonly answer: PlatformAnswer }, undefined> {
  try {
    for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
      const parsed = answerSchema.safeParse(parseJson(line));
      if (!parsed.success) return;
      const { record, answer, values } = parsed.data;
      yield { record, answer: { kind: answer, values: new Map(Object.entries(values)) } };
    }
  } catch {
    // If the file is missing, there are no answers. The comparison of the files reports the missing file.
  }
}

/**
 * Describes the runs whose sources have changed since the proof was created. In this case, everything else also
 * differs, so no other differences are reported.
 */
function changedSources(before: RecordedProof, { runs }: Proof): readonly string[] {
  return runs.flatMap(({ run, unreadable }) => {
    const was = before.runs.find((one) => one.run === run)?.unreadable;
    return unreadable === undefined || was !== undefined ? [] : [`run ${run}: ${unreadable}`];
  });
}

async function differingFile(name: string, folder: string, again: string): Promise<readonly string[]> {
  const before = await hashOfFile(path.join(folder, name));
  if (before === undefined) return [`${name} is missing`];
  const now = await hashOfFile(path.join(again, name));
  if (before === now) return [];
  if (now === undefined || name === "proof.html") return [`${name} does not belong to this proof`];
  return [
    `${name} differs, starting at line ${await firstDifferingLine(path.join(folder, name), path.join(again, name))}`,
  ];
}

async function hashOfFile(file: string): Promise<string | undefined> {
  const hash = createHash("sha256");
  try {
    for await (const chunk of createReadStream(file)) hash.update(chunk);
    return hash.digest("hex");
  } catch {
    return undefined;
  }
}

async function firstDifferingLine(file: string, again: string): Promise<number> {
  const lines = createInterface({ input: createReadStream(again) })[Symbol.asyncIterator]();
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(file) })) {
    line += 1;
    const other = await lines.next();
    if (other.done === true || other.value !== text) return line;
  }
  return line + 1;
}

const MAX_NAMED = 20;

/** Describes the differences between two documents, such as `proof.json: runs.0.records.total: 12, now 13`. */
function differingMembers(before: JsonValue | undefined, now: JsonValue | undefined): readonly string[] {
  const found = differencesAt(before, now, "");
  const shown = found.slice(0, MAX_NAMED).map((one) => `proof.json: ${one}`);
  if (found.length === 0)
    return ["proof.json has the same values, but different whitespace or a different order of members"];
  return found.length > MAX_NAMED ? [...shown, `proof.json: and ${found.length - MAX_NAMED} more`] : shown;
}

function differencesAt(before: JsonValue | undefined, now: JsonValue | undefined, at: string): readonly string[] {
  const isPair = (isJsonObject(before) && isJsonObject(now)) || (isJsonArray(before) && isJsonArray(now));
  if (!isPair)
    return JSON.stringify(before) === JSON.stringify(now)
      ? []
      : [`${at}: ${describeValue(before)}, now ${describeValue(now)}`];
  const one: ReadonlyMap<string, JsonValue> = new Map(Object.entries(before));
  const other: ReadonlyMap<string, JsonValue> = new Map(Object.entries(now));
  return [...new Set([...one.keys(), ...other.keys()])].flatMap((name) =>
    differencesAt(one.get(name), other.get(name), at === "" ? name : `${at}.${name}`),
  );
}

function describeValue(value: JsonValue | undefined): string {
  if (value === undefined) return "missing";
  if (isJsonArray(value)) return "a list";
  return isJsonObject(value) ? "an object" : JSON.stringify(value).slice(0, 80);
}
