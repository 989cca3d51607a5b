/** A rule of `owners` in `migrate.yaml`. All its conditions must hold; a rule without conditions always matches. */
export interface OwnerRule extends OwnerConditions {
  readonly owner: string;
  readonly address?: string | undefined;
  /** Days after which a record is overdue. */
  readonly days?: number | undefined;
}

interface OwnerConditions {
  readonly codes?: readonly string[] | undefined;
  readonly attrs?: readonly string[] | undefined;
  readonly statuses?: readonly string[] | undefined;
  readonly files?: readonly string[] | undefined;
  readonly suppliers?: readonly string[] | undefined;
  /** Values by column. At least one value of each column must match. */
  readonly columns?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** The person or team that must correct or resolve a record. */
export interface Owner {
  readonly name: string;
  readonly address?: string | undefined;
  readonly days?: number | undefined;
}

export interface OwnedRecord {
  readonly causes: readonly { readonly code: string; readonly attr?: string | undefined }[];
  readonly status: string;
  readonly file: string;
  readonly supplier: string;
  /** Absent if the rows of the record are unknown. A rule with `columns` then never matches. */
  readonly cells?: Cells | undefined;
}

/** Returns the values of a column, as text, in all rows of a record; an empty list if the rows have no such column. */
export type Cells = (column: string) => readonly string[];

/**
 * Finds the owner of a record: the first rule that matches. If a rule has conditions on both codes and attrs, the same
 * cause must meet both conditions. It need not be the first cause of the record.
 */
export function ownerOf(rules: readonly OwnerRule[], record: OwnedRecord): Owner | undefined {
  const rule = rules.find((each) => isMatch(each, record) && isMatchOfCells(each, record.cells));
  return rule && { name: rule.owner, address: rule.address, days: rule.days };
}

/** Whether the cells of a record can determine its owner. If not, `ownerOf` does not read them. */
export function needsCells(rules: readonly OwnerRule[], record: OwnedRecord): boolean {
  return rules.find((each) => isMatch(each, record))?.columns !== undefined;
}

/** Whether the conditions of the rule hold, except for `columns`. */
function isMatch(rule: OwnerRule, { causes, status, file, supplier }: OwnedRecord): boolean {
  const { codes, attrs, statuses, files, suppliers } = rule;
  const isCause = causes.some(
    ({ code, attr = "" }) => holds(codes, (each) => each === code) && holds(attrs, (each) => isAttrOf(each, attr)),
  );
  return (
    (isCause || (codes === undefined && attrs === undefined)) &&
    holds(statuses, (each) => each === status) &&
    holds(files, (each) => isFileOf(each, file)) &&
    holds(suppliers, (each) => each === supplier)
  );
}

function isMatchOfCells({ columns }: OwnerRule, cells: Cells | undefined): boolean {
  if (columns === undefined) return true;
  if (cells === undefined) return false;
  return Object.entries(columns).every(([column, wanted]) =>
    cells(column).some((text) => wanted.some((pattern) => isLike(pattern, text))),
  );
}

function holds(wanted: readonly string[] | undefined, isWanted: (each: string) => boolean): boolean {
  return wanted === undefined || wanted.some(isWanted);
}

/**
 * Whether a pattern matches an attr. `*` matches one name or index. A pattern also matches attrs below the attr that it
 * describes: `customers` matches `customers.0.mobile`.
 */
export function isAttrOf(pattern: string, attr: string): boolean {
  const parts = attr.split(".");
  return pattern.split(".").every((wanted, at) => parts[at] !== undefined && (wanted === "*" || wanted === parts[at]));
}

/**
 * Whether a pattern matches a file. `*` matches any text. A pattern without a folder matches the file name in any
 * folder.
 */
export function isFileOf(pattern: string, file: string): boolean {
  return isLike(pattern, pattern.includes("/") ? file : file.slice(file.lastIndexOf("/") + 1));
}

/** Whether a pattern matches the whole text. `*` matches any text. */
function isLike(pattern: string, text: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at + last.length <= text.length;
}

/** Whether a rule has no condition and so matches every record. */
export function isFallback(rule: OwnerRule): boolean {
  const { codes, attrs, statuses, files, suppliers, columns } = rule;
  return [codes, attrs, statuses, files, suppliers, columns].every((each) => each === undefined);
}
