import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { goTo, push } from "@/lib/testing/navigation";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { pageEntries, Palette } from "./palette";

const run = (id: string, name: string) => ({
  id,
  name,
  algo: "ppo",
  env_id: "CartPole-v1",
  actor: "policy",
  status: "running",
});
const pole = run("ppo-a", "Pole one");

const environment = (id: string, name: string, summary: string) => ({
  id,
  name,
  summary,
  family_title: "Games",
  available: true,
});
const choices = {
  "GET /environments": () => ({
    body: [
      environment("CliffWalking-v1", "CliffWalking", "Walk along a lunar lake, with a pong."),
      environment("LunarLander-v3", "LunarLander", "Land softly."),
      environment("FrozenLake-v1", "FrozenLake", "Cross it."),
      environment("ALE/Pong-v5", "Pong", "Table tennis."),
    ],
  }),
  "GET /algorithms": () => ({ body: [{ id: "ppo", name: "PPO", actor: "policy" }] }),
};
const noRuns = () => ({ body: { runs: [], next_cursor: null, total: 0 } });

test("every page is found by synonyms of its name", () => {
  for (const { name, words } of pageEntries(push)) {
    expect(words?.length, name).toBeGreaterThan(1); // beside "go to"
  }
});

test("the name of a run and Enter open the run", async () => {
  serve({
    ...choices,
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

test.each([
  ["lun", "/?new=LunarLander-v3"],
  ["lake", "/?new=FrozenLake-v1"],
  ["pong", "/?new=ALE%2FPong-v5"],
  ["ppo", "/explain?algo=ppo"],
  ["trash", "/trash"],
  ["new r", "/?new"],
])("%j and Enter go to %s", async (typed, address) => {
  serve({ "GET /runs": noRuns, ...choices });
  renderWithQueries(<Palette onClose={() => undefined} />);
  await userEvent.type(screen.getByRole("combobox"), typed);
  await screen.findAllByRole("option", { name: /LunarLander|FrozenLake|Pong|PPO|Trash|New run/ });
  await userEvent.keyboard("{Enter}");
  expect(push).toHaveBeenCalledWith(address);
});

test("the palette opens the settings", async () => {
  serve({ "GET /runs": noRuns, ...choices });
  renderWithQueries(<Palette onClose={() => undefined} />);
  await userEvent.type(screen.getByRole("combobox"), "settings{Enter}");
  expect(push).toHaveBeenCalledWith("/settings");
});

test("on the page of a run it stops that run", async () => {
  goTo("/runs/view?id=ppo-a");
  const asked = serve({
    ...choices,
    "GET /runs": noRuns,
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
