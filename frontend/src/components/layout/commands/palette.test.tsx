import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { Palette } from "./palette";

const push = vi.hoisted(() => vi.fn());
let path = "/";
let search = "";
vi.mock("next/navigation", () => ({
  useRouter: () => ({ push }),
  usePathname: () => path,
  useSearchParams: () => new URLSearchParams(search),
}));

const run = (id: string, name: string) => ({
  id,
  name,
  algo: "ppo",
  env_id: "CartPole-v1",
  status: "running",
});
const pole = run("ppo-a", "Pole one");

beforeEach(() => {
  push.mockReset();
  // jsdom lays nothing out.
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  );
  Element.prototype.scrollIntoView = () => undefined;
});

test("a run's name and Enter open the run", async () => {
  serve({
    "GET /runs": (_, query) => ({
      body: { runs: query.get("q") === "pole" ? [pole] : [], next_cursor: null, total: 1 },
    }),
  });
  renderWithQueries(<Palette onClose={() => undefined} />);
  await userEvent.type(screen.getByRole("combobox"), "pole");
  expect(await screen.findByRole("option", { name: /Pole one/, selected: true })).toBeVisible();
  await userEvent.keyboard("{Enter}");
  expect(push).toHaveBeenCalledWith("/runs/view?id=ppo-a");
});

test("on a run's page it stops that run", async () => {
  path = "/runs/view";
  search = "id=ppo-a";
  const asked = serve({
    "GET /runs": () => ({ body: { runs: [], next_cursor: null, total: 0 } }),
    "GET /runs/ppo-a": () => ({ body: pole }),
    "POST /runs/ppo-a/stop": () => ({ status: 202, body: { ...pole, status: "stopping" } }),
  });
  const onClose = vi.fn();
  renderWithQueries(<Palette onClose={onClose} />);
  await userEvent.click(await screen.findByRole("option", { name: "Stop this run" }));
  expect(onClose).toHaveBeenCalled();
  await vi.waitFor(() =>
    expect(asked.map(({ route }) => route)).toContain("POST /runs/ppo-a/stop"),
  );
});
