import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { timestamp } from "../time/clock.ts";
import { type Connections, PROCESSING_CAP_REPLY, serverErrorReply, throttledReply } from "./faults/broken-replies.ts";
import type { FaultOptions } from "./faults/fault-options.ts";
import type { RequestFaults } from "./faults/fault-plan.ts";
import type { PlatformParts } from "./platform-parts.ts";
import {
  type Handler,
  NOT_FOUND,
  type PlatformRequest,
  refusal,
  type Reply,
  type Route,
  SERVER_ERROR,
} from "./sandbox-reply.ts";

interface HttpAppDependencies extends PlatformParts {
  readonly connections: Connections;
  readonly log: (line: string) => void;
  /** Maximum size of a request body, in bytes. */
  readonly maxBodyBytes: number;
}

interface Env {
  Bindings: HttpBindings;
  Variables: { body: Uint8Array };
}
type RequestContext = Context<Env>;
type Incoming = HttpBindings["incoming"];

/**
 * Serves the routes over HTTP, records the request history, and injects faults. Replies to unknown paths as Django
 * does.
 */
export function createHttpApp(routes: readonly Route[], dependencies: HttpAppDependencies): Hono<Env> {
  const app = new Hono<Env>({ strict: true });
  const { maxBodyBytes, log } = dependencies;
  const serveUnmatched = (context: RequestContext, handler: Handler): Promise<Response> =>
    serve(context, { method: "GET", path: "", handler, kind: "read" }, dependencies);
  app.onError((error, { req }) => {
    log(`${req.method} ${req.path} 500 ${error.name}`);
    return responseTo(SERVER_ERROR);
  });
  app.use(async (context, next) => {
    const { method, path } = context.req;
    const body = await readBody(context.env.incoming, maxBodyBytes);
    if (body === undefined) {
      log(`${method} ${path} 413`);
      const detail = `The request body is larger than ${maxBodyBytes} bytes.`;
      return responseTo({ ...refusal(413, "request_too_large", detail), headers: { Connection: "close" } });
    }
    context.set("body", body);
    return next();
  });
  for (const route of routes) {
    for (const path of honoPaths(route)) {
      app.on(route.method, path, (context) => serve(context, route, dependencies));
    }
  }
  for (const path of new Set(routes.flatMap(honoPaths))) {
    app.all(path, (context) => {
      const detail = `Method "${context.req.method}" not allowed.`;
      return serveUnmatched(context, () => refusal(405, "method_not_allowed", detail));
    });
  }
  app.notFound((context) => serveUnmatched(context, () => NOT_FOUND));
  return app;
}

/**
 * Returns the paths of a route in Hono's notation. GET requests may omit the trailing slash (API specification 4). POST
 * requests must include it, as in Django.
 */
function honoPaths({ method, path }: Route): readonly string[] {
  const pattern = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => `:${name.replaceAll(/\W/g, "_")}`);
  if (method === "POST") return [pattern];
  const bare = pattern.replace(/\/$/, "");
  return [bare, `${bare}/`];
}

async function serve(context: RequestContext, route: Route, dependencies: HttpAppDependencies): Promise<Response> {
  const request = platformRequest(context);
  if (route.kind === "admin") return responseTo(await route.handler(request));
  const { method, path } = context.req;
  const note = dependencies.history.record({ at: timestamp(dependencies.clock), method, path });
  const finish = (reply: Reply, shown: number | undefined): void => {
    const { key, login } = reply;
    note({
      ...(key !== undefined && { key }),
      ...(login !== undefined && { login }),
      ...(shown !== undefined && { status: shown }),
      processed: reply.status < 300 && login?.refusal === undefined,
    });
    dependencies.log(`${method} ${path} ${shown ?? "no reply"}`);
  };
  if (route.kind === "read") {
    const reply = await route.handler(request);
    finish(reply, reply.status);
    return responseTo(reply);
  }
  return serveWithFaults(context, { request, route, finish }, dependencies);
}

interface ReceivedRequest {
  readonly request: PlatformRequest;
  readonly route: Route;
  /**
   * Adds the outcome to the history: the platform's reply, and the status that the client receives (undefined if it
   * receives no reply).
   */
  readonly finish: (reply: Reply, shown: number | undefined) => void;
}

async function serveWithFaults(
  context: RequestContext,
  received: ReceivedRequest,
  dependencies: HttpAppDependencies,
): Promise<Response> {
  const { faults, clock, state, tokens } = dependencies;
  const planned = faults.start(received.route);
  try {
    if (planned.pauseSupplier) state.setSupplier(received.route.supplierOf?.(received.request) ?? "", "Paused");
    if (planned.rotateTokens) tokens.rotate();
    if (planned.latencyMs > 0) await clock.sleep(planned.latencyMs);
    const { before, after } = planned;
    if (before !== undefined) return fail({ fault: before, reply: SERVER_ERROR }, context.env, received, dependencies);
    const reply = await received.route.handler(received.request);
    if (after !== undefined) return fail({ fault: after, reply }, context.env, received, dependencies);
    received.finish(reply, reply.status);
    return responseTo(reply);
  } finally {
    faults.finish(received.route);
  }
}

type Fault = NonNullable<RequestFaults["before" | "after"]>;

/**
 * Refuses a request, or resets its connection or leaves it open.
 * @param reply the reply of the platform, which is an error if the platform has not processed the request
 */
function fail(
  { fault, reply }: { readonly fault: Fault; readonly reply: Reply },
  { incoming, outgoing }: HttpBindings,
  { finish }: ReceivedRequest,
  { faults, connections }: HttpAppDependencies,
): Response | Promise<Response> {
  const refused = refusalFor(fault, faults.options());
  if (refused !== undefined) {
    finish(reply, refused.status);
    return responseTo(refused);
  }
  finish(reply, fault === "cut" ? reply.status : undefined);
  if (fault === "cut") connections.cut(incoming, outgoing, { status: reply.status, text: JSON.stringify(reply.body) });
  if (fault === "reset") connections.reset(incoming);
  // The connection has been reset, or stays open on purpose.
  return new Promise(() => undefined);
}

function refusalFor(fault: Fault, options: FaultOptions): Reply | undefined {
  if (fault === "cap") return PROCESSING_CAP_REPLY;
  if (fault === "throttle") return throttledReply(options);
  return fault === "error" ? serverErrorReply(options) : undefined;
}

/**
 * Reads the body of a request; returns undefined if it exceeds the limit. Web streams would take several times as long.
 */
async function readBody(incoming: Incoming, maxBytes: number): Promise<Uint8Array | undefined> {
  if (Number(incoming.headers["content-length"] ?? 0) > maxBytes) return undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  const received: AsyncIterable<Uint8Array> = incoming.iterator({ destroyOnReturn: false });
  for await (const chunk of received) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function platformRequest(context: RequestContext): PlatformRequest {
  const { req } = context;
  const url = new URL(req.url);
  return {
    query: url.searchParams,
    params: req.param(),
    authorization: req.header("authorization"),
    contentType: req.header("content-type") ?? "",
    body: context.get("body"),
    origin: url.origin,
    target: `${url.pathname}${url.search}`,
    sender: {
      host: req.header("host") ?? "",
      origin: req.header("origin"),
      fetchSite: req.header("sec-fetch-site"),
    },
  };
}

function responseTo({ status, body, headers }: Reply): Response {
  if (BODILESS_STATUSES.has(status)) return new Response(null, { status, headers: { ...headers } });
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const type = typeof body === "string" ? "text/html; charset=utf-8" : "application/json";
  return new Response(text, { status, headers: { "Content-Type": type, ...headers } });
}

/** Statuses whose replies have no body (RFC 9110, 15.3.5 and 15.3.6). */
const BODILESS_STATUSES: ReadonlySet<number> = new Set([204, 205]);
