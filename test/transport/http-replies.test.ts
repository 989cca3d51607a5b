import { describe, expect, test } from "vitest";
import { TransportError } from "../../src/transport/http.ts";
import { type Action, raw, rawThenEnd, rawThenReset, reply, neverAnswer } from "../chaos-server.ts";
import { scene, SHORT } from "./scene.ts";

const endless: Action = (socket) => {
  socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
  const timer = setInterval(() => socket.write(`1000\r\n${"x".repeat(0x1000)}\r\n`), 1);
  socket.on("close", () => clearInterval(timer));
};

describe("replies:", () => {
  test("a reply has a status, headers, a body and a duration", async () => {
    const { post, server } = await scene(reply(201, { account_number: "A-1", city: "Köln" }));
    const answer = await post();
    expect(answer).toMatchObject({ status: 201, complete: true, headers: { "content-type": "application/json" } });
    expect(answer).toHaveProperty("body", '{"account_number":"A-1","city":"Köln"}');
    expect(answer.durationMs).toBeGreaterThan(0);
    expect(server.requests[0]).toMatchObject({
      method: "POST",
      path: "/v1/data-import/accounts/",
      body: '{"name":"Zoë"}',
    });
  });

  test("a reply leaves the connection open for reuse", async () => {
    const { post, server } = await scene(reply(200, {}));
    for (let request = 0; request < 5; request += 1) await post();
    expect(server.requests).toHaveLength(5);
    expect(server.connections()).toBe(1);
  });

  test("a redirect is not followed", async () => {
    const target = await scene(reply(200, {}));
    const { post, server } = await scene(reply(307, "", { location: target.server.baseUrl.href }));
    expect(await post()).toMatchObject({ status: 307, headers: { location: target.server.baseUrl.href } });
    expect(server.requests).toHaveLength(1);
    expect(target.server.connections()).toBe(0);
  });

  test("a reply is read after a preceding 102 Processing", async () => {
    const { post } = await scene(
      raw("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\n{}"),
    );
    expect(await post()).toMatchObject({ status: 201, body: "{}", complete: true });
  });

  test.each<[string, Action]>([
    ["truncated by the end of the connection", rawThenEnd('HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\n{"a":1')],
    ["truncated by a reset", rawThenReset('HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\n{"a":1')],
    ["stalled", raw('HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\n{"a":1')],
  ])("a reply that is %s is returned and marked as incomplete", async (_, action) => {
    const { post } = await scene(action, { timeouts: SHORT });
    expect(await post()).toMatchObject({ status: 201, complete: false });
  });

  test("an endless body is truncated at the limit", async () => {
    const { post } = await scene(endless, { maxReplyBytes: 10_000 });
    const answer = await post();
    expect(answer).toMatchObject({ status: 200, complete: false });
    expect(answer).toHaveProperty("body", "x".repeat(10_000));
  });

  test("a reply with status 413 may precede the end of the request", async () => {
    const early = {
      tls: false,
      onConnection: (socket: { write(text: string): void }) => {
        socket.write("HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n");
        return true;
      },
    };
    const { post } = await scene(neverAnswer, early);
    const answer = await post();
    expect(answer instanceof TransportError ? answer.phase : answer.status).toBeOneOf([413, "sent"]);
  });
});
