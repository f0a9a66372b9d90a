import { expect, test } from "vitest";
import { socketUrl } from "./watch-session";

test.each([
  [
    "/api/sessions/a/socket",
    "http://localhost:8000/runs/view?id=a",
    "ws://localhost:8000/api/sessions/a/socket",
  ],
  ["/api/sessions/a/socket", "https://rl.example/runs", "wss://rl.example/api/sessions/a/socket"],
  ["http://127.0.0.1:8000/s", "http://localhost:3000/", "ws://127.0.0.1:8000/s"],
])("the socket of %s on %s is %s", (path, here, url) => expect(socketUrl(path, here)).toBe(url));
