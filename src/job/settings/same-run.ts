import { isDeepStrictEqual } from "node:util";
import type { NewRun, Run } from "../../ledger/ledger.ts";
import { contractPaths } from "../contract-files.ts";
import { instanceOf } from "../endpoint.ts";
import { type RunSettings, settingsIfKnown } from "./recorded-settings.ts";

type Described = Pick<NewRun, "endpoint" | "supplier" | "settings">;

/**
 * In what two pushes differ, of all that decides which records are sent, and where to; nothing: each can send what the
 * other has planned. Where files lie does not count, their bytes do.
 */
export function differencesOf(
  own: Described,
  other: Pick<Run, "endpoint" | "supplier" | "settings">,
): readonly string[] {
  const [one, two] = [settingsIfKnown(own), settingsIfKnown(other)];
  if (one === undefined || two === undefined) return ["its settings"];
  const files = [fingerprintsOf(one), fingerprintsOf(two)] as const;
  const isOtherTarget = instanceOf(one.target.baseUrl) !== instanceOf(two.target.baseUrl);
  return [
    ...(isOtherTarget ? ["the target"] : []),
    ...(!isOtherTarget && own.endpoint !== other.endpoint ? ["the operation"] : []),
    ...(own.supplier === other.supplier ? [] : ["the import supplier"]),
    ...KINDS.flatMap((kind) => (isSame(files[0][kind], files[1][kind]) ? [] : [NAMES[kind]])),
    ...differentOptions(one, two),
  ];
}

const KINDS = ["contract", "mapping", "references", "rejects", "input"] as const;
type Fingerprints = Readonly<Record<(typeof KINDS)[number], readonly string[]>>;

const NAMES: Readonly<Record<keyof Fingerprints, string>> = {
  contract: "the contract",
  mapping: "the mapping",
  references: "the lists of references",
  rejects: "the rejects",
  input: "the input",
};

/** They are recorded in this order. */
function fingerprintsOf({ job, files }: RunSettings): Fingerprints {
  const left = files.map(({ sha256 }) => sha256);
  return {
    contract: left.splice(0, job.contract.flatMap(contractPaths).length),
    mapping: left.splice(0, job.mapping === undefined ? 0 : 1),
    references: left.splice(0, Object.keys(job.references ?? {}).length),
    rejects: left.splice(0, job.rejects === undefined ? 0 : 2),
    input: left,
  };
}

function differentOptions(one: RunSettings, two: RunSettings): readonly string[] {
  const values = [optionsOf(one), optionsOf(two)] as const;
  return Object.keys(values[0]).filter((name) => !isSame(values[0][name], values[1][name]));
}

/** By the names that users know them by. */
function optionsOf({ job, ...settings }: RunSettings): Readonly<Record<string, unknown>> {
  const { restoreKeys, acceptChanges, newKeys } = job.rejects ?? {};
  return {
    "--limit": job.limit,
    "--only": job.only,
    "--encoding": job.encoding,
    "--delimiter": job.delimiter,
    "--today": job.today,
    "--source": Object.keys(job.namedSources).toSorted(),
    "--restore-keys": restoreKeys,
    "--accept-changes": acceptChanges,
    "--new-keys": [settings.newKeys ?? false, newKeys],
    "--revise": settings.revise,
    "--until": settings.until,
    "--send-invalid": settings.sendInvalid ?? false,
    "the settings of rules": job.rules,
    "the folders of documents": [job.documentRoots, job.documentRoot],
  };
}

/** As the ledger keeps them: as JSON. */
function isSame(one: unknown, two: unknown): boolean {
  return isDeepStrictEqual(plain(one), plain(two));
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
