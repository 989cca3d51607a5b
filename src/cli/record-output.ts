import type { JsonObject } from "../model/json.ts";
import type { PageExtent } from "../platform/page-extent.ts";
import type { Page } from "../platform/pages.ts";
import type { RecordFormat } from "../report/format.ts";
import { type RecordView, recordWriter } from "../report/record-formats.ts";
import type { World } from "./world.ts";

export interface Shown<T> {
  readonly view: RecordView<T>;
  readonly format: RecordFormat;
  readonly extent: PageExtent;
}

/** Writes every page when it comes, as long as somebody reads; says on stderr when there are more. Exit code 0. */
export async function showRecords<T extends JsonObject>(
  pages: AsyncIterable<Page<T>>,
  { view, format, extent }: Shown<T>,
  { parts, talk, write, isRead }: World,
): Promise<number> {
  const writer = recordWriter(format, view, { ...parts.screen, notice: talk.notice });
  let shown = 0;
  for await (const page of pages) {
    await write(writer.add(page));
    if (!isRead()) return 0;
    shown += page.results.length;
    if (extent === "first" && page.hasNext) talk.notice(`${amountOf(shown, page.count)}; --all reads the rest`);
  }
  await write(writer.end());
  if (shown === 0) talk.notice("The platform has none that fit");
  return 0;
}

function amountOf(shown: number, count: number | undefined): string {
  return count === undefined ? `The first ${shown}` : `The first ${shown} of ${count}`;
}
