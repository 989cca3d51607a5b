import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { type CliOptions, copyDemo, projectFile, type RunningCli, startCli, type TestSandbox } from "../e2e/cli.ts";
import { describeWithBrowser } from "../report/page/chromium.ts";
import { scaledTimeout } from "../scaled-timeout.ts";
import { temporaryFolder } from "../temporary-folder.ts";

export interface RunningWeb {
  readonly folder: string;
  readonly cli: RunningCli;
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** The address with the token. */
  readonly address: string;
  readonly token: string;
  readonly stop: () => Promise<void>;
}

/** Starts `migrate web` in a folder, on a free port. The caller stops it. */
export async function startWeb(
  folder: string,
  flags: readonly string[] = [],
  options: CliOptions = {},
): Promise<RunningWeb> {
  const cli = startCli(["web", "--no-open", ...flags], { cwd: folder, timeoutMs: 900_000, ...options });
  await cli.waitForOutput(/#token=\S+\s/);
  const [address = "", origin = "", token = ""] = /(http:\/\/127\.0\.0\.1:\d+)\/#token=(\S+)/.exec(cli.stdout()) ?? [];
  return {
    folder,
    cli,
    origin,
    address,
    token,
    stop: async () => {
      cli.kill("SIGTERM");
      await cli.ended;
    },
  };
}

/**
 * Starts `migrate web` in a folder, on a free port, with the credentials of the sandbox. The server stops when the test
 * ends.
 */
export async function startWithSandbox(
  folder: string,
  { env }: Pick<TestSandbox, "env">,
  flags: readonly string[] = [],
): Promise<RunningWeb> {
  const { MIGRATE_API_KEY } = env;
  const web = await startWeb(folder, flags, { env: { MIGRATE_API_KEY } });
  onTestFinished(() => web.stop());
  return web;
}

interface DemoProject {
  /** Default: a temporary folder, which is removed when the test ends. */
  readonly folder?: string;
  /** The target of the project. Default: an address at which nothing listens. */
  readonly sandbox?: { readonly baseUrl: string; readonly ca: string };
}

/** Copies the sample project. Returns the folder of the copy. */
export function demoProject({ folder = temporaryFolder(), sandbox }: DemoProject = {}): string {
  copyDemo(folder);
  const file = path.join(folder, "migrate.yaml");
  const config = readFileSync(file, "utf8").replace("../contract", projectFile("fixtures/contract"));
  const { baseUrl = "https://127.0.0.1:1/v1/", ca } = sandbox ?? {};
  const target = config.replace(/baseUrl: .*/, `baseUrl: ${baseUrl}`);
  writeFileSync(file, ca === undefined ? target : target.replace(/ca: .*/, `ca: ${ca}`));
  return folder;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** Sends a request as a program would: with exactly these headers, and without the restrictions of a browser. */
export function send(
  origin: string,
  name: string,
  {
    method = "GET",
    headers = {},
    body,
  }: { readonly method?: string; readonly headers?: Readonly<Record<string, string>>; readonly body?: string } = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asking = request(new URL(name, origin), { method, headers, agent: false }, (reply) => {
      let text = "";
      reply.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      reply.on("end", () => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body: text }));
    });
    asking.on("error", reject).end(body);
  });
}

/** Opens a session. Returns the headers that a page of the session sends. */
export async function openSession({ origin, token }: Pick<RunningWeb, "origin" | "token">): Promise<{
  readonly cookie: string;
  readonly "x-migrate-key": string;
}> {
  const reply = await send(origin, "/api/session", {
    method: "POST",
    headers: { "content-type": "application/json", origin },
    body: JSON.stringify({ token }),
  });
  const [cookie = ""] = reply.headers["set-cookie"] ?? [];
  const { key }: { key: string } = JSON.parse(reply.body);
  return { cookie: cookie.split(";")[0] ?? "", "x-migrate-key": key };
}

/**
 * A page in a browser, with its console messages and its requests to other origins. Both lists must be empty, except
 * for error replies that a test provokes.
 */
interface WebPage {
  readonly page: Page;
  /** Script errors, and console messages, which include violations of the content security policy. */
  readonly complaints: readonly string[];
  /** URLs of the requests to other origins. */
  readonly foreign: readonly string[];
}

interface WebPageOptions {
  readonly colorScheme?: "light" | "dark";
  readonly width?: number;
  readonly height?: number;
}

/** Opens an address in a new browser profile. */
export type OpenWebPage = (address: string, options?: WebPageOptions) => Promise<WebPage>;

/** Defines tests that open web pages, each in a new browser profile. */
export function describeWebPages(name: string, tests: (open: OpenWebPage) => void): void {
  const limits = { timeout: scaledTimeout(600_000) };
  describeWithBrowser(name, limits, (browser) => tests((address, options) => openPage(browser(), address, options)));
}

/** Only a page that never shows the expected text takes this long. */
const WAIT_MS = 240_000;

async function openPage(
  browser: Browser,
  address: string,
  { colorScheme = "light", width = 1280, height = 800 }: WebPageOptions = {},
): Promise<WebPage> {
  const context = await browser.newContext({ colorScheme, viewport: { width, height } });
  context.setDefaultTimeout(scaledTimeout(WAIT_MS));
  const page = await context.newPage();
  const complaints: string[] = [];
  const foreign: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (asked) => {
    if (new URL(asked.url()).origin !== new URL(address).origin) foreign.push(asked.url());
  });
  await page.goto(address);
  return { page, complaints, foreign };
}

/** A client with a session, which stores all replies of the server. */
export interface WebClient {
  /** Returns the body of the reply. Throws unless the status is 200. */
  readonly get: <T>(name: string) => Promise<T>;
  readonly post: (name: string, body?: object) => Promise<Reply>;
  /** Returns all replies of the server so far. */
  readonly seen: () => string;
}

export async function clientOf(web: Pick<RunningWeb, "origin" | "token">): Promise<WebClient> {
  const session = await openSession(web);
  const seen: string[] = [];
  const ask = async (...asked: Parameters<typeof send>): Promise<Reply> => {
    const reply = await send(...asked);
    seen.push(JSON.stringify(reply));
    return reply;
  };
  return {
    get: async <T>(name: string) => {
      const { status, body } = await ask(web.origin, name, { headers: session });
      if (status !== 200) throw new Error(`GET ${name}: ${status} ${body}`);
      const parsed: T = JSON.parse(body);
      return parsed;
    },
    post: (name, body = {}) => {
      const headers = { ...session, origin: web.origin, "content-type": "application/json" };
      return ask(web.origin, name, { method: "POST", headers, body: JSON.stringify(body) });
    },
    seen: () => seen.join("\n"),
  };
}
