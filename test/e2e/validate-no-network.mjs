// Loaded before the program: every use of the network adds a line to the file that TRAP_FILE names, and throws.
import { appendFileSync } from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";

const require = createRequire(import.meta.url);

function trap(name) {
  return () => {
    appendFileSync(process.env.TRAP_FILE, `${name}\n`);
    throw new Error(`the network was used: ${name}`);
  };
}

const traps = {
  net: ["connect", "createConnection", "createServer"],
  tls: ["connect", "createServer"],
  dgram: ["createSocket"],
  dns: ["lookup", "resolve", "resolve4", "resolve6"],
  "dns/promises": ["lookup", "resolve", "resolve4", "resolve6"],
};
for (const [module, names] of Object.entries(traps)) {
  for (const name of names) require(`node:${module}`)[name] = trap(`${module}.${name}`);
}
const { Socket, Server } = require("node:net");
Socket.prototype.connect = trap("net.Socket.connect");
Server.prototype.listen = trap("net.Server.listen");
globalThis.fetch = trap("fetch");
