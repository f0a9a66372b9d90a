import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, test } from "vitest";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { firstDraft } from "./draft";
import { choices } from "./fixtures";
import { NewRunForm } from "./new-run-form";

const show = (environments: typeof choices.environments) => {
  const asked = serve({ "POST /runs": () => ({ status: 201, body: { id: "ppo-a" } }) });
  const known = { ...choices, environments };
  renderWithQueries(<NewRunForm choices={known} first={firstDraft(known)} />);
  return asked;
};

beforeEach(() => window.sessionStorage.clear());

describe("a user environment", () => {
  const closing = "The environment did not return from close() within 3 seconds.";
  const reward = "In step 30 of its episode, after action 2, it returned a reward of nan.";
  const refused = "reset() returned None; an array of numbers of shape 3 is needed.";
  const [first, ...others] = choices.environments;

  test("with warnings shows each of them and can be trained", async () => {
    const odd = [{ ...first!, warnings: [closing, reward] }, ...others];
    const asked = show(odd);
    const said = screen.getAllByText("Unusual, but usable:").map((word) => word.parentElement);
    expect(said).toHaveLength(2);
    expect(said[0]).toHaveTextContent(closing);
    expect(said[1]).toHaveTextContent(reward);
    await userEvent.click(screen.getByRole("button", { name: "Start training" }));
    expect(asked).toHaveLength(1);
  });

  test("without warnings shows none", () => {
    show(choices.environments);
    expect(screen.queryByText(/Unusual, but usable/)).toBeNull();
  });

  test("that is unusable says why in the list and cannot be chosen", async () => {
    const broken = { ...first!, id: "Broken", available: false, install_hint: refused };
    show([...choices.environments, broken]);
    const field = screen.getByRole("button", { name: "Environment: CartPole-v1" });
    await userEvent.click(field);
    const option = screen.getByRole("option", { name: /Broken/ });
    expect(option).toHaveTextContent(refused);
    expect(option).toHaveAttribute("aria-disabled", "true");
    await userEvent.click(option);
    expect(field).toHaveAccessibleName("Environment: CartPole-v1");
  });
});
