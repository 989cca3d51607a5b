import { expect } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { type CliEnd, runCli } from "./cli.ts";
import { CONTRACT, type Extract, goodAccounts, useSandbox, writeExtract } from "./push-scene.ts";

interface FoundCheck {
  readonly name: string;
  readonly status: "ok" | "warning" | "failed" | "skipped";
  readonly text: string;
  readonly fix?: string;
  readonly exitCode: number;
  readonly figures?: Readonly<Record<string, number>>;
}

export const CONFIG = `contract: ${CONTRACT}\nmapping: mapping.yaml\n`;

export function scene(extract: Extract = { accounts: goodAccounts(3) }, config: string = CONFIG): string {
  const folder = temporaryFolder({ "migrate.yaml": config });
  writeExtract(folder, extract);
  return folder;
}

interface Doctor extends ReturnType<typeof useSandbox> {
  readonly migrate: (cwd: string, args: readonly string[], env?: Environment) => Promise<CliEnd>;
  /** Runs `doctor --format json`, and returns its checks. */
  readonly examine: (cwd: string, args?: readonly string[], env?: Environment) => Promise<Examination>;
}

type Environment = Readonly<Record<string, string | undefined>>;

export interface Examination {
  readonly code: number | null;
  readonly checks: readonly FoundCheck[];
  readonly of: (name: string) => FoundCheck;
}

/** Starts a sandbox for all tests in a file, and returns functions that run `migrate` and `doctor`. */
export function useDoctor(): Doctor {
  const { sandbox, admin } = useSandbox();
  const migrate: Doctor["migrate"] = (cwd, args, env = {}) => runCli(args, { cwd, env: { ...sandbox.env, ...env } });
  return {
    sandbox,
    admin,
    migrate,
    examine: async (cwd, args = [], env = {}) => {
      const { code, stdout, stderr } = await migrate(cwd, ["doctor", "--format", "json", ...args], env);
      if (!stdout.startsWith("{")) throw new Error(`no checks: ${stdout}${stderr}`);
      const { checks, exitCode }: { readonly checks: readonly FoundCheck[]; readonly exitCode: number } =
        JSON.parse(stdout);
      expect(exitCode).toBe(code);
      const of = (name: string): FoundCheck => {
        const found = checks.find((check) => check.name === name);
        if (found === undefined)
          throw new Error(`no check ${name} among ${checks.map((check) => check.name).join(", ")}`);
        return found;
      };
      return { code, checks, of };
    },
  };
}
