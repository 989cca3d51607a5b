import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { z } from "zod";
import { listenError } from "../files/error-code.ts";
import { Failure } from "../model/failure.ts";
import { errorReply, RefusedRequest } from "./error-reply.ts";
import { fixRoutes } from "./fix/fix-routes.ts";
import { mappingRoutes } from "./mapping/mapping-routes.ts";
import { overviewRoutes } from "./overview/overview-routes.ts";
import { projectRoutes } from "./project-routes.ts";
import { problemRoutes } from "./problems/problem-routes.ts";
import { pushRoutes } from "./push/push-routes.ts";
import { createWebPush, type WebPush } from "./push/web-push.ts";
import { requestBody } from "./request-body.ts";
import { createAccess, type WebAccess } from "./security/access.ts";
import { checkHost, checkOrigin, checkSession, noSession, setSessionCookie } from "./security/guard.ts";
import { addSecurityHeaders } from "./security/headers.ts";
import { staticFiles } from "./static-files.ts";
import type { WebProject } from "./web-project.ts";

export interface WebServer {
  /** The origin, in the form `http://127.0.0.1:PORT/`. */
  readonly origin: string;
  /** The address to show to the user. The token is in the URL fragment, which browsers do not send. */
  readonly address: string;
  /** Creates an address that works once, for the program that opens a browser. */
  readonly createSingleAddress: () => string;
  /** Waits for a check or a push to end, then closes all connections. */
  readonly close: () => Promise<void>;
}

/**
 * Serves the project on the loopback interface.
 * @param port 0 selects any free port
 * @throws Failure `config` if the server cannot listen on the port
 */
export async function startWebServer(project: WebProject, port: number): Promise<WebServer> {
  const access = createAccess();
  const server = createServer();
  const webPush = createWebPush(project);
  const app = createWebApp(untilDrained(project), access, webPush, () => portOf(server));
  server.on("request", getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  await listen(server, port);
  const origin = `http://127.0.0.1:${portOf(server)}/`;
  return {
    origin,
    address: `${origin}#token=${access.token}`,
    createSingleAddress: () => `${origin}#token=${access.createSingleToken()}`,
    close: async () => {
      await webPush.settled();
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Returns a project that logs no unexpected errors once the program is ending. The end interrupts checks and the work
 * of requests at any point, so errors in this work are not bugs. A push does not use this project: it waits for its
 * requests in flight, so its errors are bugs.
 */
function untilDrained(project: WebProject): WebProject {
  const { drain } = project.dependencies;
  return { ...project, logBug: (error) => (drain.aborted ? undefined : project.logBug(error)) };
}

/** Larger than a JSON record (16 MiB), so that every value of a record can be saved. */
const MAX_BODY_BYTES = 32 * 2 ** 20;

function createWebApp(project: WebProject, access: WebAccess, webPush: WebPush, port: () => number): Hono {
  const app = new Hono();
  app.onError((error, context) => errorReply(error, context, project.logBug));
  app.notFound((context) => {
    if (!context.req.path.startsWith("/api/"))
      return context.text("There is no such page. The first page has the address /\n", 404);
    throw new RefusedRequest(404, "not_found", "There is no such page");
  });
  app.use(addSecurityHeaders, checkHost(port));
  app.route("/", staticFiles());
  app.use("/api/*", checkOrigin, bodyLimit({ maxSize: MAX_BODY_BYTES, onError: refuseLargeBody }));
  app.post("/api/session", async (context) => {
    const { token } = await requestBody(context, z.object({ token: z.string() }));
    const session = access.exchange(token);
    if (session === undefined) throw noSession();
    setSessionCookie(context, session, port());
    return context.json({ key: session.key });
  });
  app.use("/api/*", checkSession(access, port));
  app.route("/api/project", projectRoutes(project));
  app.route("/api/overview", overviewRoutes(project, webPush));
  app.route("/api/problems", problemRoutes(project));
  app.route("/api/push", pushRoutes(webPush));
  app.route("/api/fix", fixRoutes(project));
  app.route("/api/mapping", mappingRoutes(project));
  return app;
}

function refuseLargeBody(): never {
  throw new RefusedRequest(
    413,
    "invalid_request",
    `The request is larger than ${MAX_BODY_BYTES / 2 ** 20} MiB`,
    "Change fewer cells at once, or correct long values in the source file.",
  );
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function listen(server: Server, port: number): Promise<void> {
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
  } catch (error) {
    throw new Failure("config", `cannot serve the web pages on 127.0.0.1:${port}: ${listenError(error)}`, {
      hint: "choose another port with --port; 0 selects any free port",
      cause: error,
    });
  }
}
