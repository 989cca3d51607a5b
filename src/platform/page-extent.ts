import { Failure } from "../model/failure.ts";
import type { Page } from "./pages.ts";

/** How much of a list is wanted: its first page, all of it, or the page of this number, from 1. */
export type PageExtent = "first" | "all" | number;

/**
 * The pages that are wanted. A page further on is reached through those before it, because the specification names no
 * way to ask for it (4.5.2).
 * @throws Failure `not_found` when the list ends before the page of the number
 */
export async function* wantedPages<T>(
  pages: AsyncIterable<Page<T>>,
  extent: PageExtent,
): AsyncGenerator<Page<T>, void, undefined> {
  const wanted = extent === "first" ? 1 : extent;
  let number = 0;
  for await (const page of pages) {
    number += 1;
    if (wanted === "all" || wanted === number) yield page;
    if (wanted === number) return;
  }
  if (wanted !== "all" && number < wanted) {
    throw new Failure("not_found", `there is no page ${wanted}: the list has ${number}`, {
      hint: "take a lower number, or --all",
    });
  }
}
