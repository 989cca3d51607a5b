import { writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { type Action, closeSilently, reply, type SeenRequest, startChaosServer } from "../chaos-server.ts";
import type { CliEnd } from "./cli.ts";
import { goodAccounts, outcomeLines, references, statusCounts, workplace } from "./push-scene.ts";

const NOW = ["--quiet-period", "0s", "--format", "ndjson"];

interface ReadBackLie {
  readonly records: number;
  /** 1-based numbers of the records whose first request gets no reply. */
  readonly lost: readonly number[];
  readonly readBack: (request: SeenRequest) => Action;
  readonly overlay?: string;
}

interface Reconciled {
  readonly reconcile: CliEnd;
  readonly resume: CliEnd;
  /** The business keys for which the server has created an account, in order, with repeats. */
  readonly created: readonly string[];
}

/**
 * Pushes to a server that creates every account, sends no reply to the first requests for some records, and replies to
 * read-back requests with `readBack`. Then runs `reconcile` and `resume`.
 */
async function reconcileAfterPush({ records, lost, readBack, overlay }: ReadBackLie): Promise<Reconciled> {
  const created: string[] = [];
  const server = await startChaosServer((request) => {
    if (request.method === "GET") return readBack(request);
    const { external_account_number: key }: { readonly external_account_number: string } = JSON.parse(request.body);
    created.push(key);
    const isLost =
      lost.includes(references(records).indexOf(key) + 1) && created.filter((one) => one === key).length === 1;
    return isLost ? closeSilently : reply(201, { external_account_number: key, account_number: `A-${key}` });
  });
  onTestFinished(server.close);
  const work = workplace({ accounts: goodAccounts(records) });
  writeFileSync(work.file("ca.pem"), server.ca);
  writeFileSync(work.file("overlay.yaml"), overlay ?? EMPTY);
  const env = { MIGRATE_API_KEY: undefined, MIGRATE_TOKEN: "some-token" };
  const flags = ["--ca", "ca.pem", "--base-url", server.baseUrl.href, "--supplier", "SANDBOX", "--concurrency", "1"];
  const contract = ["--contract", "no-dedupe.yaml", "--contract", "overlay.yaml"];
  expect((await work.push([...flags, ...contract], { env })).code).toBe(5);
  const reconcile = await work.migrate(["reconcile", ...NOW], { env });
  const resume = await work.migrate(["resume", "--format", "ndjson"], { env });
  return { reconcile, resume, created };
}

const EMPTY = `
overlay: 1.0.0
info: { title: Nothing, version: "1" }
actions: []
`;

function keyIn({ path }: SeenRequest): string | undefined {
  return /imported-accounts\/[^/]+\/([^/]+)\/$/.exec(path)?.[1];
}

test.each([
  [
    "the same account number for all records",
    "A-00000001",
    /the same account number for several records \(records 1, 2, 3, 4\)/,
  ],
  ["the account number of a record that was accepted before", undefined, /account number of record 5 of run/],
])("reconcile accepts no ambiguous record if the platform returns %s", async (_, account, said) => {
  const lost = account === undefined ? [2] : [1, 2, 3, 4];
  const number = account ?? "A-EXT-00005";
  const readBack = (request: SeenRequest): Action => {
    const key = keyIn(request);
    const items = references(6).map((one) => ({ external_account_number: one, account_number: number }));
    return key === undefined ? reply(200, items) : reply(200, { external_account_number: key, account_number: number });
  };
  const { reconcile, created } = await reconcileAfterPush({ records: 6, lost, readBack });
  expect(reconcile.code).toBe(5);
  expect(statusCounts(outcomeLines(reconcile.stdout))).toEqual({ ambiguous: lost.length, accepted: 6 - lost.length });
  expect(reconcile.stderr).toMatch(said);
  expect(created).toEqual(references(6));
});

test.each<[string, object, RegExp]>([
  [
    "another account number",
    { account_number: "A-OTHER" },
    /account number A-OTHER, but an earlier reply had A-EXT-00001/,
  ],
  ["an account number of null", { account_number: null }, /without account_number/],
  ["no account number", {}, /without account_number/],
])("compare does not report a record as the same or absent if the platform returns %s", async (_, members, reason) => {
  const server = await startChaosServer(({ method, path }) =>
    method === "POST"
      ? reply(201, { external_account_number: "EXT-00001", account_number: "A-EXT-00001" })
      : reply(200, path.endsWith("/EXT-00001/") ? { external_account_number: "EXT-00001", ...members } : []),
  );
  onTestFinished(server.close);
  const work = workplace({ accounts: goodAccounts(1) });
  writeFileSync(work.file("ca.pem"), server.ca);
  writeFileSync(work.file("overlay.yaml"), WITHOUT_STATUS);
  const env = { MIGRATE_API_KEY: undefined, MIGRATE_TOKEN: "some-token" };
  const flags = ["--ca", "ca.pem", "--base-url", server.baseUrl.href, "--supplier", "SANDBOX"];
  expect((await work.push([...flags, "--contract", "overlay.yaml"], { env })).code).toBe(0);
  const { code, stdout } = await work.migrate(["compare", "--format", "ndjson"], { env });
  expect([code, JSON.parse(stdout)]).toMatchObject([1, { result: "unknown", reason: expect.stringMatching(reason) }]);
});

/** Returns replies to read-back requests: a record has this status and no account number, and the list is empty. */
function statusReply(status: string): (request: SeenRequest) => Action {
  return (request) => {
    const key = keyIn(request);
    return key === undefined ? reply(200, []) : reply(200, { external_account_number: key, import_status: status });
  };
}

/** An overlay that declares the platform's import statuses in records that are read back. */
const WITH_STATUS = `
overlay: 1.0.0
info: { title: Statuses of an import, version: "1" }
actions:
  - target: $.components.schemas.ImportedAccount
    update: { additionalProperties: true }
  - target: $.components.schemas.ImportedAccount.required
    remove: true
  - target: $.paths['/data-import/accounts/'].post['x-migrate-read-back'][0]
    update:
      status: import_status
      outcomes: { COMPLETED: accepted, IN_PROGRESS: pending, UNKNOWN: absent }
`;

/** The same overlay without these statuses. */
const WITHOUT_STATUS = WITH_STATUS.replace(/ {2}- target: [^\n]*x-migrate-read-back[^]*$/, "");

test.each([
  ["IN_PROGRESS, which the contract calls pending", "IN_PROGRESS", WITH_STATUS, /IN_PROGRESS; try again later/],
  ["a status that the contract does not list", "MERGED", WITH_STATUS, /MERGED, which the contract does not list/],
  ["a status in a contract without statuses", "IN_PROGRESS", WITHOUT_STATUS, /without account_number/],
])("`absent: resend` does not create an import twice with %s", async (_, status, overlay, said) => {
  const readBack = statusReply(status);
  const lost = [1, 2, 3, 4, 5, 6];
  const { reconcile, resume, created } = await reconcileAfterPush({ records: 6, lost, readBack, overlay });
  expect(reconcile.code).toBe(5);
  expect(reconcile.stderr).toMatch(said);
  expect(resume.code).toBe(5);
  expect(created).toEqual(references(6));
});

test("`absent: resend` does not create an import twice if the platform first processes the import and then lacks it", async () => {
  const looked = new Set<string>();
  const readBack = (request: SeenRequest): Action => {
    const key = keyIn(request);
    if (key === undefined) return reply(200, []);
    if (looked.has(key)) return reply(404, { detail: "Not found." });
    looked.add(key);
    return reply(200, { external_account_number: key, import_status: "IN_PROGRESS" });
  };
  const scene = { records: 3, lost: [2], readBack, overlay: WITH_STATUS };
  const { reconcile, resume, created } = await reconcileAfterPush(scene);
  expect(reconcile.code).toBe(5);
  expect(reconcile.stderr).toContain("first processed the record, but did not find it");
  expect(resume.code).toBe(5);
  expect(created).toEqual(references(3));
});

test.each<[string, Action]>([
  ["a gateway's JSON", reply(404, { message: "no Route matched with those values" })],
  ["an empty body", reply(404, "")],
])("resume creates no second account after a 404 with %s", async (_, notFound) => {
  const readBack = (request: SeenRequest): Action => (keyIn(request) === undefined ? reply(200, []) : notFound);
  const { reconcile, resume, created } = await reconcileAfterPush({ records: 3, lost: [2], readBack });
  expect(reconcile.code).toBe(5);
  expect(reconcile.stderr).toContain('has the status 404 without the "detail" of an error in its body');
  expect(resume.code).toBe(5);
  expect(created).toEqual(references(3));
});

test.each<[string, (request: SeenRequest) => Action]>([
  ["with 404", (request) => (keyIn(request) === undefined ? reply(200, []) : reply(404, { detail: "Not found." }))],
  ["with a status that means absent", statusReply("UNKNOWN")],
])("`absent: resend` proves nothing if accepted records are read back %s, too", async (_, readBack) => {
  const scene = { records: 3, lost: [2], readBack, overlay: WITH_STATUS };
  const { reconcile, resume, created } = await reconcileAfterPush(scene);
  expect(reconcile.code).toBe(5);
  expect(reconcile.stderr).toContain("the platform does not return record 1 either, although it accepted that record");
  expect(resume.code).toBe(5);
  expect(created).toEqual(references(3));
});

test("a record is created once more if only its import has a status that means absent", async () => {
  const absent = statusReply("UNKNOWN");
  const readBack = (request: SeenRequest): Action => {
    const key = keyIn(request);
    if (key === undefined || key === "EXT-00002") return absent(request);
    return reply(200, { external_account_number: key, account_number: `A-${key}`, import_status: "COMPLETED" });
  };
  const scene = { records: 3, lost: [2], readBack, overlay: WITH_STATUS };
  const { reconcile, resume, created } = await reconcileAfterPush(scene);
  expect(reconcile.code).toBe(3);
  expect(resume.code).toBe(0);
  expect(created).toEqual([...references(3), "EXT-00002"]);
});
