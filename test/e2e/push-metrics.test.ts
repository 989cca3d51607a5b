import { mkdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { goodAccounts, useSandbox, workplace } from "./push-scene.ts";

const { sandbox, admin } = useSandbox();

/** Parses metrics in the Prometheus text format. Returns the value of each metric by its name and labels. */
function samples(text: string): ReadonlyMap<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
  );
}

test("--metrics serves the metrics of the run while it runs", async () => {
  const work = workplace({ accounts: goodAccounts(200) }, sandbox);
  await admin.faults({ latencyMs: [50, 100] });
  const pushing = work.startPush(["--concurrency", "4", "--metrics", "0", "--log-format", "json"]);
  await pushing.waitForOutput(/metrics_started.*\n/);
  const [line = ""] = /{.*metrics_started.*}/.exec(pushing.stderr()) ?? [];
  const { url }: { url: string } = JSON.parse(line);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
  const scraped = async (): Promise<ReadonlyMap<string, number>> => samples(await (await fetch(url)).text());
  await expect.poll(async () => (await scraped()).get("migrate_sent_records")).toBeGreaterThan(5);
  const found = await scraped();
  expect(found.get("migrate_send_records")).toBe(200);
  expect(found.get('migrate_run_state{state="running"}')).toBe(1);
  expect(found.get('migrate_records{status="accepted"}')).toBe(found.get("migrate_sent_records"));
  expect(found.get("migrate_replies_total")).toBe(found.get("migrate_sent_records"));
  expect(found.get("migrate_reply_seconds_total")).toBeGreaterThan(0);
  expect(found.get("migrate_input_read_bytes")).toBe(found.get("migrate_input_bytes"));
  expect([...found.keys()].filter((name) => name.startsWith("migrate_run_info"))).toEqual([
    expect.stringMatching(/run="\d{8}-\d{4}-\w+".*command="push".*supplier="SANDBOX".*operation="import-account"/),
  ]);
  expect([...found.keys()].some((name) => name.startsWith("process_cpu_seconds_total"))).toBe(true);
  expect((await fetch(url.replace("/metrics", "/"))).status).toBe(404);
  expect((await fetch(url, { method: "POST" })).status).toBe(405);
  pushing.kill("SIGINT");
  expect((await pushing.ended).code).toBe(3);
});

test("--metrics on a port in use ends the push before anything is sent", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  const bound = other.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : 0;
  const work = workplace({ accounts: goodAccounts(3) }, sandbox);
  const { code, stderr } = await work.push(["--metrics", `127.0.0.1:${port}`]);
  other.close();
  expect(code).toBe(2);
  expect(stderr).toContain(`--metrics 127.0.0.1:${port}: another program is already listening there`);
  expect(await admin.history()).toEqual([]);
});

test.each([["nowhere"], ["localhost:99999"], [":9464"], ["http://localhost:9464/metrics"]])(
  "--metrics %s is refused, and the message states the expected value",
  async (address) => {
    const { code, stderr } = await workplace({ accounts: goodAccounts(1) }, sandbox).push(["--metrics", address]);
    expect(code).toBe(2);
    expect(stderr).toContain("Expected host:port, such as 0.0.0.0:9464");
  },
);

test("--metrics-file writes the final metrics of a run to a file that other users can read", async () => {
  const work = workplace({ accounts: [{ REF: "A" }, { REF: "B", TYPE: "X" }] }, sandbox);
  expect((await work.push(["--metrics-file", "run.prom"])).code).toBe(1);
  const found = samples(readFileSync(work.file("run.prom"), "utf8"));
  expect(found.get('migrate_records{status="accepted"}')).toBe(1);
  expect(found.get('migrate_records{status="invalid"}')).toBe(1);
  expect(found.get('migrate_run_state{state="complete"}')).toBe(1);
  expect([...found.keys()].every((name) => name.startsWith("migrate_"))).toBe(true);
  expect(statSync(work.file("run.prom")).mode & 0o044).toBe(0o044);
});

test("--metrics-file counts all records of a resumed run that has nothing left to send", async () => {
  const work = workplace({ accounts: [{ REF: "A" }, { REF: "B", TYPE: "X" }] }, sandbox);
  expect((await work.push()).code).toBe(1);
  expect((await work.migrate(["resume", "--metrics-file", "run.prom"])).code).toBe(1);
  const found = samples(readFileSync(work.file("run.prom"), "utf8"));
  expect(found.get('migrate_run_state{state="complete"}')).toBe(1);
  expect(found.get('migrate_records{status="accepted"}')).toBe(1);
  expect(found.get('migrate_records{status="invalid"}')).toBe(1);
});

test("--metrics-file does not show a running run after a push that failed before its run began", async () => {
  const work = workplace({ accounts: goodAccounts(1) }, sandbox);
  expect((await work.push(["none.csv", "--metrics-file", "run.prom"])).code).toBe(2);
  const found = samples(readFileSync(work.file("run.prom"), "utf8"));
  expect(found.get('migrate_run_state{state="running"}')).toBe(0);
  expect(found.get('migrate_run_state{state="stopped"}')).toBe(1);
});

test("--metrics-file in a missing folder ends the push before anything is sent", async () => {
  const work = workplace({ accounts: goodAccounts(1) }, sandbox);
  const { code, stderr } = await work.push(["--metrics-file", "nowhere/run.prom"]);
  expect(code).toBe(2);
  expect(stderr).toContain("--metrics-file nowhere/run.prom: cannot be written (ENOENT)");
  expect(await admin.history()).toEqual([]);
});

test("--metrics-file refuses a folder", async () => {
  const work = workplace({ accounts: goodAccounts(1) }, sandbox);
  mkdirSync(work.file("metrics"));
  const { code, stderr } = await work.push(["--metrics-file", "metrics"]);
  expect(code).toBe(2);
  expect(stderr).toContain("--metrics-file metrics: is a folder");
});
