import { spawn } from "node:child_process";

/** Opens an address in the user's browser. Has no effect if there is none: the address is also on the screen. */
export function openBrowser(address: string): void {
  const [command, ...words] = COMMANDS[process.platform] ?? ["xdg-open"];
  if (command === undefined) return;
  const child = spawn(command, [...words, address], { stdio: "ignore", detached: true });
  child.once("error", () => undefined);
  child.unref();
}

const COMMANDS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
