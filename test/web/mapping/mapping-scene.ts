import { cpSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll } from "vitest";
import type { JobSettings } from "../../../src/job/settings/job-settings.ts";
import type { Dependencies } from "../../../src/job/dependencies.ts";
import type { CheckData, FieldData, MappingData, MappingEdit } from "../../../src/web/mapping/mapping-data.ts";
import type { MappingJob } from "../../../src/web/mapping/mapping-file.ts";
import { createMappingService, type MappingService } from "../../../src/web/mapping/mapping-service.ts";
import { initDependencies } from "../../commands/init/init-scene.ts";
import { projectFile } from "../../e2e/cli.ts";
import { createTestFolder } from "../../temporary-folder.ts";

export interface MappingScene {
  readonly folder: string;
  readonly job: MappingJob;
  readonly service: MappingService;
  readonly dependencies: Dependencies;
  readonly view: (text: string, edits?: readonly MappingEdit[]) => Promise<MappingData>;
  readonly check: (text: string, showValues?: boolean) => Promise<CheckData>;
}

/** Creates a folder with the worked example of docs/mapping.md. The folder is removed after all tests in the file. */
export function workedExample(): MappingScene {
  return sceneOf("fixtures/map/worked-example", { supplier: "OLDCO-2024" });
}

export function sceneOf(fixture: string, settings: Pick<JobSettings, "supplier">): MappingScene {
  const { folder, remove } = createTestFolder();
  const temporary = createTestFolder();
  afterAll(() => {
    remove();
    temporary.remove();
  });
  cpSync(projectFile(fixture), folder, { recursive: true });
  const job: MappingJob = {
    mapping: "mapping.yaml",
    folder,
    sources: [],
    namedSources: {},
    contract: [projectFile("fixtures/contract/contract.yaml")],
    ...settings,
  };
  const service = createMappingService();
  const dependencies = initDependencies(temporary.folder);
  return {
    folder,
    job,
    service,
    dependencies,
    view: (text, edits = []) => service.view({ job, text, showValues: true }, edits, dependencies),
    check: (text, showValues = true) => service.check({ job, text, showValues }, dependencies),
  };
}

export function textIn(folder: string, name = "mapping.yaml"): string {
  return readFileSync(path.join(folder, name), "utf8");
}

/** Returns every field, each before its children. */
export function allFields(fields: readonly FieldData[]): readonly FieldData[] {
  return fields.flatMap((field) => [field, ...allFields(field.children)]);
}

export function fieldNamed({ fields }: MappingData, attr: string): FieldData {
  const field = allFields(fields).find((one) => one.attr === attr);
  if (field === undefined) throw new Error(`no field ${attr}`);
  return field;
}
