import { pathsFrom } from "../../job/contract-files.ts";
import type { CheckProgress } from "../../job/dependencies.ts";
import { rewriteFile } from "../../files/replace-file.ts";
import { remedyOf } from "../../files/write-error.ts";
import { Failure, failureDetails } from "../../model/failure.ts";
import { readTextFile } from "../../read/text/text-file.ts";
import { RefusedRequest } from "../error-reply.ts";
import { editYaml, parseMapping } from "../mapping/yaml/edit-yaml.ts";
import type { ProjectSettings, WebProject } from "../web-project.ts";
import type { FixSession } from "./fix-session.ts";
import type { FixState } from "./fix-types.ts";
import { openFixSession } from "./session/open-session.ts";

/** The Fix session of a project. All open pages share it. */
export interface FixProject {
  /** Returns the state of the check. The first call starts a check. */
  readonly state: () => Promise<FixState>;
  /** Starts a check, unless one is in progress. */
  readonly check: () => Promise<void>;
  /** @throws RefusedRequest `session_changed` if the session with this id is not the current session */
  readonly session: (id: string) => FixSession;
}

type ProjectState =
  | { readonly kind: "checking"; records: number; invalid: number }
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "ready"; readonly session: FixSession };

export function createFixProject(project: WebProject): FixProject {
  let current: ProjectState | undefined;
  const run = async (checking: Extract<ProjectState, { kind: "checking" }>): Promise<void> => {
    try {
      const session = await openSession(project, (progress) => Object.assign(checking, progress));
      current = { kind: "ready", session };
    } catch (error) {
      if (!(error instanceof Failure)) project.logBug(error);
      const bug = new Failure("storage", "This is a bug in migrate. The terminal shows the details.");
      current = { kind: "failed", failure: error instanceof Failure ? error : bug };
    }
  };
  const check = async (): Promise<void> => {
    if (current?.kind === "checking") return;
    const before = current;
    const checking = { kind: "checking" as const, records: 0, invalid: 0 };
    current = checking;
    if (before?.kind === "ready") await before.session.close();
    void run(checking);
  };
  return {
    check,
    state: async () => {
      if (current === undefined) await check();
      return stateOf(current);
    },
    session: (id) => {
      if (current?.kind === "ready" && current.session.overview().session === id) return current.session;
      throw new RefusedRequest(409, "session_changed", "The project has been checked again", "Reload the page.");
    },
  };
}

function stateOf(current: ProjectState | undefined): FixState {
  if (current?.kind === "ready") return { status: "ready", ...current.session.overview() };
  if (current?.kind === "failed") return { status: "failed", error: failureDetails(current.failure) };
  return { status: "checking", records: current?.records ?? 0, invalid: current?.invalid ?? 0 };
}

function openSession(project: WebProject, onChecked: (progress: CheckProgress) => void): Promise<FixSession> {
  const { operator: by, dependencies } = project;
  return project.withSettings(({ job, ledger, configFile }) =>
    openFixSession(
      { job, ledger, configFile, by, configure: (name) => project.withSettings((now) => nameFile(name, now, project)) },
      { ...dependencies, onChecked },
    ),
  );
}

/**
 * Adds `corrections: <file>` to the configuration file.
 * @throws Failure `config` if there is no configuration file or the line cannot be added; `storage` if the file cannot
 * be written
 */
async function nameFile(name: string, { job, configFile }: ProjectSettings, project: WebProject): Promise<void> {
  if (job.corrections !== undefined) return;
  const line = `corrections: ${name}`;
  if (configFile === undefined)
    throw new Failure("config", "there is no configuration file in which to name the corrections file", {
      hint: `create the file migrate.yaml with this line, then repeat the edit: ${line}`,
    });
  const file = pathsFrom(project.folder)(configFile);
  const { text } = await readTextFile(file);
  const made = withCorrections(file, text, name);
  if (made === undefined)
    throw new Failure("config", `the corrections file could not be added to ${configFile}`, {
      hint: `add this entry to the configuration: ${line}`,
    });
  await rewriteFile(file, made).catch((cause: unknown) => {
    if (cause instanceof Failure) throw cause;
    throw new Failure("storage", `${configFile} cannot be written`, { hint: remedyOf(cause, file), cause });
  });
}

/** Returns undefined if the entry can only be added by hand. */
function withCorrections(file: string, text: string, name: string): string | undefined {
  try {
    // An empty document has no entry after which the new entry could be inserted.
    if (parseMapping(file, text) === null)
      return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}corrections: ${name}\n`;
    return editYaml(file, text, { path: ["corrections"], value: name });
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
