import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { CreateRunForm } from "./create-run-form";
import { choices } from "./fixtures";

const push = vi.hoisted(() => vi.fn());
vi.mock("next/navigation", () => ({ useRouter: () => ({ push }) }));

const start = () => userEvent.click(screen.getByRole("button", { name: "Start training" }));

test("one click starts a run with the preset's values and opens its page", async () => {
  const asked = serve({ "POST /runs": () => ({ status: 201, body: { id: "ppo-a" } }) });
  renderWithQueries(<CreateRunForm choices={choices} />);
  await start();
  expect(asked[0]?.body).toMatchObject({
    algo: "ppo",
    preset: "fast",
    total_timesteps: 30_000,
    start: true,
  });
  await vi.waitFor(() => expect(push).toHaveBeenCalledWith("/runs/view?id=ppo-a"));
  expect(screen.getByRole("button", { name: "Start training" })).toHaveAttribute("aria-disabled");
});

test("what the service refuses stands beside its field, which gets the focus", async () => {
  const errors = [{ pointer: "/seed", detail: "is already used" }];
  serve({ "POST /runs": () => ({ status: 422, body: { title: "Invalid run", errors } }) });
  renderWithQueries(<CreateRunForm choices={choices} />);
  await userEvent.type(screen.getByLabelText("Seed"), "7");
  await start();
  const seed = await screen.findByRole("textbox", { name: "Seed", description: "is already used" });
  expect(seed).toBeInvalid();
  await vi.waitFor(() => expect(seed).toHaveFocus());
});

test("a bad hyperparameter opens the group it stands in", async () => {
  const errors = [{ pointer: "/hyperparameters/n_steps", detail: "does not divide" }];
  serve({ "POST /runs": () => ({ status: 422, body: { title: "Invalid run", errors } }) });
  renderWithQueries(<CreateRunForm choices={choices} />);
  const group = screen.getByText("Hyperparameters").closest("details");
  expect(group).not.toHaveAttribute("open");
  await start();
  await screen.findByText("does not divide");
  expect(group).toHaveAttribute("open");
});

test("a group that was closed over its problem opens again at the next refusal", async () => {
  renderWithQueries(<CreateRunForm choices={choices} />);
  const group = screen.getByText("Hyperparameters").closest("details")!;
  const field = screen.getByLabelText("n_steps");
  await userEvent.clear(field);
  await start();
  await vi.waitFor(() => expect(field).toHaveFocus());
  group.open = false;
  await start();
  await vi.waitFor(() => expect(group).toHaveAttribute("open"));
});

test("a field that is changed drops its problem, another algorithm drops them all", async () => {
  renderWithQueries(<CreateRunForm choices={choices} />);
  const [seed, timesteps] = [screen.getByLabelText("Seed"), screen.getByLabelText("Timesteps")];
  await userEvent.type(seed, "x");
  await userEvent.clear(timesteps);
  await start();
  expect(seed).toBeInvalid();
  expect(timesteps).toBeInvalid();
  await userEvent.type(seed, "y");
  expect(seed).toBeValid();
  expect(timesteps).toBeInvalid();
  await userEvent.click(screen.getByRole("radio", { name: "DQN" }));
  expect(screen.getByLabelText("Timesteps")).toBeValid();
});

test("a refusal that belongs to no field is shown above the button", async () => {
  const errors = [{ pointer: "/tags", detail: "is too long" }];
  serve({ "POST /runs": () => ({ status: 422, body: { title: "Invalid run", errors } }) });
  renderWithQueries(<CreateRunForm choices={choices} />);
  await start();
  expect(await screen.findByRole("alert")).toHaveTextContent("tags: is too long");
});

test("a service that is away leaves the form as it was", async () => {
  serve({});
  renderWithQueries(<CreateRunForm choices={choices} />);
  await userEvent.type(screen.getByLabelText("Seed"), "7");
  await start();
  expect(await screen.findByRole("alert")).toHaveTextContent("does not answer");
  expect(screen.getByLabelText("Seed")).toHaveValue("7");
  expect(screen.getByRole("button", { name: "Start training" })).toBeEnabled();
});

test("values out of bounds are not even sent", async () => {
  const asked = serve({});
  renderWithQueries(<CreateRunForm choices={choices} />);
  await userEvent.clear(screen.getByLabelText("Timesteps"));
  await userEvent.type(screen.getByLabelText("Timesteps"), "5");
  await start();
  expect(screen.getByLabelText("Timesteps")).toHaveAccessibleDescription(
    "Must be 100 to 1,000,000",
  );
  expect(asked).toEqual([]);
});

test("another algorithm shows its own presets and hyperparameters", async () => {
  renderWithQueries(<CreateRunForm choices={choices} />);
  await userEvent.click(screen.getByRole("radio", { name: "DQN" }));
  expect(screen.getByRole("radio", { name: "high-score" })).toBeVisible();
  expect(screen.getByLabelText("buffer_size")).toHaveValue("50000");
  expect(screen.getByLabelText("Timesteps")).toHaveValue("80000");
});
