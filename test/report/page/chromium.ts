import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";

const CHROMIUM = "/usr/bin/chromium";
const QUIET = ["no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking"];
const FLAGS = [...QUIET, "disable-component-update", "disable-sync"].map((name) => `--${name}`);

/** A page in a browser, with its console messages and its requests. Each entry in these lists is a fault. */
interface OpenedPage {
  readonly page: Page;
  /** Console messages, which include violations of the content security policy, and script errors. */
  readonly complaints: readonly string[];
  /** Addresses that the page requested, except its own file. */
  readonly requests: readonly string[];
}

interface OpenOptions {
  readonly colorScheme?: "light" | "dark";
  readonly width?: number;
}

type OpenPage = (file: string, options?: OpenOptions) => Promise<OpenedPage>;

/** Defines tests of files that are opened in a new page. */
export function describeInChromium(name: string, tests: (open: OpenPage) => void): void {
  describeWithBrowser(name, {}, (browser) => tests((file, options) => openPage(browser(), file, options)));
}

/**
 * Defines tests in a real Chromium. If Chromium is missing, the tests are skipped, and the title of their group names
 * the expected path.
 */
export function describeWithBrowser(
  name: string,
  limits: { readonly timeout?: number },
  tests: (browser: () => Browser) => void,
): void {
  describe.skipIf(!existsSync(CHROMIUM))(`${name} (in ${CHROMIUM})`, limits, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
    });
    afterAll(() => browser.close());
    tests(() => browser);
  });
}

async function openPage(
  browser: Browser,
  file: string,
  { colorScheme = "light", width = 1280 }: OpenOptions = {},
): Promise<OpenedPage> {
  const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
  const complaints: string[] = [];
  const requests: string[] = [];
  const address = pathToFileURL(file).href;
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("dialog", (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (request.url() !== address) requests.push(request.url());
  });
  await page.goto(address);
  return { page, complaints, requests };
}
