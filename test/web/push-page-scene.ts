import { expect } from "vitest";
import { useSandbox } from "../e2e/push-scene.ts";
import type { PushState } from "../../src/web/push/push-data.ts";
import { clientOf, demoProject, type RunningWeb, startWithSandbox, type WebClient } from "./web-scene.ts";

/** The counts of the records in the demo project. */
export const PROJECT = { records: 223, valid: 204, invalid: 19, accepted: 197, rejected: 7 };

/** The demo project, open in `migrate web`. */
interface Project {
  readonly folder: string;
  readonly web: RunningWeb;
  readonly client: WebClient;
}

/** Provides a sandbox, and a function that opens the demo project. `change` edits the project first. */
export function useDemoProjects(): ReturnType<typeof useSandbox> & {
  readonly startProject: (change?: (folder: string) => void) => Promise<Project>;
} {
  const { sandbox, admin } = useSandbox();
  return {
    sandbox,
    admin,
    async startProject(change = () => undefined) {
      const folder = demoProject({ sandbox: sandbox.ready });
      change(folder);
      const web = await startWithSandbox(folder, sandbox);
      return { folder, web, client: await clientOf(web) };
    },
  };
}

/** Waits until the push is in this state. */
export async function stateOf(client: WebClient, kind: PushState["kind"]): Promise<PushState> {
  await expect.poll(async () => (await client.get<PushState>("/api/push")).kind).toBe(kind);
  return client.get("/api/push");
}

export function planOf(state: PushState): string {
  return state.kind === "checked" ? state.plan.id : "";
}
