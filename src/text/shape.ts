/**
 * Returns the shape of a value, which is used to show and group values without revealing them. In a string, upper-case
 * letters become `A`, other letters `a`, and digits `9`. Other printable ASCII characters are unchanged; all others
 * become `?`. In a shape, a run of more than three equal characters is written with its length. A shape is cut to 40
 * characters. Examples: `SW1A 1AA` -> `AA9A 9AA`, `07700900123` -> `9{11}`. Any other value has its type as its shape.
 */
export function shapeOf(value: unknown): string {
  if (typeof value === "string") return value === "" ? "(empty)" : textShape(value);
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  return typeof value === "object" ? "object" : typeof value;
}

const LONGEST_SHAPE = 40;

/** Uses a single pass, because each error shows a shape and an extract may have many errors. */
function textShape(text: string): string {
  let shape = "";
  let last = "";
  let run = 0;
  for (const character of text.slice(0, 400)) {
    const next = classOf(character);
    if (next !== last) {
      shape += runOf(last, run);
      last = next;
      run = 0;
    }
    run += 1;
  }
  shape += runOf(last, run);
  return shape.length > LONGEST_SHAPE ? `${shape.slice(0, LONGEST_SHAPE - 1)}…` : shape;
}

function runOf(character: string, length: number): string {
  return length > 3 ? `${character}{${length}}` : character.repeat(length);
}

function classOf(character: string): string {
  if (character >= "a" && character <= "z") return "a";
  if (character >= "A" && character <= "Z") return "A";
  if (character >= "0" && character <= "9") return "9";
  if (character >= " " && character <= "~") return character;
  if (/\p{L}/u.test(character)) return /\p{Lu}/u.test(character) ? "A" : "a";
  return /\p{N}/u.test(character) ? "9" : "?";
}
