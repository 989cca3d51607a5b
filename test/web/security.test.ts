import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestFolder } from "../temporary-folder.ts";
import { demoProject, openSession, type Reply, type RunningWeb, send, startWeb } from "./web-scene.ts";

const JSON_BODY = { "content-type": "application/json" };

describe("the server of migrate web", () => {
  const place = createTestFolder();
  let web: RunningWeb;
  let session: Readonly<Record<string, string>>;
  beforeAll(async () => {
    web = await startWeb(demoProject({ folder: place.folder }));
    session = await openSession(web);
  });
  afterAll(async () => {
    await web.stop();
    place.remove();
  });

  const get = (name: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> =>
    send(web.origin, name, { headers });
  const post = (name: string, headers: Readonly<Record<string, string>>, body: string): Promise<Reply> =>
    send(web.origin, name, { method: "POST", headers, body });

  it("accepts requests from a page with a session", async () => {
    const reply = await get("/api/project", session);
    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.body)).toMatchObject({ configFile: "migrate.yaml", isEmpty: false, isProduction: false });
  });

  it("sets a cookie that scripts and other sites cannot use", async () => {
    const reply = await post(
      "/api/session",
      { ...JSON_BODY, origin: web.origin },
      JSON.stringify({ token: web.token }),
    );
    expect(reply.headers["set-cookie"]).toEqual([
      expect.stringMatching(/^migrate-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/),
    ]);
  });

  it("refuses requests without a session, with half a session, or with another session", async () => {
    const { cookie = "", "x-migrate-key": key = "" } = session;
    const another = await openSession(web);
    for (const headers of [
      {},
      { cookie },
      { "x-migrate-key": key },
      { cookie, "x-migrate-key": another["x-migrate-key"] },
      { cookie: `${cookie}x`, "x-migrate-key": key },
    ]) {
      const reply = await get("/api/project", headers);
      expect(reply.status).toBe(401);
      expect(JSON.parse(reply.body)).toMatchObject({ error: { code: "no_session" } });
    }
  });

  it("answers an unknown address with text, and an unknown API request with JSON", async () => {
    for (const [name, headers, type, body] of [
      ["/fixes", {}, "text/plain", "There is no such page"],
      ["/fix/", session, "text/plain", "There is no such page"],
      ["/api/fixes", session, "application/json", '"not_found"'],
    ] as const) {
      const reply = await get(name, headers);
      expect([reply.status, reply.headers["content-type"]]).toEqual([404, expect.stringContaining(type)]);
      expect(reply.body).toContain(body);
    }
  });

  it("refuses an invalid token", async () => {
    for (const token of ["", "x", web.token.slice(1), `${web.token}x`]) {
      const reply = await post("/api/session", { ...JSON_BODY, origin: web.origin }, JSON.stringify({ token }));
      expect(reply.status).toBe(401);
      expect(reply.headers["set-cookie"]).toBeUndefined();
    }
  });

  it("refuses other host names, because a site could point them at this machine (DNS rebinding)", async () => {
    const { port } = new URL(web.origin);
    for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1", "127.0.0.1:1", `127.0.0.1.:${port}`]) {
      for (const name of ["/", "/app.js", "/api/project", "/api/session"]) {
        const reply = await get(name, { ...session, host });
        expect([`${host} ${name}`, reply.status]).toEqual([`${host} ${name}`, 421]);
      }
    }
    expect((await get("/api/project", { ...session, host: `localhost:${port}` })).status).toBe(200);
  });

  it("refuses pages from other origins, even with a session", async () => {
    const token = JSON.stringify({ token: web.token });
    for (const origin of ["http://evil.example", "null", "http://127.0.0.1:1", web.origin.replace("http", "https")]) {
      expect([origin, (await get("/api/project", { ...session, origin })).status]).toEqual([origin, 403]);
      expect([origin, (await post("/api/session", { ...session, ...JSON_BODY, origin }, token)).status]).toEqual([
        origin,
        403,
      ]);
    }
    for (const site of ["cross-site", "same-site", "none"]) {
      expect([site, (await get("/api/project", { ...session, "sec-fetch-site": site })).status]).toEqual([site, 403]);
    }
    expect((await get("/api/project", { ...session, "sec-fetch-site": "same-origin" })).status).toBe(200);
    expect((await post("/api/session", { ...session, ...JSON_BODY }, token)).status).toBe(403);
  });

  it("refuses a form from another site, and any body that is not JSON", async () => {
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const crossSite = await post(
      "/api/session",
      { ...session, ...form, origin: "http://evil.example", "sec-fetch-site": "cross-site" },
      `token=${web.token}`,
    );
    expect(crossSite.status).toBe(403);
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      const headers = { ...session, origin: web.origin, "content-type": type };
      const reply = await post("/api/session", headers, JSON.stringify({ token: web.token }));
      expect([type, reply.status]).toEqual([type, 415]);
    }
  });

  it("refuses a body of unknown size without an error in the terminal", async () => {
    const headers = { ...session, ...JSON_BODY, origin: web.origin, "transfer-encoding": "chunked" };
    const reply = await post("/api/session", headers, JSON.stringify({ token: web.token }));
    expect(reply.status).toBe(411);
    expect(JSON.parse(reply.body)).toMatchObject({ error: { code: "invalid_request" } });
  });

  it("refuses a request without a body and its size (it used to be reported as a bug)", async () => {
    const headers = { ...session, ...JSON_BODY, origin: web.origin };
    for (const method of ["DELETE", "OPTIONS"])
      expect(await send(web.origin, "/api/fix/check", { method, headers })).toMatchObject({ status: 411 });
    expect(web.cli.stderr()).not.toContain("bug");
  });

  it("allows no other origin to read a reply", async () => {
    const reply = await send(web.origin, "/api/project", {
      method: "OPTIONS",
      headers: { origin: "http://evil.example", "access-control-request-headers": "x-migrate-key" },
    });
    expect(reply.status).toBe(403);
    expect(reply.headers["access-control-allow-origin"]).toBeUndefined();
  });

  it("sends the security headers with every reply", async () => {
    const replies = [
      await get("/"),
      await get("/app.js"),
      await get("/app.css"),
      await get("/api/project", session),
      await get("/api/project"),
      await get("/missing"),
      await get("/", { host: "evil.example" }),
    ];
    for (const { headers } of replies) {
      expect(headers).toMatchObject({
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "x-frame-options": "DENY",
        "cross-origin-resource-policy": "same-origin",
      });
      const policy = String(headers["content-security-policy"]);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("form-action 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
    }
  });

  it("serves only the files of the client", async () => {
    for (const name of ["/migrate.yaml", "/../package.json", "/%2e%2e/package.json", "/index.html", "/app.js.map"]) {
      expect([name, (await get(name, session)).status]).toEqual([name, 404]);
    }
  });

  it("refuses a body that is too large or not valid, and does not return its values", async () => {
    const headers = { ...session, ...JSON_BODY, origin: web.origin };
    const large = await post("/api/session", { ...headers, "content-length": String(33 * 1024 * 1024) }, "{");
    expect(large.status).toBe(413);
    expect(JSON.parse(large.body).error).toMatchObject({
      message: "The request is larger than 32 MiB",
      hint: "Change fewer cells at once, or correct long values in the source file.",
    });
    const wrong = await post("/api/session", headers, '{"token":["07700 900123"]}');
    expect(wrong.status).toBe(400);
    expect(wrong.body).not.toContain("07700");
    expect((await post("/api/session", headers, "{")).status).toBe(400);
  });

  it("listens on the loopback interface only", async () => {
    const { networkInterfaces } = await import("node:os");
    const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    const outside = addresses.filter(({ internal, family }) => !internal && family === "IPv4");
    // 127.0.0.2 also belongs to the loopback interface, but the server must not listen on it.
    for (const address of ["127.0.0.2", ...outside.map((each) => each.address)]) {
      await expect(connects(address, Number(new URL(web.origin).port))).resolves.toBe(false);
    }
  });
});

function connects(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port }, () => {
      socket.destroy();
      resolve(true);
    }).on("error", () => resolve(false));
  });
}
