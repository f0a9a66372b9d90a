import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { EvaluatedEpisode, EvaluationJudgement, FoundEpisode } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { Endings } from "@/player/endings";
import { EpisodeSearch } from "@/player/episode-search";
import { momentAmount, ticksOf } from "./chapters";
import { EpisodePicks } from "./episode-picks";

const result = { index: 2, episode_return: 32, episode_length: 32, first_frame: 31 };
const found = {
  run_id: "a",
  evaluation_id: "e1",
  checkpoint_step: 1000,
  deterministic: true,
  has_video: true,
  result: { ...result, terminated: true, truncated: false, seed: 1 },
} as FoundEpisode;

test("worst, median, best and each histogram bar play their episode", async () => {
  const play = vi.fn();
  const compare = vi.fn();
  const judgement = {
    ranking: { worst: 3, median: 1, best: 2 },
    bins: [
      { low: 0, high: 50, episodes: [3] },
      { low: 50, high: 100, episodes: [1, 2] },
    ],
  } as EvaluationJudgement;
  const episodes = [60, 100, 10].map((episode_return) => ({ episode_return }) as EvaluatedEpisode);
  renderWithQueries(
    <EpisodePicks judgement={judgement} episodes={episodes} onPlay={play} onCompare={compare} />,
  );
  await userEvent.click(screen.getByRole("button", { name: /^Worst.*episode/ }));
  await userEvent.click(screen.getByRole("button", { name: /^Best/ }));
  await userEvent.click(screen.getByRole("button", { name: /50.0 to 100.0: 2 episodes/ }));
  expect(play.mock.calls).toEqual([[3], [2], [1]]);
  await userEvent.click(screen.getByRole("button", { name: "Worst beside best" }));
  expect(compare).toHaveBeenCalledWith(3, 2);
});

test("an ending has its share and a watchable example with a stored video", async () => {
  const watch = vi.fn();
  const ending = { kind: "rule", title: "pole angle > 12°", episodes: 7, share: 0.7 };
  const rest = { mean_return: 40, shares: [0.9, 0.5], example: found };
  serve({
    "GET /episodes/endings": () => ({
      body: {
        evaluations: [1000, 2000].map((checkpoint_step) => ({
          ...{ run_id: "a", checkpoint_step, episodes: 5 },
        })),
        without_records: 1,
        episodes: 10,
        endings: [{ ...ending, ...rest }],
      },
    }),
  });
  renderWithQueries(<Endings runs={[{ id: "a", name: "A" }]} onWatch={watch} />);
  const item = within(await screen.findByRole("listitem"));
  expect(item.getByText(/^70\s?%$/)).toBeVisible();
  await userEvent.click(item.getByRole("button", { name: "Watch an example: pole angle > 12°" }));
  expect(watch).toHaveBeenCalledWith({ run: "a", evaluation: "e1", frame: 31 });
});

test("each of several runs has its share of an ending, and the example is from one of them", async () => {
  const watch = vi.fn();
  serve({
    "GET /episodes/endings": (_, query) => {
      expect(query.get("runs")).toBe("a,b,c");
      const evaluation = { evaluation_id: "e", checkpoint_step: 1000 };
      const endings = [
        {
          ...{ kind: "rule", title: "pole angle > 12°", episodes: 7, share: 0.5 },
          ...{ mean_return: 40, shares: [0.25, 1], example: { ...found, run_id: "b" } },
        },
      ];
      return {
        body: {
          evaluations: [
            { ...evaluation, run_id: "a", episodes: 8 },
            { ...evaluation, run_id: "b", episodes: 4 },
          ],
          ...{ without_records: 0, episodes: 12, endings },
        },
      };
    },
  });
  const runs = ["a", "b", "c"].map((id) => ({ id, name: `Run ${id}` }));
  renderWithQueries(<Endings runs={runs} onWatch={watch} />);
  const shares = await screen.findByRole("list", { name: "Share of each run" });
  const lines = within(shares).getAllByRole("listitem");
  expect(lines.map((line) => line.textContent)).toEqual([
    expect.stringMatching(/^Run a25\s?%$/),
    expect.stringMatching(/^Run b100\s?%$/),
    expect.stringMatching(/^Run c–$/),
  ]);
  await userEvent.click(screen.getByRole("button", { name: /^Watch an example/ }));
  expect(watch).toHaveBeenCalledWith({ run: "b", evaluation: "e1", frame: 31 });
});

test("a search finds playable episodes and reports errors", async () => {
  const watch = vi.fn();
  serve({
    "GET /episodes": () => ({ body: { found: 1, searched: 9, episodes: [found] } }),
  });
  renderWithQueries(<EpisodeSearch runs={[{ id: "a", name: "A" }]} onWatch={watch} />);
  await userEvent.type(screen.getByRole("textbox", { name: "Episodes with" }), "return < 100");
  await userEvent.click(screen.getByRole("button", { name: "Find" }));
  await userEvent.click(await screen.findByRole("button", { name: /^Play episode 2/ }));
  expect(watch).toHaveBeenCalledWith({ run: "a", evaluation: "e1", frame: 31 });
});

test("an episode with a missing video links to its evaluation, which rebuilds it", async () => {
  const watch = vi.fn();
  const gone = { ...found, has_video: false };
  serve({
    "GET /episodes": () => ({ body: { found: 1, searched: 9, episodes: [gone] } }),
  });
  renderWithQueries(<EpisodeSearch runs={[{ id: "a", name: "A" }]} onWatch={watch} />);
  await userEvent.type(screen.getByRole("textbox", { name: "Episodes with" }), "return < 100");
  await userEvent.click(screen.getByRole("button", { name: "Find" }));
  const line = await screen.findByRole("button", { name: /^Show episode 2/ });
  expect(line).toHaveTextContent("no video");
  await userEvent.click(line);
  expect(watch).toHaveBeenCalledWith({ run: "a", evaluation: "e1", frame: 31 });
});

test("a moment is at its frame, and a collapse counts as a loss", () => {
  const moment = { episode: 2, kind: "value_collapse", step: 4, frame: 35, amount: 9.5 } as const;
  expect(momentAmount(moment)).toBe("−9.50");
  expect(ticksOf([moment], 50)).toEqual([
    { label: "value collapses of episode 2", start: 35.5 / 50 },
  ]);
});
