import { writeFileSync } from "node:fs";
import type { Command } from "commander";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Action, drip, reply, neverAnswer, startChaosServer } from "../chaos-server.ts";
import { startProxyServer } from "../proxy-server.ts";
import { createProgram, usesNetwork } from "../../src/cli/program.ts";
import { IDLE_SESSION } from "../cli/idle-session.ts";
import { type CliEnd, runCli } from "./cli.ts";
import { goodAccounts, outcomeLines, statusCounts, workplace, useSandbox } from "./push-scene.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const { sandbox, admin } = useSandbox();

interface NamedCommand {
  readonly words: readonly string[];
  readonly command: Command;
}

/** Returns every command without subcommands, with the words that name it. */
function namedCommands({ commands }: Command, words: readonly string[]): readonly NamedCommand[] {
  return commands.flatMap((command) => {
    const named = [...words, command.name()];
    return command.commands.length > 0 ? namedCommands(command, named) : [{ words: named, command }];
  });
}

const TOKEN = { MIGRATE_API_KEY: undefined, MIGRATE_TOKEN: "some-token" };

describe("NODE_TLS_REJECT_UNAUTHORIZED=0", () => {
  const online = namedCommands(createProgram(IDLE_SESSION), []).filter(({ command }) => usesNetwork(command));

  test.each(online.map(({ words, command }) => [words.join(" "), words, command] as const))(
    "is refused by %s, and the message names the variable",
    async (_, words, command) => {
      const required = command.registeredArguments.filter((argument) => argument.required).map(() => "x");
      const { code, stdout, stderr } = await runCli([...words, ...required], {
        cwd: temporaryFolder(),
        env: { ...sandbox.env, NODE_TLS_REJECT_UNAUTHORIZED: "0" },
      });
      expect(code).toBe(2);
      // `doctor` reports the variable as a finding on stdout.
      expect(command.name() === "doctor" ? stdout : stderr).toContain("NODE_TLS_REJECT_UNAUTHORIZED=0");
      expect(await admin.history()).toEqual([]);
    },
  );

  test("is tested with commands that include push, resume, compare and products", () => {
    const names = online.map(({ words }) => words.join(" "));
    expect(names).toEqual(expect.arrayContaining(["push", "resume", "compare", "products"]));
  });

  test("is refused by proof only with --read-back, because proof works offline otherwise", async () => {
    const proof = ["proof", "--out", "proof"];
    const options = { cwd: temporaryFolder(), env: { ...sandbox.env, NODE_TLS_REJECT_UNAUTHORIZED: "0" } };
    expect((await runCli([...proof, "--read-back"], options)).stderr).toContain("NODE_TLS_REJECT_UNAUTHORIZED=0");
    expect((await runCli(proof, options)).stderr).not.toContain("disables certificate checks");
  });
});

describe("--ca:", () => {
  const KEY = "-----BEGIN PRIVATE KEY-----\nMIG\n-----END PRIVATE KEY-----\n";
  test.each([
    ["no certificate", "hello\n", /contains no certificate/],
    ["a private key", KEY, /contains a private key/],
    ["a corrupt certificate", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n", /certificate 1 of/],
    ["an empty file", "", /contains no certificate/],
  ])("%s is refused, and the message names the file", async (_, text, said) => {
    const work = workplace({ accounts: goodAccounts(2) }, sandbox);
    writeFileSync(work.file("mine.pem"), text);
    const { code, stderr } = await work.push(["--ca", "mine.pem"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(said);
    expect(stderr).toContain("mine.pem");
    expect(await admin.history()).toEqual([]);
  });

  test("a file that does not exist is refused", async () => {
    const { push } = workplace({ accounts: goodAccounts(2) }, sandbox);
    const { code, stderr } = await push(["--ca", "nowhere.pem"]);
    expect(code).toBe(2);
    expect(stderr).toContain("nowhere.pem");
  });
});

describe("a proxy", () => {
  test("named by the flag is used for the whole push and for resume", async () => {
    const proxy = await startProxyServer({ credentials: "me:proxy-secret" });
    onTestFinished(proxy.close);
    const work = workplace({ accounts: goodAccounts(30) }, sandbox);
    const env = { MIGRATE_PROXY_CREDENTIALS: "me:proxy-secret" };
    await admin.faults({ pauseAt: 10 });
    const first = await work.push(["--proxy", proxy.url.href], { env });
    expect(first.code).toBe(4);
    const before = proxy.tunnels.length;
    expect(before).toBeGreaterThan(0);
    await admin.supplier("Ongoing");
    const { code, stdout, stderr } = await work.migrate(["resume", "--format", "ndjson"], { env });
    expect(code).toBe(0);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: 30 });
    expect(proxy.tunnels.length).toBeGreaterThan(before);
    expect(first.stderr + stdout + stderr).not.toContain("proxy-secret");
  });

  test("from the environment is not used, and a message says so", async () => {
    const proxy = await startProxyServer();
    onTestFinished(proxy.close);
    const { push } = workplace({ accounts: goodAccounts(3) }, sandbox);
    const { code, stderr } = await push([], { env: { HTTPS_PROXY: proxy.url.href, ALL_PROXY: proxy.url.href } });
    expect(code).toBe(0);
    expect(stderr).toMatch(/HTTPS_PROXY is set but ignored/);
    expect(proxy.tunnels).toEqual([]);
  });

  test("that requires credentials ends the push, and nothing is sent", async () => {
    const proxy = await startProxyServer({ credentials: "me:right" });
    onTestFinished(proxy.close);
    const { push } = workplace({ accounts: goodAccounts(5) }, sandbox);
    const { code, stdout, stderr } = await push([], { env: { MIGRATE_PROXY: proxy.url.href } });
    expect(code).toBe(2);
    expect(stderr).toContain("MIGRATE_PROXY_CREDENTIALS");
    expect(statusCounts(outcomeLines(stdout))).toEqual({ pending: 5 });
    expect(await admin.history()).toEqual([]);
  });

  test("with credentials in its address is refused, and the credentials are not shown", async () => {
    const { push } = workplace({ accounts: goodAccounts(1) }, sandbox);
    const { code, stdout, stderr } = await push(["--proxy", "http://me:secret-word@127.0.0.1:9"]);
    expect(code).toBe(2);
    expect(stdout + stderr).not.toContain("secret-word");
  });
});

const HALF = "HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: 999\r\n\r\n";

async function pushTo(act: Action, timeouts: string): Promise<CliEnd> {
  const server = await startChaosServer(() => act);
  onTestFinished(server.close);
  const work = workplace({ accounts: goodAccounts(1) });
  writeFileSync(work.file("ca.pem"), server.ca);
  writeFileSync(
    work.file("migrate.yaml"),
    `targets: { slow: { baseUrl: "${server.baseUrl.href}", ca: ca.pem, timeouts: ${timeouts} } }\n`,
  );
  return work.push(["--supplier", "SANDBOX", "--target", "slow", "--contract", "no-dedupe.yaml"], { env: TOKEN });
}

describe("the timeouts of a request", () => {
  test("limit the wait for the header", async () => {
    const { code, stdout } = await pushTo(neverAnswer, "{ headersSeconds: 0.5 }");
    expect(code).toBe(5);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ ambiguous: 1 });
  });

  test("limit the wait for the rest of a body, even if the status is 201", async () => {
    const { code, stdout } = await pushTo((socket) => void socket.write(`${HALF}{"a`), "{ bodySeconds: 0.5 }");
    expect(code).toBe(5);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ ambiguous: 1 });
  });

  test("limit the duration of the whole request, even if parts of the reply keep arriving", async () => {
    const { code } = await pushTo(drip(HALF.repeat(9), 20), "{ wholeSeconds: 2 }");
    expect(code).toBe(5);
  });

  test("are refused if they are invalid", async () => {
    const { code, stderr } = await pushTo(reply(201, {}), "{ headersSeconds: 0 }");
    expect(code).toBe(2);
    expect(stderr).toContain("headersSeconds");
  });
});

test("a push retries a stalled handshake, because nothing was sent", async () => {
  const server = await startChaosServer(() => neverAnswer, { onConnection: () => false });
  onTestFinished(server.close);
  const work = workplace({ accounts: goodAccounts(1) });
  writeFileSync(work.file("ca.pem"), server.ca);
  const target = `{ baseUrl: "${server.baseUrl.href}", ca: ca.pem, timeouts: { connectSeconds: 0.3 } }`;
  writeFileSync(work.file("migrate.yaml"), `targets: { slow: ${target} }\n`);
  const pushing = work.startPush(["--supplier", "SANDBOX", "--target", "slow"], { env: TOKEN });
  await pushing.waitForOutput(/cannot reach .*UND_ERR_CONNECT_TIMEOUT/);
  pushing.kill("SIGINT");
  const { code, stdout } = await pushing.ended;
  expect(code).toBe(3);
  expect(statusCounts(outcomeLines(stdout))).toEqual({ pending: 1 });
});
