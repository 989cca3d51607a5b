import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import type { Clock } from "../model/clock.ts";
import type { Connections } from "./connection.ts";
import type { FaultOptions } from "./fault-options.ts";
import type { FaultPlan, RequestFaults } from "./fault-plan.ts";
import { CAPPED, faultyReply, throttled } from "./fault-replies.ts";
import type { History } from "./history.ts";
import { type Handler, methodNotAllowed, NOT_FOUND, type PlatformRequest, type Reply } from "./reply.ts";

/** One address of the platform. */
export interface Route {
  readonly method: "GET" | "POST";
  /** From the instance's root, parameters in braces: `/v1/accounts/{number}/`. */
  readonly path: string;
  readonly handler: Handler;
  /** `data-import`: faults strike here, and the request is counted. */
  readonly kind: "data-import" | "read" | "admin";
  /** It makes accounts of what was staged: the platform may take only so many at a time. */
  readonly isProcessing?: boolean;
}

export interface AppParts {
  readonly history: History;
  readonly faults: FaultPlan;
  readonly connections: Connections;
  readonly clock: Clock;
  readonly pauseSupplier: (request: PlatformRequest) => void;
  readonly rotateTokens: () => void;
  readonly log: (line: string) => void;
}

interface Env {
  Bindings: HttpBindings;
}
type Exchange = Context<Env>;

/** Puts the routes on HTTP: history, faults, and what Django answers where there is no route. */
export function platformApp(routes: readonly Route[], parts: AppParts): Hono<Env> {
  const app = new Hono<Env>({ strict: true });
  for (const route of routes) {
    for (const path of honoPaths(route)) {
      app.on(route.method, path, (context) => serve(context, route, parts));
    }
  }
  for (const path of new Set(routes.flatMap(honoPaths))) {
    app.all(path, (context) =>
      serve(
        context,
        strayRoute(() => methodNotAllowed(context.req.method)),
        parts,
      ),
    );
  }
  app.notFound((context) =>
    serve(
      context,
      strayRoute(() => NOT_FOUND),
      parts,
    ),
  );
  return app;
}

function strayRoute(handler: Handler): Route {
  return { method: "GET", path: "", handler, kind: "read" };
}

/** Reads answer with and without the slash at the end (specification 4); Django takes a POST only where it stands. */
function honoPaths({ method, path }: Route): readonly string[] {
  const pattern = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => `:${name.replaceAll(/\W/g, "_")}`);
  if (method === "POST") return [pattern];
  const bare = pattern.replace(/\/$/, "");
  return [bare, `${bare}/`];
}

async function serve(context: Exchange, route: Route, parts: AppParts): Promise<Response> {
  const request = await platformRequest(context);
  if (route.kind === "admin") return responseTo(await route.handler(request));
  const { method, path } = context.req;
  const note = parts.history.arrive({ at: new Date(parts.clock.now()).toISOString(), method, path });
  const settle = (reply: Reply, shown: number | undefined): void => {
    const { key, login } = reply;
    note({
      ...(key !== undefined && { key }),
      ...(login !== undefined && { login }),
      ...(shown !== undefined && { status: shown }),
      processed: reply.status < 300 && login?.refusal === undefined,
    });
    parts.log(`${method} ${path} ${shown ?? "no reply"}`);
  };
  if (route.kind === "read") {
    const reply = await route.handler(request);
    settle(reply, reply.status);
    return responseTo(reply);
  }
  return serveWithFaults(context, { request, route, settle }, parts);
}

interface Arrival {
  readonly request: PlatformRequest;
  readonly route: Route;
  /** Notes what the platform did, and the status that the client gets to see. */
  readonly settle: (reply: Reply, shown: number | undefined) => void;
}

async function serveWithFaults(context: Exchange, arrival: Arrival, parts: AppParts): Promise<Response> {
  const { faults, clock } = parts;
  const fate = faults.enter(arrival.route);
  try {
    if (fate.pauseSupplier) parts.pauseSupplier(arrival.request);
    if (fate.rotateTokens) parts.rotateTokens();
    if (fate.latencyMs > 0) await clock.sleep(fate.latencyMs);
    if (fate.before !== undefined) return refuse(fate.before, context, arrival, parts);
    const reply = await arrival.route.handler(arrival.request);
    if (fate.after !== undefined) return spoil({ fault: fate.after, reply }, context, arrival, parts);
    arrival.settle(reply, reply.status);
    return responseTo(reply);
  } finally {
    faults.leave(arrival.route);
  }
}

function refuse(
  fault: NonNullable<RequestFaults["before"]>,
  context: Exchange,
  { settle }: Arrival,
  { faults, connections }: AppParts,
): Response | Promise<Response> {
  const reply = refusedBy(fault, faults.options());
  if (fault !== "reset" && fault !== "hang") {
    settle(reply, reply.status);
    return responseTo(reply);
  }
  settle(reply, undefined);
  if (fault === "reset") connections.reset(context.env.incoming);
  return noResponse();
}

function refusedBy(fault: NonNullable<RequestFaults["before"]>, options: FaultOptions): Reply {
  if (fault === "cap") return CAPPED;
  return fault === "throttle" ? throttled(options) : faultyReply(options);
}

function spoil(
  { fault, reply }: { readonly fault: NonNullable<RequestFaults["after"]>; readonly reply: Reply },
  context: Exchange,
  { settle }: Arrival,
  { faults, connections }: AppParts,
): Response | Promise<Response> {
  const { incoming, outgoing } = context.env;
  if (fault === "error") {
    const shown = faultyReply(faults.options());
    settle(reply, shown.status);
    return responseTo(shown);
  }
  settle(reply, fault === "cut" ? reply.status : undefined);
  if (fault === "cut") connections.cut(incoming, outgoing, { status: reply.status, text: JSON.stringify(reply.body) });
  if (fault === "reset") connections.reset(incoming);
  return noResponse();
}

/** The connection has been dealt with, or is left hanging: there is nothing for the server to send. */
function noResponse(): Promise<Response> {
  return new Promise(() => undefined);
}

async function platformRequest(context: Exchange): Promise<PlatformRequest> {
  const { req } = context;
  const url = new URL(req.url);
  return {
    query: url.searchParams,
    params: req.param(),
    authorization: req.header("authorization"),
    contentType: req.header("content-type") ?? "",
    body: req.method === "POST" ? await req.text() : "",
    origin: url.origin,
    target: `${url.pathname}${url.search}`,
  };
}

function responseTo({ status, body, headers }: Reply): Response {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const type = typeof body === "string" ? "text/html; charset=utf-8" : "application/json";
  return new Response(text, { status, headers: { "Content-Type": type, ...headers } });
}
