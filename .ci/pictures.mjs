// Creates the pictures for the documentation from real output. `npm run pictures` pushes the sample data to a sandbox
// and writes docs/images/push.svg (the terminal), docs/images/report.png (the report page) and docs/images/web-*.png
// (the pages of `migrate web`). Requires `script` (util-linux), Chromium and a build.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";

const root = path.join(import.meta.dirname, "..");
const images = path.join(root, "docs/images");
const program = path.join(root, "bin/migrate.js");
const temporary = mkdtempSync(path.join(tmpdir(), "pictures-"));
/** The name of the folder appears in the pictures. */
const folder = path.join(temporary, "demo");
const [COLUMNS, FIRST_LINES, LAST_LINES] = [80, 22, 12];

const STYLES = {
  1: 'font-weight="bold"',
  2: 'fill-opacity="0.6"',
  31: 'fill="#ef6b73"',
  32: 'fill="#98c379"',
  33: 'fill="#e5c07b"',
  36: 'fill="#56b6c2"',
};
/** The styles that each terminal code turns off. */
const ENDS = { 22: [1, 2], 39: [31, 32, 33, 36], 0: Object.keys(STYLES).map(Number) };

/** The pages of `migrate web`, by picture name: the path, the strings to wait for, and the row to select. */
const WEB_PAGES = {
  "web-overview": { place: "", texts: ["records are on the platform", "Start a push"] },
  "web-problems": { place: "problems", texts: ["Rows with this cause", "Read again"] },
  "web-fix": { place: "fix", texts: ["Error:", "Check again"] },
  "web-mapping": { place: "mapping", texts: ["records are valid"], row: "date_of_birth" },
};

mkdirSync(images, { recursive: true });
// Omits the files that the commands of the README write into this folder.
const written = new Set([".migrate", "ready.json", "report"]);
const filter = (from) => !written.has(path.basename(from));
cpSync(path.join(root, "fixtures/demo"), folder, { recursive: true, filter });
const config = path.join(folder, "migrate.yaml");
writeFileSync(config, readFileSync(config, "utf8").replace("../contract", path.join(root, "fixtures/contract")));

const ready = path.join(folder, "ready.json");
const sandbox = spawn(process.execPath, [program, "sandbox", "--ready-file", ready, "--latency", "5-20"], {
  cwd: folder,
});
try {
  const env = environment(await sandboxReady());
  const output = push(env);
  writeFileSync(path.join(images, "push.svg"), terminalPicture(["␛[1m$ migrate push␛[22m", ...shownLines(output)]));
  await inBrowser(reportPicture);
  await inBrowser((browser) => webPictures(browser, env));
} finally {
  sandbox.kill();
  rmSync(temporary, { recursive: true, force: true });
}

async function sandboxReady() {
  for (let tries = 0; tries < 100 && !existsSync(ready); tries += 1) await sleep(100);
  return JSON.parse(readFileSync(ready, "utf8"));
}

function environment({ baseUrl, ca, apiKey }) {
  return {
    ...process.env,
    MIGRATE_BASE_URL: baseUrl,
    MIGRATE_CA: ca,
    MIGRATE_API_KEY: apiKey,
    MIGRATE_OPERATOR: "operator",
    TERM: "xterm-256color",
  };
}

/** Returns the terminal output of a push. The push exits with 1, because the platform rejects some records. */
function push(env) {
  const command = `stty cols ${COLUMNS} rows 40; '${process.execPath}' '${program}' push || test $? -eq 1`;
  const output = execFileSync("script", ["-qec", command, "/dev/null"], { cwd: folder, env, encoding: "utf8" });
  // Here and below, a visible symbol represents the escape character.
  return output.replaceAll("\u001b", "␛");
}

/** Returns the lines to show. Omits the progress line and the middle of long output. */
function shownLines(output) {
  const lines = output
    .trimEnd()
    .split("\r\n")
    .map((line) => line.slice(line.lastIndexOf("␛[0K") + 1).replace(/^\[0K/, ""));
  const clean = lines.map((line) => line.replaceAll(/␛\[[?0-9;]*[A-Za-ln-z]/g, ""));
  const head = clean.slice(0, clean.lastIndexOf("", FIRST_LINES) + 1);
  const tail = clean.slice(clean.indexOf("", clean.length - LAST_LINES) + 1);
  return [...head, "␛[2m[...]␛[22m", "", ...tail];
}

function terminalPicture(lines) {
  const [width, height, left, top] = [8.4, 18, 16, 40];
  const size = [Math.ceil(2 * left + COLUMNS * width), top + lines.length * height + 12];
  const text = lines.map((line, row) => `<text x="${left}" y="${top + (row + 1) * height - 5}">${spans(line)}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size[0]}" height="${size[1]}" viewBox="0 0 ${size.join(" ")}">
<title>A push of the sample data on a terminal</title>
<rect width="100%" height="100%" rx="8" fill="#1e222a"/>
<circle cx="20" cy="20" r="6" fill="#ff5f56"/><circle cx="40" cy="20" r="6" fill="#ffbd2e"/><circle cx="60" cy="20" r="6" fill="#27c93f"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#d7dae0">
${text.join("\n")}
</g>
</svg>
`;
}

function spans(line) {
  const on = new Set();
  return line
    .split(/(␛\[[0-9;]*m)/)
    .map((part) => {
      const codes = /^␛\[([0-9;]*)m$/.exec(part)?.[1];
      if (codes === undefined)
        return part === "" ? "" : `<tspan ${[...on].map((code) => STYLES[code]).join(" ")}>${escaped(part)}</tspan>`;
      for (const code of codes.split(";").map(Number)) {
        for (const ended of ENDS[code] ?? []) on.delete(ended);
        if (STYLES[code] !== undefined) on.add(code);
      }
      return "";
    })
    .join("");
}

/** Escapes text. Uses non-breaking spaces, because SVG collapses ordinary spaces. */
function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(" ", "\u00a0");
}

async function reportPicture(browser) {
  const runs = path.join(folder, ".migrate/runs");
  const [run] = readdirSync(runs);
  const page = await browser.newPage({ viewport: { width: 1100, height: 760 }, colorScheme: "light" });
  await page.goto(`file://${path.join(runs, run, "report.html")}`);
  await page.screenshot({ path: path.join(images, "report.png") });
}

async function webPictures(browser, env) {
  const web = spawn(process.execPath, [program, "web", "--no-open"], { cwd: folder, env });
  try {
    const address = await addressIn(web.stdout);
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: "light" });
    await page.goto(address);
    await page.getByRole("heading").first().waitFor();
    for (const [name, { place, texts, row }] of Object.entries(WEB_PAGES)) {
      await page.goto(new URL(place, address).href);
      for (const text of texts) await page.getByText(text).first().waitFor({ state: "attached" });
      if (row !== undefined) await page.getByRole("treeitem", { name: row }).first().click();
      await page.screenshot({ path: path.join(images, `${name}.png`) });
    }
  } finally {
    web.kill();
  }
}

/** Returns the address that `migrate web` prints. */
async function addressIn(stream) {
  let text = "";
  for await (const chunk of stream) {
    text += chunk;
    const [address] = /http:\S+#token=\S+(?=\s)/.exec(text) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error(`migrate web has not started: ${text}`);
}

async function inBrowser(work) {
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    await work(browser);
  } finally {
    await browser.close();
  }
}
