import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { Run } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { QueuePanel } from "./queue-panel";

const run = (id: string) =>
  ({ id, name: `Run ${id}`, algo: "ppo", env_id: "CartPole-v1", seed: 1, status: "queued" }) as Run;

test("queued runs are shown in order and can be moved by button and by key", async () => {
  let order = ["a", "b", "c"];
  const move = (id: string, to: number) => {
    order = order.filter((one) => one !== id);
    order.splice(to, 0, id);
    return { body: { ...run(id), queue_position: to + 1 } };
  };
  const asked = serve({
    "GET /algorithms": () => ({ body: [] }),
    "GET /runs": () => ({ body: { runs: order.map(run), groups: [], total: 3 } }),
    "POST /runs/c/queue": () => move("c", 0),
    "POST /runs/a/queue": () => move("a", 2),
  });
  renderWithQueries(<QueuePanel waiting={3} />);
  await userEvent.click(screen.getByRole("button", { name: "3 runs wait in the queue" }));
  const queue = await screen.findByRole("list", { name: "Queue" });
  const names = () =>
    within(queue)
      .getAllByRole("link")
      .map((link) => link.textContent);
  expect(names()).toEqual(["Run a", "Run b", "Run c"]);
  expect(screen.queryByRole("button", { name: "Move Run a up" })).not.toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: "Start Run c first" }));
  expect(await screen.findByText("Run c is number 1 in the queue.")).toBeInTheDocument();
  expect(names()).toEqual(["Run c", "Run a", "Run b"]);
  screen.getByRole("button", { name: "Place of Run a: 2 of 3" }).focus();
  await userEvent.keyboard("{End}");
  expect(await screen.findByText("Run a is number 3 in the queue.")).toBeInTheDocument();
  const moves = () => asked.filter(({ route }) => route.startsWith("POST")).map(({ body }) => body);
  expect(moves()).toEqual([{ to: "first" }, { to: "last" }]);

  await userEvent.keyboard("{ArrowUp}{End}"); // the second before the first is answered
  await waitFor(() => expect(moves().slice(2)).toEqual([{ to: "up" }, { to: "last" }]));
});

test("the lists are reloaded after the last of several moves, not between them", async () => {
  const asked = serve({
    "GET /algorithms": () => ({ body: [] }),
    "GET /runs": () => ({ body: { runs: ["a", "b", "c"].map(run), groups: [], total: 3 } }),
    "POST /runs/c/queue": () => ({ body: { ...run("c"), queue_position: 1 } }),
    "POST /runs/b/queue": () => ({ body: { ...run("b"), queue_position: 3 } }),
  });
  renderWithQueries(<QueuePanel waiting={3} />);
  await userEvent.click(screen.getByRole("button", { name: "3 runs wait in the queue" }));
  const handle = (name: RegExp) => screen.findByRole("button", { name });
  const [c, b] = [await handle(/Place of Run c/), await handle(/Place of Run b/)];
  const before = asked.length;
  fireEvent.keyDown(c, { key: "Home" });
  fireEvent.keyDown(b, { key: "End" });
  expect(await screen.findByText("Run b is number 3 in the queue.")).toBeInTheDocument();
  await waitFor(() =>
    expect(asked.slice(before).map(({ route }) => route)).toEqual([
      "POST /runs/c/queue",
      "POST /runs/b/queue",
      "GET /runs",
    ]),
  );
});
