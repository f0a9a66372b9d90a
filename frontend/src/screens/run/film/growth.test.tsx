import { render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { GrowthPolicies, speed } from "./growth";

const played = {
  ...{ step: 0, episode_return: 18, episode_length: 18, terminated: true, truncated: false },
  ...{ cut: false, first_frame: 0 },
};

test("the return of an episode longer than its part of the film is marked as partial", () => {
  const cut = {
    ...{ ...played, step: 20_224, episode_return: 400, episode_length: 400 },
    ...{ terminated: false, cut: true, first_frame: 19 },
  };
  render(<GrowthPolicies episodes={[played, cut]} onPick={vi.fn()} />);
  const [first, last] = screen.getAllByRole("listitem");
  expect(first).toHaveTextContent(/return 18$/);
  expect(last).toHaveTextContent("return 400 in its first 400 steps");
});

test("a video that is faster than its environment says how much", () => {
  expect(speed(40, 7.5)).toEqual(["5.33× speed"]);
  expect(speed(50, 50)).toEqual([]);
  expect(speed(undefined, 7.5)).toEqual([]);
});
