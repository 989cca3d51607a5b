import type { Job } from "../../job/job.ts";
import type { OwnerRule } from "../../model/owner.ts";
import type { SourceSpec } from "../../model/source-spec.ts";
import { suggest } from "../../text/suggestion.ts";
import { type Check, ok, warning } from "./check.ts";

/** Checks that the sources have the columns that `owners` names. Ignores files without a header. */
export function ownerChecks(
  owners: readonly OwnerRule[],
  { plan, input }: Pick<Job, "plan" | "input">,
): readonly Check[] {
  const named = [...new Set(owners.flatMap(({ columns = {} }) => Object.keys(columns)))];
  if (named.length === 0) return [];
  const columnsOf = headers(input.files);
  const missing = named.filter((name) => isMissing(name, plan, columnsOf));
  if (missing.length === 0) return [ok("owners", `columns ${named.join(", ")}`)];
  const known = columnNames(plan, columnsOf);
  const near = missing.map((name) => suggest(name, known)).find((name) => name !== undefined);
  const names = missing.map((name) => `"${name}"`).join(", ");
  const fix = near === undefined ? `columns of the sources: ${known.join(", ")}` : `did you mean "${near}"?`;
  return [
    warning("owners", `no source has the column ${names}, so rules with this column match no record of this input`, {
      fix,
    }),
  ];
}

/** The columns of a source; undefined if one of its files has no header. */
type ColumnsOf = (source: string) => ReadonlySet<string> | undefined;

function headers(files: Job["input"]["files"]): ColumnsOf {
  return (source) => {
    const own = files.filter((file) => file.source === source);
    return own.some(({ columns }) => columns === undefined)
      ? undefined
      : new Set(own.flatMap(({ columns = [] }) => columns));
  };
}

function isMissing(name: string, source: SourceSpec, columnsOf: ColumnsOf): boolean {
  const own = columnsOf(source.name);
  if (own?.has(name) === true) return false;
  const end = name.indexOf(".");
  const child = source.children.find((each) => each.name === name.slice(0, Math.max(0, end)));
  return child === undefined ? own !== undefined : isMissing(name.slice(end + 1), child, columnsOf);
}

function columnNames(source: SourceSpec, columnsOf: ColumnsOf): readonly string[] {
  const below = source.children.flatMap((child) =>
    columnNames(child, columnsOf).map((column) => `${child.name}.${column}`),
  );
  return [...(columnsOf(source.name) ?? []), ...below];
}
