import { formatCount, plural } from "./count.ts";

/**
 * Describes the strings that an anchored regular expression matches: `1-2 capital letters, then 3 digits`. Returns
 * undefined if the expression has syntax other than literals, classes without `^`, repeats, and groups, which may have
 * alternatives, or if the description would be too long to help.
 */
export function patternPhrase(source: string): string | undefined {
  if (source.length > MAX_SOURCE || !source.startsWith("^") || !source.endsWith("$")) return undefined;
  const reader: Reader = { source: source.slice(1, -1), at: 0, depth: 0 };
  const branches = readBranches(reader);
  if (branches === undefined || branches.length !== 1 || reader.at < reader.source.length) return undefined;
  const phrase = sequencePhrase(branches[0] ?? []);
  return phrase === "" || phrase.length > MAX_PHRASE ? undefined : phrase;
}

const MAX_SOURCE = 300;
const MAX_PHRASE = 250;
const MAX_DEPTH = 3;

interface Reader {
  readonly source: string;
  at: number;
  depth: number;
}

/** A part of the expression and how often it occurs. `max` may be infinite. */
interface Piece {
  readonly part: Part;
  readonly min: number;
  readonly max: number;
}

type Sequence = readonly Piece[];
type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "class"; readonly members: readonly Member[] }
  | { readonly kind: "group"; readonly branches: readonly Sequence[] };

/** A part of a character class: a noun for a range of characters, or one character. */
type Member = { readonly noun: string; readonly range?: string } | { readonly character: string };

function readBranches(reader: Reader): readonly Sequence[] | undefined {
  const branches: Sequence[] = [];
  for (;;) {
    const branch = readSequence(reader);
    if (branch === undefined) return undefined;
    branches.push(branch);
    if (reader.source[reader.at] !== "|") return branches;
    reader.at += 1;
  }
}

function readSequence(reader: Reader): Sequence | undefined {
  const pieces: Piece[] = [];
  while (reader.at < reader.source.length && !"|)".includes(reader.source[reader.at] ?? "")) {
    const part = readPart(reader);
    const count = readCount(reader);
    if (part === undefined || count === undefined) return undefined;
    if (count.max > 0) addPiece(pieces, { part, ...count });
  }
  return pieces;
}

/** Joins neighbouring literals, and neighbouring repeats of the same class. */
function addPiece(pieces: Piece[], piece: Piece): void {
  const last = pieces.at(-1);
  if (last?.part.kind === "text" && piece.part.kind === "text" && isOnce(last) && isOnce(piece)) {
    pieces[pieces.length - 1] = { ...last, part: { kind: "text", text: last.part.text + piece.part.text } };
  } else if (last?.part.kind === "class" && JSON.stringify(last.part) === JSON.stringify(piece.part)) {
    pieces[pieces.length - 1] = { part: last.part, min: last.min + piece.min, max: last.max + piece.max };
  } else pieces.push(piece);
}

function isOnce({ min, max }: Piece): boolean {
  return min === 1 && max === 1;
}

const GROUP = /\((?:\?:)?(?!\?)/y;
const CLASS = /\[((?:\\.|[^\]\\])+)\]/y;
const ESCAPE = /\\(.)/y;
/** A literal character. Excludes control characters and line separators, because a phrase could not show them. */
const LITERAL = /[^\\^$.*+?()[\]{}|\p{C}\p{Zl}\p{Zp}]/uy;

function readPart(reader: Reader): Part | undefined {
  if (take(reader, GROUP) !== undefined) return readGroup(reader);
  const inClass = take(reader, CLASS)?.[1];
  if (inClass !== undefined) return readClass(inClass);
  const escaped = take(reader, ESCAPE)?.[1];
  if (escaped !== undefined) return partOf(escapedMembers(escaped));
  const literal = take(reader, LITERAL)?.[0];
  return literal === undefined ? undefined : { kind: "text", text: literal };
}

function readGroup(reader: Reader): Part | undefined {
  reader.depth += 1;
  const branches = reader.depth > MAX_DEPTH ? undefined : readBranches(reader);
  if (branches === undefined || reader.source[reader.at] !== ")") return undefined;
  reader.depth -= 1;
  reader.at += 1;
  if (branches.some((branch) => branch.length === 0)) return undefined;
  const [only] = branches.length === 1 ? (branches[0] ?? []) : [];
  const isWhole = branches[0]?.length === 1 && only !== undefined && isOnce(only);
  return isWhole ? only.part : { kind: "group", branches };
}

function partOf(members: readonly Member[] | undefined): Part | undefined {
  const [only, second] = members ?? [];
  const isText = only !== undefined && second === undefined && "character" in only;
  return isText ? { kind: "text", text: only.character } : members && { kind: "class", members };
}

/** One item of a class. A `-` at the end of a class is a character; `readClass` handles a `-` at the start. */
const CLASS_ITEM = /\\(.)|([A-Za-z0-9])-([A-Za-z0-9])|(-(?=$)|[^\\^\-[\]\p{C}\p{Zl}\p{Zp}])/uy;

function readClass(text: string): Part | undefined {
  const reader: Reader = { source: text, at: 0, depth: 0 };
  const members: Member[] = [];
  if (text.startsWith("-")) {
    members.push({ character: "-" });
    reader.at = 1;
  }
  while (reader.at < text.length) {
    const item = take(reader, CLASS_ITEM);
    if (item === undefined) return undefined;
    const [, escaped, from, to, character] = item;
    const found =
      escaped !== undefined
        ? escapedMembers(escaped)
        : character !== undefined
          ? [{ character }]
          : rangeMembers(from ?? "", to ?? "");
    if (found === undefined) return undefined;
    members.push(...found);
  }
  return partOf(withoutRepeats(members));
}

function withoutRepeats(members: readonly Member[]): readonly Member[] {
  const byName = new Map(members.map((member) => [JSON.stringify(member), member]));
  const letters = [UPPER, LOWER].map((letter) => JSON.stringify(letter));
  if (!letters.every((name) => byName.has(name))) return [...byName.values()];
  return [{ noun: "letter" }, ...[...byName].flatMap(([name, member]) => (letters.includes(name) ? [] : [member]))];
}

const UPPER: Member = { noun: "capital letter" };
const LOWER: Member = { noun: "small letter" };
const DIGIT: Member = { noun: "digit" };

function rangeMembers(from: string, to: string): readonly Member[] | undefined {
  const kinds = [
    { all: ["A", "Z"], noun: "capital letter" },
    { all: ["a", "z"], noun: "small letter" },
    { all: ["0", "9"], noun: "digit" },
  ] as const;
  const kind = kinds.find(({ all: [first, last] }) => from >= first && to <= last && from < to);
  if (kind === undefined) return undefined;
  const isWhole = from === kind.all[0] && to === kind.all[1];
  return [isWhole ? { noun: kind.noun } : { noun: kind.noun, range: `${from} to ${to}` }];
}

function escapedMembers(letter: string): readonly Member[] | undefined {
  if (letter === "d") return [DIGIT];
  if (letter === "w") return [{ noun: "letter" }, DIGIT, { character: "_" }];
  return /^[!-/:-@[-`{-~]$/.test(letter) ? [{ character: letter }] : undefined;
}

const COUNT = /[?*+]|\{(\d{1,3})(?:(,)(\d{1,3})?)?\}/y;

/** Reads how often the preceding part occurs. Returns undefined for a lazy or invalid repeat. */
function readCount(reader: Reader): { readonly min: number; readonly max: number } | undefined {
  const count = take(reader, COUNT);
  if (count === undefined) return { min: 1, max: 1 };
  if ("?+*{".includes(reader.source[reader.at] || " ")) return undefined;
  const [sign, from, comma, to] = count;
  if (from === undefined) return { min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : Infinity };
  const min = Number(from);
  const max = comma === undefined ? min : to === undefined ? Infinity : Number(to);
  return min > max ? undefined : { min, max };
}

function take(reader: Reader, expression: RegExp): RegExpExecArray | undefined {
  expression.lastIndex = reader.at;
  const found = expression.exec(reader.source) ?? undefined;
  if (found !== undefined) reader.at = expression.lastIndex;
  return found;
}

function sequencePhrase(pieces: Sequence): string {
  return pieces.map(piecePhrase).join(", then ");
}

function piecePhrase(piece: Piece): string {
  const { part, min, max } = piece;
  if (part.kind === "class") return classPhrase(part.members, piece);
  const inner = part.kind === "text" ? textPhrase(part.text) : groupPhrase(part.branches, isOnce(piece));
  if (isOnce(piece)) return inner;
  return min === 0 && max === 1 ? `optionally ${inner}` : `${inner} ${timesPhrase(piece)}`;
}

function timesPhrase(piece: Piece): string {
  const { min, max } = piece;
  if (min === 0 && max === Infinity) return "any number of times";
  return `${rangePhrase(piece)} ${plural(max, "time")}`;
}

function rangePhrase({ min, max }: Piece): string {
  if (min === max) return formatCount(min);
  if (max === Infinity) return `${formatCount(min)} or more`;
  return min === 0 ? `up to ${formatCount(max)}` : `${formatCount(min)}-${formatCount(max)}`;
}

/** Adds brackets to show the grouping, because commas alone would not show it. */
function groupPhrase(branches: readonly Sequence[], isAlone: boolean): string {
  const phrases = branches.map((branch) => {
    const phrase = sequencePhrase(branch);
    return branch.length > 1 && branches.length > 1 ? `(${phrase})` : phrase;
  });
  return isAlone ? orList(phrases) : `(${orList(phrases)})`;
}

function classPhrase(members: readonly Member[], piece: Piece): string {
  const { min, max } = piece;
  const isOptional = min === 0 && max === 1;
  const isMany = max > 1;
  const names = members.map((member) => memberPhrase(member, isMany));
  const lead = isOptional ? "optionally 1" : min === 0 && max === Infinity ? "any number of" : rangePhrase(piece);
  if (members.some((member) => "noun" in member)) return `${lead} ${orList(names)}`;
  return `${lead} ${isMany ? "characters" : "character"} (${orList(members.map((member) => memberPhrase(member, false)))})`;
}

function memberPhrase(member: Member, isMany: boolean): string {
  if ("noun" in member) {
    const noun = isMany ? `${member.noun}s` : member.noun;
    return member.range === undefined ? noun : `${noun} from ${member.range}`;
  }
  if (member.character === " ") return isMany ? "spaces" : "space";
  return `"${member.character}"`;
}

function textPhrase(text: string): string {
  return text === " " ? "a space" : `"${text}"`;
}

/** Joins words: `A`, `A or B`, `A, B or C`. */
function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`;
}
