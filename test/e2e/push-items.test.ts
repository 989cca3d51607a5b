import { writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { reply, startChaosServer } from "../chaos-server.ts";
import { CONTRACT, outcomeLines, workplace } from "./push-scene.ts";

const OVERLAY = `
overlay: 1.0.0
info: { title: Notes, version: "1" }
actions:
  - target: $.paths['/data-import/notes/'].post
    update:
      x-migrate-key: external_account_number
      x-migrate-outcomes: [{ status: 201, outcome: accepted }]
`;

const NOTE = { created_at: "2024-01-01T12:00:00Z", body: "Moved in" };

test("a record is rejected, with an error at the note, if a successful reply reports one of its notes as refused", async () => {
  const results = [
    { ...NOTE, status: "NOTE_CREATION_SUCCESS" },
    { ...NOTE, status: "NOTE_CREATION_ERROR", error_detail: "too old" },
  ];
  const server = await startChaosServer(({ number }) => reply(201, number === 1 ? results : results.slice(0, 1)));
  onTestFinished(server.close);
  const { file, migrate } = workplace({ accounts: [] });
  writeFileSync(file("ca.pem"), server.ca);
  writeFileSync(file("overlay.yaml"), OVERLAY);
  const record = (key: string): string =>
    JSON.stringify({
      external_account_number: key,
      import_supplier: "SANDBOX",
      notes: [NOTE, { ...NOTE, body: "Rang" }],
    });
  writeFileSync(file("notes.ndjson"), `${record("EXT-1")}\n${record("EXT-2")}\n`);
  const { code, stdout } = await migrate(
    "push notes.ndjson --operation create-notes --concurrency 1 --format ndjson --ca ca.pem"
      .split(" ")
      .concat("--contract", CONTRACT, "--contract", "overlay.yaml", "--base-url", server.baseUrl.href),
    { env: { MIGRATE_TOKEN: "some-token" } },
  );
  expect(code).toBe(1);
  const [first, second] = outcomeLines(stdout);
  expect(first).toMatchObject({
    key: "EXT-1",
    status: "rejected",
    http: 201,
    errors: [
      {
        attr: "notes.1",
        code: "NOTE_CREATION_ERROR",
        by: "platform",
        source: { file: "notes.ndjson", line: 1, pointer: "/notes/1" },
      },
    ],
  });
  expect(second).toMatchObject({ key: "EXT-2", status: "accepted" });
});
