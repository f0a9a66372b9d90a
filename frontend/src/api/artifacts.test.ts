import { expect, test } from "vitest";
import { serve } from "@/lib/testing/service";
import { fetchJson, fetchTail } from "./run-files";

const damaged = { title: "The run is damaged", detail: "Its folder is a link." };

test("a missing file gives nothing and no error", async () => {
  serve({
    "GET /runs/a/artifacts/q.json": () => ({ status: 404 }),
    "GET /runs/a/artifacts/worker.log": () => ({ status: 416 }),
  });
  expect(await fetchJson("a", "q.json")).toBeNull();
  expect(await fetchTail("a", "worker.log", 100)).toMatchObject({ text: "", size: 0 });
});

test("a refusal keeps the title and the detail from the service", async () => {
  serve({ "GET /runs/a/artifacts/q.json": () => ({ status: 409, body: damaged }) });
  await expect(fetchJson("a", "q.json")).rejects.toMatchObject({ status: 409, ...damaged });
});

test("an unreachable service is reported as everywhere else", async () => {
  serve({});
  await expect(fetchTail("a", "worker.log", 100)).rejects.toMatchObject({ isUnreachable: true });
});
