import { createServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect } from "node:net";

interface PathProxy {
  /** The address of the app, with the path and a trailing slash. */
  url: string;
  close(): Promise<void>;
}

/** A reverse proxy that serves `target` below `prefix`. It strips the prefix and sends it as a header, as in the docs. */
export async function pathProxy(target: string, prefix: string): Promise<PathProxy> {
  const { hostname, port } = new URL(target);
  const pathOf = ({ url = "" }: IncomingMessage) =>
    url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : null;
  const headersOf = ({ headers }: IncomingMessage) => ({
    ...headers,
    "x-forwarded-prefix": prefix,
  });
  const server = createServer((asked, answer) => {
    const path = pathOf(asked);
    if (path === null) return answer.writeHead(404).end("nothing of ours");
    const { method } = asked;
    const further = request(
      { hostname, port, path, method, headers: headersOf(asked) },
      (found) => {
        answer.writeHead(found.statusCode!, found.headers);
        found.pipe(answer);
      },
    );
    further.on("error", () => answer.destroy());
    answer.on("close", () => further.destroy());
    asked.pipe(further);
  });
  server.on("upgrade", (asked, near, head) => {
    const path = pathOf(asked);
    const far = connect(Number(port), hostname);
    const lines = Object.entries(headersOf(asked)).map(([name, value]) => `${name}: ${value}`);
    far.write([`GET ${path} HTTP/1.1`, ...lines, "", ""].join("\r\n"));
    far.write(head);
    near.pipe(far).pipe(near);
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      end.on("error", () => end.destroy());
      end.on("close", () => other.destroy());
    }
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}/`,
    close() {
      server.closeAllConnections();
      return new Promise((closed) => server.close(() => closed()));
    },
  };
}
