/**
 * A user's regular expression, admitted only when it runs in linear time on any text, whatever the engine does: no
 * back-references, no look-around, an endless repeat (`*`, `+`, `{n,}`) only of a single character or class and only
 * where nothing can fail after it (at the end) or before it (behind `^`), and few ways to match in all.
 * Returns a sentence when the expression is wrong or is not admitted.
 */
export function linearPattern(source: string): RegExp | string {
  if (source.length > LONGEST) return `the expression is longer than ${LONGEST} characters`;
  const expression = parsed(source);
  if (expression === undefined) return "the expression cannot be read";
  if (expression.test("")) return "the expression also matches nothing at all";
  const cost = costOf({ source, at: 0 });
  if (typeof cost === "string") return cost;
  if (cost.ways > MOST_WAYS) return "the expression can match in too many ways";
  return endlessFault(source, cost) ?? expression;
}

const LONGEST = 200;
const MOST_WAYS = 1000;

/** What a piece of an expression costs an engine that tries one way after another. */
interface Cost {
  /** In how many ways it can match at one place, endless repeats counted once. */
  readonly ways: number;
  /** How many endless repeats it holds one after the other. */
  readonly endless: number;
  /** Nothing comes behind an endless repeat. */
  readonly settled: boolean;
  readonly group: boolean;
}

interface Cursor {
  readonly source: string;
  at: number;
}

const ONE_WAY: Cost = { ways: 1, endless: 0, settled: true, group: false };

function parsed(source: string): RegExp | undefined {
  try {
    return new RegExp(source, "gu");
  } catch {
    return undefined;
  }
}

function endlessFault(source: string, cost: Cost): string | undefined {
  if (cost.settled || (cost.endless === 1 && anchored(source))) return undefined;
  return "an endless repeat (*, +, {n,}) may stand only at the end of the expression, or once behind ^";
}

function anchored(source: string): boolean {
  return source.startsWith("^") && !source.includes("|");
}

/** Alternatives, up to a closing bracket or the end. */
function costOf(cursor: Cursor): Cost | string {
  let total: Cost = { ...ONE_WAY, ways: 0 };
  for (;;) {
    const branch = costOfBranch(cursor);
    if (typeof branch === "string") return branch;
    total = {
      ways: total.ways + branch.ways,
      endless: Math.max(total.endless, branch.endless),
      settled: total.settled && branch.settled,
      group: true,
    };
    if (cursor.source[cursor.at] !== "|") return total;
    cursor.at += 1;
  }
}

function costOfBranch(cursor: Cursor): Cost | string {
  let total = ONE_WAY;
  while (cursor.at < cursor.source.length && !"|)".includes(cursor.source[cursor.at] ?? "")) {
    const piece = costOfPiece(cursor);
    if (typeof piece === "string") return piece;
    total = {
      ways: total.ways * piece.ways,
      endless: total.endless + piece.endless,
      settled: total.endless === 0 && piece.settled,
      group: true,
    };
  }
  return total;
}

/** One atom with the quantifier behind it. */
function costOfPiece(cursor: Cursor): Cost | string {
  const atom = costOfAtom(cursor);
  if (typeof atom === "string") return atom;
  const found = QUANTIFIER.exec(cursor.source.slice(cursor.at));
  if (found === null) return atom;
  cursor.at += found[0].length;
  const [least, most] = boundsOf(found);
  const longest = most === Number.POSITIVE_INFINITY ? least : most;
  if (longest > LONGEST) return `a repeat may be of ${LONGEST} at most, or endless`;
  if (most === Number.POSITIVE_INFINITY) {
    return atom.group
      ? "an endless repeat (*, +, {n,}) may repeat only a single character or class"
      : { ...ONE_WAY, endless: 1 };
  }
  if (atom.endless > 0) return "an endless repeat (*, +, {n,}) may not be repeated itself";
  return { ...ONE_WAY, ways: Math.min(atom.ways ** most, MOST_WAYS + 1) * (most - least + 1) };
}

const QUANTIFIER = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/;

function boundsOf(found: RegExpExecArray): readonly [number, number] {
  const [text, low, comma, high] = found;
  if (low === undefined) return text.startsWith("?") ? [0, 1] : [0, Number.POSITIVE_INFINITY];
  if (comma === "") return [Number(low), Number(low)];
  return [Number(low), high === "" ? Number.POSITIVE_INFINITY : Number(high)];
}

function costOfAtom(cursor: Cursor): Cost | string {
  const rest = cursor.source.slice(cursor.at);
  if (rest.startsWith("(")) return costOfGroup(cursor, rest);
  const atom = ATOM.exec(rest)?.[0] ?? rest.slice(0, 1);
  if (/^\\(?:[1-9]|k)/.test(atom)) return "the expression refers back to what it matched before";
  cursor.at += atom.length;
  return ONE_WAY;
}

/** A class, an escape with what belongs to it, or one character. */
const ATOM = /^(?:\[(?:\\.|[^\]\\])*\]|\\(?:[pPu]\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|k<[^>]*>|.)|.)/su;

function costOfGroup(cursor: Cursor, rest: string): Cost | string {
  const opening = /^\((?:\?(?::|<[A-Za-z]\w*>))?/.exec(rest)?.[0] ?? "(";
  if (rest.startsWith("(?") && opening === "(") return "the expression looks around, or sets flags of its own";
  cursor.at += opening.length;
  const inside = costOf(cursor);
  if (typeof inside === "string") return inside;
  cursor.at += 1;
  return inside;
}
