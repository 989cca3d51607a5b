/**
 * Returns the reason why a valid regular expression might take more than linear time on some string. Returns undefined
 * if every string takes linear time on every engine: the expression has no back-references or look-around, matches in
 * few ways, and applies unlimited repeats (`*`, `+`, `{n,}`) only to single characters or classes. An unlimited repeat
 * is either at the end, where nothing after it can fail, or in an expression that starts with `^` and has no `|`. In
 * such an expression, all unlimited repeats but one are followed by a character that they cannot match.
 */
export function slowPatternReason(source: string): string | undefined {
  if (source.length > MAX_PATTERN_LENGTH) return `the expression is longer than ${MAX_PATTERN_LENGTH} characters`;
  const cost = costOf({ source, at: 0 });
  if (typeof cost === "string") return cost;
  if (cost.ways > (isAnchored(source) ? MAX_WAYS_ANCHORED : MAX_WAYS)) {
    return "the expression can match in too many ways";
  }
  return endlessRepeatReason(source, cost);
}

const MAX_PATTERN_LENGTH = 1000;
/**
 * Maximum number of ways to match at one position of the text. An expression that starts with `^` and has no `|` may
 * have more.
 */
const MAX_WAYS = 1000;
const MAX_WAYS_ANCHORED = 100_000;
const MAX_REPEATS = 200;

/** The cost of a part of an expression for a backtracking engine. */
interface Cost {
  /** Number of ways in which the part can match at one position; an unlimited repeat counts once. */
  readonly ways: number;
  /** Number of consecutive unlimited repeats that could backtrack and release characters to the part after them. */
  readonly endless: number;
  /**
   * Number of unlimited repeats with only one possible end: fast, unless the part before them can end at many
   * positions.
   */
  readonly bounded: number;
  /**
   * Whether no required part follows an unlimited repeat, so that the match cannot fail once the repeat has started.
   */
  readonly isSettled: boolean;
  readonly isGroup: boolean;
}

interface PatternReader {
  readonly source: string;
  at: number;
}

const ONE_WAY: Cost = { ways: 1, endless: 0, bounded: 0, isSettled: true, isGroup: false };

function endlessRepeatReason(source: string, cost: Cost): string | undefined {
  if (cost.isSettled || (cost.endless <= 1 && isAnchored(source))) return undefined;
  return (
    "unlimited repeats (*, +, {n,}) before the end are allowed only in an expression that starts with ^ and has no |, " +
    "and at most one of them may match the character that follows it"
  );
}

function isAnchored(source: string): boolean {
  return source.startsWith("^") && !source.includes("|");
}

/**
 * Returns the cost of alternatives, up to a closing bracket or the end. If they are refused, returns the reason as a
 * string.
 */
function costOf(cursor: PatternReader): Cost | string {
  let total: Cost = { ...ONE_WAY, ways: 0 };
  for (;;) {
    const branch = costOfBranch(cursor);
    if (typeof branch === "string") return branch;
    total = {
      ways: total.ways + branch.ways,
      endless: Math.max(total.endless, branch.endless),
      bounded: Math.max(total.bounded, branch.bounded),
      isSettled: total.isSettled && branch.isSettled,
      isGroup: true,
    };
    if (cursor.source[cursor.at] !== "|") return total;
    cursor.at += 1;
  }
}

function costOfBranch(cursor: PatternReader): Cost | string {
  let total = ONE_WAY;
  while (cursor.at < cursor.source.length && !"|)".includes(cursor.source[cursor.at] ?? "")) {
    const piece = costOfPiece(cursor);
    if (typeof piece === "string") return piece;
    total = {
      ways: total.ways * piece.ways,
      endless: total.endless + piece.endless + (total.endless > 0 ? piece.bounded : 0),
      bounded: total.bounded + piece.bounded,
      isSettled: total.isSettled && total.endless === 0 && piece.isSettled,
      isGroup: true,
    };
  }
  return total;
}

function costOfPiece(cursor: PatternReader): Cost | string {
  const start = cursor.at;
  const atom = costOfAtom(cursor);
  if (typeof atom === "string") return atom;
  const atomText = cursor.source.slice(start, cursor.at);
  const found = QUANTIFIER.exec(cursor.source.slice(cursor.at));
  if (found === null) return atom;
  cursor.at += found[0].length;
  const [min, max] = boundsOf(found);
  const longest = max === Number.POSITIVE_INFINITY ? min : max;
  if (longest > MAX_REPEATS) return `a number in a repeat ({n}, {n,}, {n,m}) must be at most ${MAX_REPEATS}`;
  if (max === Number.POSITIVE_INFINITY) {
    if (atom.isGroup) return "an unlimited repeat (*, +, {n,}) must apply to a single character or class";
    return isBounded(cursor, atomText) ? { ...ONE_WAY, bounded: 1, isSettled: false } : { ...ONE_WAY, endless: 1 };
  }
  if (atom.endless > 0) return "an unlimited repeat (*, +, {n,}) must not be repeated itself";
  return { ...atom, isGroup: false, ways: Math.min(atom.ways ** max, MAX_WAYS_ANCHORED + 1) * (max - min + 1) };
}

/**
 * Whether the repeat that ends here is followed by a required character that the repeated class cannot match. In that
 * case, the repeat has only one possible end.
 */
function isBounded({ source, at }: PatternReader, repeated: string): boolean {
  const next = /^[()|$^]/.test(source.slice(at)) ? undefined : ATOM.exec(source.slice(at))?.[0];
  if (next === undefined || /^(?:[*?]|\{0)/.test(source.slice(at + next.length))) return false;
  const [one, other] = [charactersOf(repeated), charactersOf(next)];
  return one !== undefined && other !== undefined && !one.some((character) => other.includes(character));
}

/** Returns the ASCII characters that a class or character matches; undefined if it may match other characters. */
function charactersOf(atom: string): readonly string[] | undefined {
  if (OPEN_CLASS.test(atom)) return undefined;
  try {
    const expression = new RegExp(`^${atom}$`, "u");
    return ASCII.filter((character) => expression.test(character));
  } catch {
    return undefined;
  }
}

const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
/**
 * `.`, `[^...]`, classes that may match non-ASCII characters, and atoms written with non-ASCII characters or their
 * codes.
 */
const OPEN_CLASS = /^\.$|^\[\^|\\[pPuxcDSWsbBk\d]|[^\0-\x7f]/;

const QUANTIFIER = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/;

function boundsOf(found: RegExpExecArray): readonly [number, number] {
  const [text, low, comma, high] = found;
  if (low === undefined) return text.startsWith("?") ? [0, 1] : [0, Number.POSITIVE_INFINITY];
  if (comma === "") return [Number(low), Number(low)];
  return [Number(low), high === "" ? Number.POSITIVE_INFINITY : Number(high)];
}

function costOfAtom(cursor: PatternReader): Cost | string {
  const rest = cursor.source.slice(cursor.at);
  if (rest.startsWith("(")) return costOfGroup(cursor, rest);
  const atom = ATOM.exec(rest)?.[0] ?? rest.slice(0, 1);
  if (/^\\(?:[1-9]|k)/.test(atom)) return "the expression uses a back-reference";
  cursor.at += atom.length;
  return ONE_WAY;
}

/** A class, an escape sequence, or one character. */
const ATOM = /^(?:\[(?:\\.|[^\]\\])*\]|\\(?:[pPu]\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|k<[^>]*>|.)|.)/su;

function costOfGroup(cursor: PatternReader, rest: string): Cost | string {
  const opening = /^\((?:\?(?::|<[A-Za-z]\w*>))?/.exec(rest)?.[0] ?? "(";
  if (rest.startsWith("(?") && opening === "(") return "the expression uses look-around or inline flags";
  cursor.at += opening.length;
  const inside = costOf(cursor);
  if (typeof inside === "string") return inside;
  cursor.at += 1;
  return inside;
}
