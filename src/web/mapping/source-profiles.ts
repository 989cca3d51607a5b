import { keyColumns } from "../../commands/init/joins.ts";
import { type ColumnProfile, dateForm, shareOf, type ValueKind } from "../../commands/init/profile/column-profile.ts";
import { profileSources, type SourceProfile } from "../../commands/init/profile/profile-sources.ts";
import { profileOptions } from "../../commands/init/init.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import type { JobSettings } from "../../job/settings/job-settings.ts";
import { definedMembers } from "../../json/defined-members.ts";
import type { JsonObject } from "../../json/json-value.ts";
import type { SourceSpec } from "../../model/source-spec.ts";
import { withDescendants } from "../../read/input/opened-source.ts";
import { findFiles, type FoundFile, inspectFile } from "../../read/input/source-files.ts";
import type { ColumnData, SourceData } from "./mapping-data.ts";

/** Statistics about sources. Files are read again only after they have changed. */
export interface SourceProfiles {
  /** @throws Failure if a file cannot be read */
  readonly of: (plan: SourceSpec, job: JobSettings, dependencies: Dependencies) => Promise<readonly SourceProfile[]>;
  /** Stores statistics that were collected elsewhere. */
  readonly remember: (profiles: readonly SourceProfile[], job: JobSettings) => Promise<void>;
}

export function createSourceProfiles(): SourceProfiles {
  const known = new Map<string, Promise<SourceProfile>>();

  async function profileOf(spec: SourceSpec, job: JobSettings, dependencies: Dependencies): Promise<SourceProfile> {
    const found = await findFiles(spec.files, { notify: () => undefined });
    const key = keyOf(spec.name, found, job);
    const before = known.get(key);
    if (before !== undefined) return before;
    const reading = readProfile(spec, job, dependencies);
    known.set(key, reading);
    reading.catch(() => known.delete(key));
    return reading;
  }

  return {
    async of(plan, job, dependencies) {
      const profiles: SourceProfile[] = [];
      for (const spec of withDescendants<SourceSpec>(plan)) profiles.push(await profileOf(spec, job, dependencies));
      return profiles;
    },
    async remember(profiles, job) {
      for (const profile of profiles) {
        const files = profile.files.map(async ({ path, sheet }) => ({
          ...(await inspectFile(path)),
          ...definedMembers({ sheet }),
        }));
        known.set(keyOf(profile.name, await Promise.all(files), job), Promise.resolve(profile));
      }
    },
  };
}

/**
 * Returns a key that stays the same while the files are unchanged. Compares files by identity, size and time, not by
 * path.
 */
function keyOf(name: string, files: readonly FoundFile[], { encoding, delimiter }: JobSettings): string {
  const states = files.map(({ bytes, modifiedMs, identity, sheet }) => [bytes, modifiedMs, identity, sheet]);
  return JSON.stringify([name, encoding, delimiter, states]);
}

async function readProfile(
  { name, files }: SourceSpec,
  job: JobSettings,
  dependencies: Dependencies,
): Promise<SourceProfile> {
  const [profile] = await profileSources([{ name, patterns: files }], profileOptions(job, dependencies));
  if (profile === undefined) return { name, files: [], rows: 0, columns: [] };
  for (const { hashes } of profile.columns) hashes.close();
  return profile;
}

/** @param options the options of the source in the mapping */
export function sourceData(profile: SourceProfile, options: JsonObject, showValues: boolean): SourceData {
  const { name, files, rows, columns } = profile;
  return {
    name,
    files: files.map(({ file }) => file),
    rows,
    keys: keyColumns(profile).map((column) => column.name),
    columns: columns.map((column) => columnData(column, showValues)),
    options,
  };
}

const MAX_SHAPES = 3;
const MAX_SAMPLES = 5;
const MAX_DATES = 6;
const LONGEST_SAMPLE = 80;

function columnData(column: ColumnProfile, showValues: boolean): ColumnData {
  const { name, filled, empty, distinct, shapes, dates, analysed, sample, codes } = column;
  return {
    name,
    type: typeOf(column),
    filled,
    empty,
    shapes: shapes.slice(0, MAX_SHAPES).map(({ shape }) => shape),
    dates: dates.slice(0, MAX_DATES).map(({ pattern, fits }) => ({ pattern, share: fits / Math.max(1, analysed) })),
    samples: showValues
      ? [...new Set(sample)].slice(0, MAX_SAMPLES).map((value) => value.slice(0, LONGEST_SAMPLE))
      : [],
    ...definedMembers({ distinct, codes: showValues && codes !== undefined ? codesOf(codes) : undefined }),
  };
}

function codesOf(codes: ReadonlyMap<string, number>): ColumnData["codes"] {
  return [...codes].map(([code, rows]) => ({ code, rows })).toSorted((one, other) => other.rows - one.rows);
}

/** The names of the kinds of values, with the most specific kind first. */
const KIND_NAMES: readonly (readonly [kind: ValueKind, name: string])[] = [
  ["email", "e-mail"],
  ["postcode", "postcode"],
  ["uuid", "UUID"],
  ["phone", "phone"],
  ["integer", "whole number"],
  ["number", "number"],
  ["commaNumber", "number, decimal comma"],
  ["groupedNumber", "number, grouped"],
  ["trailingMinus", "number, minus at the end"],
  ["street", "street"],
];
const MOST = 0.9;

function typeOf(column: ColumnProfile): string {
  if (column.filled === 0) return "empty";
  const date = dateForm(column);
  if (date !== undefined) return date.hasTime ? "date and time" : "date";
  const kind = KIND_NAMES.find(([name]) => shareOf(column, name) >= MOST)?.[1];
  if (kind !== undefined) return kind;
  return column.codes !== undefined && column.codes.size * 2 < column.filled ? "code" : "text";
}
