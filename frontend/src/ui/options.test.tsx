import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { OptionList } from "./combobox-options";

const options = [
  { value: "a", label: "CliffWalking-v1", group: "Toy", keywords: ["Walk along a lunar cliff"] },
  { value: "b", label: "FrozenLake-v1", group: "Toy", keywords: ["Cross a lake"] },
  { value: "c", label: "LunarLander-v3", group: "Box2D", keywords: ["Land softly"] },
];

test.each([
  ["lun", "c"],
  ["lake", "b"],
  ["cliff", "a"],
])("%j and Enter select the best match, not the first", async (typed, value) => {
  const onChoose = vi.fn();
  render(
    <OptionList label="Environment" options={options} chosen={() => false} onChoose={onChoose} />,
  );
  await userEvent.type(screen.getByRole("combobox"), `${typed}{Enter}`);
  expect(onChoose).toHaveBeenCalledExactlyOnceWith(value);
});

test("options found by the service are shown unchanged", async () => {
  render(
    <OptionList
      label="Runs"
      options={options}
      chosen={() => false}
      onChoose={() => undefined}
      onSearch={() => undefined}
    />,
  );
  await userEvent.type(screen.getByRole("combobox"), "seed 7");
  expect(screen.getAllByRole("option")).toHaveLength(3);
});
