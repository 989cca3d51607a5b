import { expect, test } from "vitest";
import { createRowCache } from "../../../src/web/client/pages/fix/row-cache.ts";
import type { FixRow } from "../../../src/web/fix/fix-types.ts";

function rowAt(position: number): FixRow {
  return { id: position + 1, key: "", file: "", line: 0, cells: [], marks: [], edited: [], state: "open" };
}

test("rows that were added to an incomplete page are loaded when they are wanted", async () => {
  const requests: number[] = [];
  let length = 130;
  const cache = createRowCache({
    load: async (from, count) => {
      requests.push(from);
      return Array.from({ length: Math.min(count, length - from) }, (_, index) => rowAt(from + index));
    },
    onLoaded: () => undefined,
    onError: (error) => expect.unreachable(String(error)),
  });
  const want = async (): Promise<void> => {
    cache.want(0, length - 1);
    await new Promise((resolve) => setImmediate(resolve));
  };
  cache.setLength(length);
  await want();
  await want();
  expect(requests).toEqual([0, 100]);

  length = 140;
  cache.setLength(length);
  expect(cache.get(129)?.id).toBe(130);
  await want();
  await want();
  expect(requests).toEqual([0, 100, 100]);
  expect(cache.get(139)?.id).toBe(140);
});
