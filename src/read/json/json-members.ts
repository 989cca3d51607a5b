import { nameContent } from "../../json/fast-content-hash.ts";
import { FORBIDDEN_NAMES } from "./json-scan.ts";

/** A member of the objects at one path. */
export interface Member {
  /** The name in quotes. */
  readonly quoted: Uint8Array;
  /** Hash of the name (`nameContent`). */
  readonly content: number;
  /** Index of the column that contains the value; -1 if no column does. */
  column: number;
  /** Whether the path of a column continues below the member. */
  isOnPath: boolean;
  /** Whether a path continues with an index such as `00`, which leads to the same item as `0`. */
  hasZeroPadded: boolean;
  /** The members of the value, or of the items of the value. */
  members: Members | undefined;
  /** The member that followed in an earlier object. */
  next: Member | undefined;
  /** The number of the last object that contains the member, to detect repeated names. */
  seenIn: number;
  readonly total: Total;
}

/** The members of the objects at one path. */
export interface Members {
  readonly byName: Map<string, Member>;
  /** The first member of an earlier object. */
  first: Member | undefined;
  readonly total: Total;
}

/** The number of members at all paths. */
interface Total {
  count: number;
}

/** Returns the members on the paths to the columns. */
export function memberTree(columns: readonly string[]): Members {
  const root = newMembers({ count: 0 });
  for (const [column, name] of columns.entries()) {
    addColumn(root, [name], column);
    if (name.includes(".")) addColumn(root, name.split("."), column);
  }
  return root;
}

function addColumn(root: Members, path: readonly string[], column: number): void {
  let members = root;
  for (const [depth, name] of path.entries()) {
    const member = memberNamed(members, name);
    if (member === undefined) return;
    if (depth === path.length - 1) member.column = column;
    else member.isOnPath = true;
    member.hasZeroPadded ||= /^0\d/.test(path[depth + 1] ?? "");
    members = membersOf(member);
  }
}

export function membersOf(member: Member): Members {
  member.members ??= newMembers(member.total);
  return member.members;
}

function newMembers(total: Total): Members {
  return { byName: new Map(), first: undefined, total };
}

/** Limits the number of members, because the names in some objects are data, such as dates. */
const MAX_MEMBERS = 10_000;

/** Returns the member, and creates it if it is new; undefined for a forbidden name, or if the limit is reached. */
export function memberNamed({ byName, total }: Members, name: string): Member | undefined {
  const known = byName.get(name);
  if (known !== undefined) return known;
  if (total.count === MAX_MEMBERS || FORBIDDEN_NAMES.has(name)) return undefined;
  total.count += 1;
  const member: Member = {
    quoted: Buffer.from(`"${name}"`),
    content: nameContent(name),
    column: -1,
    isOnPath: false,
    hasZeroPadded: false,
    members: undefined,
    next: undefined,
    seenIn: 0,
    total,
  };
  byName.set(name, member);
  return member;
}
