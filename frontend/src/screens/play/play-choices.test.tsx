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

test("a folder without a ROM leads to where games are described", async () => {
  const game = { name: "my-lamp", env_id: "GameBoy/MyLamp-v0", has_rom: false, is_described: true };
  serve({
    "GET /environments": () => ({ body: [] }),
    "GET /games": () => ({ body: { folder: "/roms", problem: null, games: [game] } }),
  });
  renderWithQueries(<PlayChoices />);
  expect(await screen.findByRole("link", { name: "Describe a Game Boy game" })).toBeVisible();
  expect(screen.queryByRole("link", { name: /my-lamp/ })).toBeNull();
});
