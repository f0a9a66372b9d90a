import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { rewardDraft, RewardFields, rewardText } from "./reward-plan";

const components = [
  { name: "main_engine", label: "Main engine", help: "Fuel of the main engine." },
  { name: "approach", label: "Approach", help: "" },
];

test("each component has a weight and a cap, which say what is wrong with them", async () => {
  const onChange = vi.fn();
  render(
    <RewardFields
      components={components}
      draft={rewardDraft({ weights: { approach: 0.5 }, caps: {} })}
      problems={{ "/reward/caps/main_engine": "Must be above 0" }}
      onChange={onChange}
    />,
  );
  expect(screen.getByRole("textbox", { name: "Weight of Approach" })).toHaveValue("0.5");
  const cap = screen.getByRole("textbox", { name: "Cap of Main engine" });
  expect(cap).toBeInvalid();
  expect(cap).toHaveAccessibleDescription("Fuel of the main engine. Cap: Must be above 0");
  await userEvent.type(cap, "5");
  expect(onChange).toHaveBeenLastCalledWith({
    approach: { weight: "0.5", cap: "" },
    main_engine: { weight: "", cap: "5" },
  });
});

test("a plan is named in one line", () => {
  const plan = { weights: { main_engine: 0 }, caps: { approach: 50 } };
  expect(rewardText(plan, components)).toBe("Main engine × 0, Approach within ±50");
  expect(rewardText(null, components)).toBe("as in the environment");
});
