import { expect, test } from "vitest";
import { excludedRecordsView, exclusionsView } from "../../../src/cli/views/exclusions-view.ts";
import type { ViewOptions } from "../../../src/cli/views/view.ts";

const options: ViewOptions = { screen: { width: 80, colour: false }, showValues: false, verbose: false };
const first = { key: "EXT-1", operation: "create-account", supplier: "NORTH" };
const second = { key: "EXT-1", operation: "create-account", supplier: "SOUTH" };
const decision = { at: "2026-11-27T12:00:00.000Z", who: "ann@desk", reason: "closed", identity: Uint8Array.of(1) };

test("exclusions at several suppliers show the supplier", () => {
  const listed = [first, second].map((name) => ({ ...name, ...decision }));
  expect(exclusionsView.text(listed, options)).toBe(
    "key    supplier  since       by        reason\n" +
      "EXT-1  NORTH     2026-11-27  ann@desk  closed\n" +
      "EXT-1  SOUTH     2026-11-27  ann@desk  closed\n",
  );
  expect(exclusionsView.text(listed.slice(1), options)).not.toContain("SOUTH");
});

test("excluded records at several suppliers are named with their supplier", () => {
  const result = { excluded: [first], excludedBefore: [second], accepted: [], unsettled: [], unseen: [] };
  expect(excludedRecordsView.text(result, options)).toContain("  EXT-1 (SOUTH)  already excluded\n");
});
