// Generates deterministic rows for the benchmarks that use a flat file. A helper, not a benchmark.
import { createWriteStream } from "node:fs";
import { once } from "node:events";
import { finished } from "node:stream/promises";

const HEADER = "REF,TYPE,NAME,ADDR1,ADDR2,POSTCODE,BALANCE,NEXT_BILL,OCCUPIER";
const ROWS_A_WRITE = 5000;

const STREETS = ["High Street", "Station Road", "Church Lane", "Victoria Avenue", "The Crescent", "Mill Lane"];
const TOWNS = ["Newcastle upon Tyne", "Stoke-on-Trent", "Kingston upon Hull", "Bury St Edmunds", "Leighton Buzzard"];
const NAMES = ["Aisha", "Bronwen", "Callum", "Dilys", "Eleanor", "Fergus", "Gwendolen", "Hamish"];
const FAMILIES = ["Featherstonehaugh", "Okonkwo", "Llewellyn", "MacDonald", "Patel", "Robertson", "Wojciechowska"];

/**
 * Writes a header and `count` valid rows of nine columns to `path`. A row is about 100 bytes long, and every tenth row
 * has a quoted cell. `remark` is the length of the cells in an additional REMARK column (0: no such column). `first` is
 * the number of the first row.
 */
export async function writeFlatRows(path, count, { remark = 0, first = 0 } = {}) {
  const end = remark === 0 ? "\n" : `,${"The meter is under the stairs. ".repeat(remark).slice(0, remark - 1)}.\n`;
  const out = createWriteStream(path, { highWaterMark: 2 ** 20 });
  out.write(remark === 0 ? `${HEADER}\n` : `${HEADER},REMARK\n`);
  for (let from = 0; from < count; from += ROWS_A_WRITE) {
    const rows = Array.from(
      { length: Math.min(ROWS_A_WRITE, count - from) },
      (_, index) => flatRow(first + from + index) + end,
    );
    if (!out.write(rows.join(""))) await once(out, "drain");
  }
  out.end();
  await finished(out);
}

function flatRow(number) {
  const pick = (list, step) => list[Math.floor(number / step) % list.length];
  return [
    `EXT-${String(number).padStart(8, "0")}`,
    number % 5 === 0 ? "B" : "D",
    `${pick(NAMES, 1)} ${pick(FAMILIES, 3)}`,
    `${1 + (number % 240)} ${pick(STREETS, 7)}`,
    number % 10 === 0 ? `"${pick(TOWNS, 11)}, District ${1 + (number % 97)}"` : pick(TOWNS, 11),
    `N${1 + (number % 20)} ${1 + (number % 9)}A${String.fromCharCode(65 + (number % 26))}`,
    `${number % 7 === 0 ? "-" : ""}${number % 2000}.${twoDigits(number % 100)}`,
    `${twoDigits(1 + (number % 28))}/${twoDigits(1 + (number % 12))}/${2026 + (number % 2)}`,
    number % 9 === 0 ? "Y" : "N",
  ].join(",");
}

export function twoDigits(value) {
  return String(value).padStart(2, "0");
}
