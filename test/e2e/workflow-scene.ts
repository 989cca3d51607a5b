import { cpSync, writeFileSync } from "node:fs";
import path from "node:path";
import {
  type CliEnd,
  type CliOptions,
  projectFile,
  type RunningCli,
  type TestSandbox,
  runCli,
  startCli,
  startTestSandbox,
} from "./cli.ts";
import { references, useSandbox } from "./push-scene.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** The contract of the worked example, in which accounts are imported in several steps. */
const WORKFLOWS: string = projectFile("fixtures/workflows/contract.yaml");

/** v1: validate, stage, process. v2: schedule, poll. */
type Generation = "v1" | "v2";

export function startWorkflowSandbox(flags: readonly string[] = []): Promise<TestSandbox> {
  return startTestSandbox({ flags: ["--contract", WORKFLOWS, ...flags] });
}

/** Does the same as `useSandbox` with the contract of the worked example. */
export function useWorkflowSandbox(): ReturnType<typeof useSandbox> {
  return useSandbox(["--contract", WORKFLOWS]);
}

/** A folder with the worked example. */
export interface WorkflowPlace {
  readonly folder: string;
  readonly file: (...names: readonly string[]) => string;
  readonly start: (args: readonly string[], options?: CliOptions) => RunningCli;
  readonly migrate: (args: readonly string[], options?: CliOptions) => Promise<CliEnd>;
  /** Runs a push with any mapping of the example. */
  readonly pushMapping: (mapping: string, flags?: readonly string[]) => Promise<CliEnd>;
  readonly push: (generation: Generation, flags?: readonly string[]) => Promise<CliEnd>;
  readonly startPush: (generation: Generation, flags?: readonly string[], options?: CliOptions) => RunningCli;
}

export function workflowPlace(sandbox: Pick<TestSandbox, "env">): WorkflowPlace {
  const folder = temporaryFolder();
  cpSync(projectFile("fixtures/workflows"), folder, { recursive: true });
  const file = (...names: readonly string[]): string => path.join(folder, ...names);
  const start = (args: readonly string[], options: CliOptions = {}): RunningCli =>
    startCli(args, { cwd: folder, ...options, env: { ...sandbox.env, ...options.env } });
  const run = (args: readonly string[], options: CliOptions = {}): Promise<CliEnd> =>
    runCli(args, { cwd: folder, ...options, env: { ...sandbox.env, ...options.env } });
  const startPush = (generation: Generation, flags: readonly string[] = [], options: CliOptions = {}): RunningCli =>
    start([...pushWords(`accounts-${generation}.mapping.yaml`), ...flags], options);
  return {
    folder,
    file,
    start,
    startPush,
    migrate: run,
    pushMapping: (mapping, flags = []) => run([...pushWords(mapping), ...flags]),
    push: (generation, flags = []) => run([...pushWords(`accounts-${generation}.mapping.yaml`), ...flags]),
  };
}

/** Returns the words of `migrate push` with the worked example's contract and outcome lines on stdout. */
function pushWords(mapping: string): readonly string[] {
  return ["push", "--contract", "contract.yaml", "--mapping", mapping, "--format", "ndjson"];
}

/** Replaces the accounts of the example with this many valid accounts, whose keys are `EXT-00001`, `EXT-00002`, ... */
export function writeManyAccounts({ file }: WorkflowPlace, count: number): void {
  const keys = references(count);
  writeFileSync(
    file("accounts.csv"),
    ["REF,NAME,POSTCODE", ...keys.map((key) => `${key},Ada Byron,CB1 2AB`), ""].join("\n"),
  );
  writeFileSync(
    file("customers.csv"),
    ["REF,LAST,MOBILE,LOYALTY", ...keys.map((key) => `${key},Byron,,`), ""].join("\n"),
  );
}
