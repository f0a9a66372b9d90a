import { fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { PlayChoices } from "./play-view";

test("the list of playable environments is waited for and requested again after a failure", async () => {
  const known = { summary: "", still_url: null, available: true };
  let works = false;
  serve({
    "GET /environments": () =>
      works ? { body: [{ ...known, id: "CartPole-v1", name: "CartPole" }] } : { status: 500 },
  });
  renderWithQueries(<PlayChoices />);
  expect(screen.getByRole("status", { name: "Loading the environments" })).toBeVisible();
  const again = await screen.findByRole("button", { name: "Try again" });
  expect(screen.queryByRole("status")).not.toBeInTheDocument();
  works = true;
  fireEvent.click(again);
  expect(await screen.findByRole("link", { name: /CartPole/ })).toHaveAttribute(
    "href",
    expect.stringContaining("CartPole-v1"),
  );
  expect(screen.queryByRole("alert")).not.toBeInTheDocument();
});
