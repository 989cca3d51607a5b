import type { RunProgress, SendProgress } from "../../job/run-progress.ts";
import { STATUSES } from "../../model/outcome.ts";
import { counted, countsByName, duration, formatCount, percent, rateText } from "../../text/count.ts";
import { plainText } from "../../text/plain-text.ts";
import { textWidth } from "../../terminal/text-width.ts";

/**
 * Describes the progress in one line. Omits the least important parts if the line would have more than `width` columns,
 * but always keeps the most important part.
 */
export function progressLine(progress: RunProgress, width: number = Number.POSITIVE_INFINITY): string {
  const parts = progress.sending === undefined ? inputParts(progress) : sendParts(progress.sending);
  for (let kept = parts.length; kept > 1; kept -= 1) {
    // Removes the least important part first. The other parts keep their reading order.
    const texts = parts.flatMap(({ text, rank }) => (rank < kept ? [text] : []));
    if (textWidth(texts.join(", ")) <= width) return texts.join(", ");
  }
  return parts.find(({ rank }) => rank === 0)?.text ?? "";
}

interface Part {
  readonly text: string;
  /** 0 is the most important. */
  readonly rank: number;
}

function ranked(parts: readonly (string | undefined)[], order: readonly number[]): readonly Part[] {
  const present = parts.flatMap((text, at) => (text === undefined ? [] : [{ text, rank: order[at] ?? at }]));
  const ranks = present.map(({ rank }) => rank).toSorted((a, b) => a - b);
  return present.map(({ text, rank }) => ({ text, rank: ranks.indexOf(rank) }));
}

function inputParts({ run, input, elapsedMs }: RunProgress): readonly Part[] {
  const { bytes, ofBytes, records, invalid } = input;
  // For example, `reconcile` waits for the quiet period before it reads or queries anything.
  if (bytes === 0 && records === 0) return ranked(["Working", duration(elapsedMs)], [0, 1]);
  // A push sends records only after it has checked all of them. The text explains the delay before the first request.
  const [reading, behind] = run?.command === "push" ? ["Reading the whole input first", ":"] : ["Reading", ""];
  const read = ofBytes === 0 ? undefined : `${percent(bytes, ofBytes)} of ${size(ofBytes)}`;
  return ranked(
    [
      read === undefined ? reading : `${reading}${behind} ${read}`,
      records === 0 ? undefined : `${counted(records, "record")} checked`,
      records === 0 ? undefined : `${formatCount(invalid)} invalid`,
      duration(elapsedMs),
    ],
    [0, 1, 2, 3],
  );
}

function sendParts(sending: SendProgress): readonly Part[] {
  const { total, done, counts, inFlight, perSecond, leftMs, wait, closedSuppliers } = sending;
  const statuses = countsByName(counts, STATUSES);
  return ranked(
    [
      total === undefined
        ? `This worker has sent ${counted(done, "record")}`
        : `Sent ${formatCount(done)} of ${formatCount(total)} (${percent(done, total)})`,
      statuses.length === 0 ? undefined : statuses.join(", "),
      `${rateText(perSecond)}/s`,
      `${formatCount(inFlight)} in flight`,
      wait === undefined ? undefined : `waiting ${duration(wait.forMs)}: ${plainText(wait.reason, 60)}`,
      closedSuppliers.length === 0 ? undefined : `waiting for ${suppliersText(closedSuppliers)}`,
      wait === undefined ? paceText(sending.pace) : undefined,
      leftMs === undefined || (total !== undefined && done >= total) ? undefined : `${duration(leftMs)} left`,
    ],
    [0, 5, 1, 6, 3, 4, 7, 2],
  );
}

/** Describes the pace limits and the reason for them, such as `at most 12 and 5/s (HTTP 429)`. */
export function paceText({ limit, perSecond, reason }: SendProgress["pace"]): string | undefined {
  if (limit === undefined) return undefined;
  const most = perSecond === undefined ? `at most ${limit}` : `at most ${limit} and ${perSecond}/s`;
  return reason === undefined ? most : `${most} (${plainText(reason, 60)})`;
}

export function suppliersText(suppliers: readonly string[]): string {
  const named = suppliers.filter((supplier) => supplier !== "");
  return ["import supplier", plainText(named.join(", "), 60)].join(" ").trim();
}

function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1000).toFixed(0)} KB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
