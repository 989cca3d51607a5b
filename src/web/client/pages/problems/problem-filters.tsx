import type { JSX } from "preact";
import { formatCount } from "../../../../text/count.ts";
import type { CauseData, OwnedFile } from "../../../problems/problems-data.ts";
import { Select } from "../../parts/controls.tsx";

/** Undefined selects all records. An empty owner selects records without an owner. */
export interface CauseFilter {
  readonly owner: string | undefined;
  readonly file: string | undefined;
}

export function isInFilter({ owner, file }: OwnedFile, filter: CauseFilter): boolean {
  return (filter.owner === undefined || filter.owner === owner) && (filter.file === undefined || filter.file === file);
}

/** Returns the causes with only the records that match the filter, most records first. */
export function filteredCauses(causes: readonly CauseData[], filter: CauseFilter): readonly CauseData[] {
  return causes
    .map((cause) => {
      const groups = cause.groups.filter((group) => isInFilter(group, filter));
      return { ...cause, groups, records: groups.reduce((sum, group) => sum + group.records, 0) };
    })
    .filter(({ records }) => records > 0)
    .toSorted((a, b) => b.records - a.records);
}

interface FilterOptions {
  readonly causes: readonly CauseData[];
  readonly filter: CauseFilter;
  readonly onChange: (filter: CauseFilter) => void;
}

/**
 * Selects an owner and a file, and shows the number of problems of each. Returns undefined if there is nothing to
 * choose.
 */
export function ProblemFilters({ causes, filter, onChange }: FilterOptions): JSX.Element | undefined {
  const choices = (["owner", "file"] as const)
    .map((name) => ({ name, counts: countsBy(causes, name, { ...filter, [name]: undefined }) }))
    .filter(({ counts }) => counts.length > 1);
  if (choices.length === 0) return undefined;
  return (
    <div class="filters" role="search" aria-label="Filter the problems">
      {choices.map(({ name, counts }) => (
        <Choice
          key={name}
          label={name === "owner" ? "Owner" : "File"}
          all={`all ${name}s`}
          none={`no ${name}`}
          counts={counts}
          value={filter[name]}
          onChange={(value) => onChange({ ...filter, [name]: value })}
        />
      ))}
    </div>
  );
}

function countsBy(
  causes: readonly CauseData[],
  name: "owner" | "file",
  filter: CauseFilter,
): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const group of causes.flatMap(({ groups }) => groups)) {
    const count = isInFilter(group, filter) ? group.records : 0;
    counts.set(group[name], (counts.get(group[name]) ?? 0) + count);
  }
  return [...counts].toSorted((a, b) => b[1] - a[1]);
}

interface ChoiceOptions {
  readonly label: string;
  readonly all: string;
  readonly none: string;
  readonly counts: readonly (readonly [string, number])[];
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

function Choice({ label, all, none, counts, value, onChange }: ChoiceOptions): JSX.Element {
  // The value of an option is its position, because an owner's name may be empty.
  const at = counts.findIndex(([name]) => name === value);
  return (
    <Select
      label={label}
      value={String(at)}
      choices={[
        ["-1", all],
        ...counts.map(
          ([name, count], position) => [String(position), `${name || none} (${formatCount(count)})`] as const,
        ),
      ]}
      onChange={(position) => onChange(counts[Number(position)]?.[0])}
    />
  );
}
