import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderWithQueries, serve } from "@/lib/testing/service";
import type { World } from "@/api/types";
import { type ExplorationDraft, explorationDraft } from "@/forms/exploration";
import { firstDraft } from "./draft";
import { choices } from "./fixtures";
import { MemoryNote } from "./memory-note";
import { submission } from "./submit";

const [first, ...others] = choices.environments;
const pixels = { ...first!.observation_space, is_picture: true };
const seen = { ...choices, environments: [{ ...first!, observation_space: pixels }, ...others] };

const enough = {
  ...{ bytes: 1.4e9, buffer_bytes: 1.4e9, archive_bytes: 0, imitation_bytes: 0 },
  ...{ hyperparameter: "n_steps", free_bytes: 8e9, warning: null },
};

const show = (
  asked: typeof choices,
  answer: object,
  exploration: ExplorationDraft | null = null,
) => {
  const requests = serve({ "POST /runs/memory": () => ({ body: answer }) });
  const draft = { ...firstDraft(asked), exploration };
  const { body } = submission(asked, draft);
  renderWithQueries(<MemoryNote choices={asked} draft={draft} problems={{}} body={body} />);
  return requests;
};

test("says what the buffers of a run that sees pictures need, and warns if less is free", async () => {
  const requests = show(seen, enough);
  expect(await screen.findByText(/Needs up to 1.4 GB of memory/)).toHaveTextContent(
    "for its buffer (n_steps). 8 GB are free.",
  );
  expect(requests[0]?.body).toMatchObject({ algo: "ppo", env_id: "CartPole-v1", preset: "fast" });
  show(seen, { ...enough, warning: "Use a smaller buffer." });
  expect(await screen.findByText("Use a smaller buffer.")).toBeVisible();
});

test("asks for nothing if the agent sees numbers", () => {
  expect(show(choices, {})).toEqual([]);
  expect(screen.queryByText(/Needs up to/)).not.toBeInTheDocument();
});

test("says what the archive and imitation need, also if the agent sees numbers", async () => {
  const plan = { ...{ map: false, coverage: null, novelty: null }, archive: 0.3, imitation: 10 };
  const exploration = explorationDraft(plan, choices.limits);
  const world = { ...first!, world: { columns: 4, rows: 4, rooms: [] } as unknown as World };
  const answer = {
    ...enough,
    bytes: 80e6,
    buffer_bytes: 2e6,
    archive_bytes: 64e6,
    imitation_bytes: 14e6,
  };
  const requests = show({ ...choices, environments: [world, ...others] }, answer, exploration);
  expect(await screen.findByText(/Needs up to/)).toHaveTextContent(
    "Needs up to 80 MB of memory: 2 MB for its buffer (n_steps), 64 MB for the archive, 14 MB for imitation. 8 GB are free.",
  );
  expect(requests[0]?.body).toMatchObject({ exploration: { archive: 0.3, imitation: 10 } });
});
