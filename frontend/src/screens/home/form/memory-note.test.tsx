import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { firstDraft } from "./draft";
import { choices } from "./fixtures";
import { MemoryNote } from "./memory-note";
import { submission } from "./submit";

const [first, ...others] = choices.environments;
const pixels = { ...first!.observation_space, is_picture: true };
const seen = { ...choices, environments: [{ ...first!, observation_space: pixels }, ...others] };

const show = (asked: typeof choices, answer: object) => {
  const requests = serve({ "POST /runs/memory": () => ({ body: answer }) });
  const draft = firstDraft(asked);
  const { body } = submission(asked, draft);
  renderWithQueries(<MemoryNote choices={asked} draft={draft} problems={{}} body={body} />);
  return requests;
};

test("says what the buffers of a run that sees pictures need, and warns if less is free", async () => {
  const enough = { bytes: 1.4e9, hyperparameter: "n_steps", free_bytes: 8e9, warning: null };
  const requests = show(seen, enough);
  expect(await screen.findByText(/Needs about 1.4 GB of memory/)).toHaveTextContent(
    "for its buffer (n_steps); 8 GB are free.",
  );
  expect(requests[0]?.body).toMatchObject({ algo: "ppo", env_id: "CartPole-v1", preset: "fast" });
  show(seen, { ...enough, warning: "Use a smaller buffer." });
  expect(await screen.findByText("Use a smaller buffer.")).toBeVisible();
});

test("asks for nothing if the agent sees numbers", () => {
  expect(show(choices, {})).toEqual([]);
  expect(screen.queryByText(/Needs about/)).not.toBeInTheDocument();
});
