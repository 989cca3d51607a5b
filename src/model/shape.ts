/**
 * The shape of a value, for showing and grouping without showing the value: capitals become `A`, other letters `a`,
 * digits `9`, the rest stays; runs longer than three are counted. `SW1A 1AA` -> `AA9A 9AA`, `07700900123` -> `9{11}`.
 */
export function shapeOf(value: unknown): string {
  if (typeof value === "string") return value === "" ? "(empty)" : textShape(value);
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  return typeof value === "object" ? "object" : typeof value;
}

const LONGEST_SHAPE = 40;

function textShape(text: string): string {
  const classes = text
    .slice(0, 400)
    .replace(/\p{Lu}/gu, "A")
    .replace(/\p{L}/gu, (letter) => (letter === "A" ? letter : "a"))
    .replace(/\p{N}/gu, "9")
    .replace(/\p{C}|[^\p{ASCII}]/gu, "?");
  const counted = classes.replace(/(.)\1{3,}/gu, (run, character: string) => `${character}{${run.length}}`);
  return counted.length > LONGEST_SHAPE ? `${counted.slice(0, LONGEST_SHAPE - 1)}…` : counted;
}
