import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import type { GameCheck, GameContent, GameDescription, GameFileProblem } from "@/api/types";
import { goTo } from "@/lib/testing/navigation";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { DescribeView } from "./describe-view";
import { draftFrom } from "./draft";
import { LIMITS } from "./testing";

type Game = GameDescription & { problems: GameFileProblem[] };

const GAME: Game = {
  name: "my-lamp",
  env_id: "GameBoy/MyLamp-v0",
  file: "/roms/my-lamp/game.toml",
  rom: "game.gb",
  rom_sha256: "ab".repeat(32),
  // No session is started for a game that cannot be played.
  problem: "PyBoy, which plays Game Boy games, is not installed.",
  content: null,
  digest: null,
  unreadable: null,
  defaults: { frame_skip: 24, buttons: ["up", "a"], boot_frames: 240 },
  loss: null,
  problems: [],
};
const WRITTEN = {
  content: { name: "Lamp", taps: [{ name: "room", address: 0xc001 }] },
  digest: "first",
};

interface Change {
  content: Record<string, unknown>;
  digest: string | null;
  accept_loss: boolean;
}

interface Fake {
  game?: Partial<Game>;
  check?: (content: Record<string, unknown>) => GameCheck["problems"];
  save?: (change: Change) => { status?: number; body: unknown };
}

function show({ game, check = () => [], save }: Fake = {}) {
  goTo("/play/game?rom=my-lamp");
  let known = { ...GAME, ...game };
  const saved: Change[] = [];
  const asked = serve({
    "GET /games/my-lamp": () => ({ body: known }),
    "POST /games/my-lamp/check": (body) => ({
      body: { toml: "text\n", problems: check((body as Change).content) },
    }),
    "PUT /games/my-lamp": (body) => {
      saved.push(body as Change);
      if (save) return save(body as Change);
      known = { ...known, content: (body as Change).content as never, digest: "second" };
      return { body: known };
    },
    "GET /limits": () => ({ body: LIMITS }),
    "GET /environments": () => ({ body: [] }),
    "GET /games": () => ({ body: { folder: "/roms", problem: null, games: [] } }),
  });
  renderWithQueries(<DescribeView />);
  return {
    saved,
    asked,
    change: (later: Partial<Game>) => (known = { ...known, ...later }),
  };
}

const save = () => userEvent.click(screen.getByRole("button", { name: "Save" }));

beforeEach(() => window.sessionStorage.clear());

test("a game without a file is described, saved, and leads to a run", async () => {
  const { saved } = show();
  expect(await screen.findByText(/PyBoy, which plays/)).toBeVisible();
  expect(screen.getByLabelText("Name")).toHaveValue("My lamp");
  expect(screen.queryByRole("link", { name: "Train an agent on it" })).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Add a tap" }));
  expect(screen.getByLabelText("Name", { selector: "[data-tap-name]" })).toHaveFocus();
  await userEvent.keyboard("room");
  await userEvent.type(screen.getByLabelText("Address of room"), "c001");
  await userEvent.type(screen.getByLabelText("Done when"), "room == 3");
  await save();
  const link = await screen.findByRole("link", { name: "Train an agent on it" });
  expect(link).toHaveAttribute("href", "/?new=GameBoy%2FMyLamp-v0");
  expect(saved).toEqual([
    {
      content: {
        name: "My lamp",
        rom_sha256: GAME.rom_sha256,
        done: "room == 3",
        taps: [{ name: "room", address: 0xc001 }],
      },
      digest: null,
      accept_loss: false,
    },
  ]);
});

test("a problem is shown at its field with its place, and is not saved", async () => {
  const { saved } = show({
    game: WRITTEN,
    check: ({ done }) =>
      done === "rom == 3"
        ? [
            {
              ...{ pointer: "/done", line: 2, column: 9, detail: "There is no tap 'rom'." },
              ...{ position: 0, key: "", is_name: false },
            },
          ]
        : [],
  });
  const field = await screen.findByLabelText("Done when");
  await userEvent.type(field, "rom == 3");
  await waitFor(() => expect(field).toHaveAttribute("aria-invalid", "true"));
  expect(field).toHaveAccessibleDescription("At character 1: There is no tap 'rom'.");
  await save();
  expect(field).toHaveFocus();
  expect(saved).toEqual([]);
});

test("a problem of a component's name is shown at the name, and one of its value at the value", async () => {
  const name = { pointer: "/components/Goal", line: 2, column: 1, detail: "Not this name." };
  const value = { ...name, detail: "There is no tap 'x'." };
  show({
    game: { ...WRITTEN, content: { name: "Island", components: { Goal: "x" } } },
    check: () => [
      { ...value, position: 0, key: "", is_name: false },
      { ...name, position: null, key: "", is_name: true },
    ],
  });
  const field = await screen.findByLabelText("Component");
  await waitFor(() => expect(field).toHaveAccessibleDescription("Not this name."));
  expect(screen.getByLabelText("Value in a step")).toHaveAccessibleDescription(
    "At character 1: There is no tap 'x'.",
  );
});

test("comments are lost only after a question", async () => {
  const { saved } = show({ game: { ...WRITTEN, loss: "The form does not keep a comment." } });
  await userEvent.type(await screen.findByLabelText("Summary"), "Mine");
  await save();
  const question = await screen.findByRole("dialog", { name: "Replace game.toml?" });
  expect(question).toHaveTextContent("The form does not keep a comment.");
  expect(saved).toEqual([]);
  await userEvent.click(within(question).getByRole("button", { name: "Replace it" }));
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(saved[0]).toMatchObject({ accept_loss: true, digest: "first" });
});

test("a file that was changed meanwhile keeps the changes here until they are discarded", async () => {
  const { change } = show({
    game: WRITTEN,
    save: () => ({
      status: 409,
      body: { title: "Game file was not replaced", detail: "It was changed since." },
    }),
  });
  const summary = await screen.findByLabelText("Summary");
  await userEvent.type(summary, "Mine");
  await save();
  expect(await screen.findByRole("alert")).toHaveTextContent("It was changed since.");
  expect(summary).toHaveValue("Mine");
  change({ content: { name: "Lamp", summary: "Theirs" }, digest: "other" });
  await userEvent.click(screen.getByRole("button", { name: "Open the file as it is now" }));
  await userEvent.click(screen.getByRole("button", { name: "Discard them" }));
  await waitFor(() => expect(summary).toHaveValue("Theirs"));
  expect(screen.queryByRole("alert")).toBeNull();
});

test("a file that cannot be replaced shows why, and is not to be opened again", async () => {
  show({
    game: WRITTEN,
    save: () => ({
      status: 503,
      body: { title: "Game file cannot be written", detail: "game.toml is a link." },
    }),
  });
  await userEvent.type(await screen.findByLabelText("Summary"), "Mine");
  await save();
  expect(await screen.findByRole("alert")).toHaveTextContent("game.toml is a link.");
  expect(screen.queryByRole("button", { name: "Open the file as it is now" })).toBeNull();
});

test("the stage of progress and the number of stages are checked and saved", async () => {
  const { saved } = show({
    game: { ...WRITTEN, content: { name: "Lamp", cell: { x: "room" } } },
    check: ({ cell }) =>
      (cell as { stages?: number }).stages === undefined
        ? [
            {
              ...{ pointer: "/cell/stages", line: 3, column: 2, detail: "Add it." },
              ...{ position: null, key: "", is_name: false },
            },
          ]
        : [],
  });
  const stages = await screen.findByLabelText("Number of stages");
  await userEvent.type(screen.getByLabelText("Stage of progress"), "has_key");
  await waitFor(() => expect(stages).toHaveAccessibleDescription(/Add it\./));
  await userEvent.type(stages, "2");
  await waitFor(() => expect(stages).not.toHaveAttribute("aria-invalid"));
  await save();
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(saved[0]!.content).toEqual({
    name: "Lamp",
    cell: { x: "room", stage: "has_key", stages: 2 },
  });
});

test("unsaved changes are there again after a reload", async () => {
  show({ game: WRITTEN });
  await userEvent.type(await screen.findByLabelText("Summary"), "Mine");
  document.body.innerHTML = "";
  show({ game: WRITTEN });
  expect(await screen.findByText("These are changes that you have not saved")).toBeVisible();
  expect(screen.getByLabelText("Summary")).toHaveValue("Mine");
});

test("changes that an earlier version of the form kept have no stage yet", async () => {
  const { stage, stages, ...cell } = draftFrom({ cell: { x: "room" } } as GameContent).cell;
  const draft = { ...draftFrom(WRITTEN.content as never), cell };
  const kept = { digest: "first", draft, rom: GAME.rom_sha256 };
  window.sessionStorage.setItem("rlviz.game.my-lamp", JSON.stringify(kept));
  const { saved } = show({ game: WRITTEN });
  expect(await screen.findByLabelText("Stage of progress")).toHaveValue(stage);
  expect(screen.getByLabelText("Number of stages")).toHaveValue(stages);
  await save();
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(saved[0]!.content).toEqual({ ...WRITTEN.content, cell: { x: "room" } });
});

test("an undescribed game has no unsaved changes until it is edited, and then they can be discarded", async () => {
  show();
  const summary = await screen.findByLabelText("Summary");
  expect(window.sessionStorage).toHaveLength(0);
  expect(screen.queryByRole("button", { name: "Discard changes" })).toBeNull();
  expect(screen.getByText("Not saved yet")).toBeVisible();
  await userEvent.type(summary, "Mine");
  expect(window.sessionStorage).toHaveLength(1);
  await userEvent.click(screen.getByRole("button", { name: "Discard changes" }));
  await userEvent.click(screen.getByRole("button", { name: "Discard them" }));
  await waitFor(() => expect(summary).toHaveValue(""));
  expect(window.sessionStorage).toHaveLength(0);
});

test("kept changes are not for a ROM that was there before", async () => {
  show();
  await userEvent.type(await screen.findByLabelText("Summary"), "Mine");
  document.body.innerHTML = "";
  const other = "cd".repeat(32);
  show({ game: { rom_sha256: other } });
  expect(await screen.findByLabelText("Summary")).toHaveValue("Mine");
  expect(screen.getByLabelText("SHA-256 of the ROM")).toHaveValue(other);
});

test("a problem without a field is listed, and an unknown key can be removed", async () => {
  const { saved } = show({
    game: { ...WRITTEN, content: { ...WRITTEN.content, fram_skip: 8 } as never },
    check: (content) =>
      "fram_skip" in content
        ? [
            {
              ...{ pointer: "/fram_skip", line: 1, column: 1, detail: "No such key." },
              ...{ position: null, key: "", is_name: false },
            },
          ]
        : [],
  });
  expect(await screen.findByText("Problems without a field")).toBeVisible();
  await save();
  expect(screen.getByText("Fix the listed problems first.")).toBeVisible();
  expect(screen.getByText("No such key.").closest("ul")).toHaveFocus();
  expect(saved).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Remove fram_skip" }));
  await waitFor(() => expect(screen.queryByText("Problems without a field")).toBeNull());
  await save();
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(saved[0]!.content).toEqual(WRITTEN.content);
});

test("a file that the form reads otherwise than the app is not called saved", async () => {
  const problems = [
    {
      ...{ pointer: "/frame_skip", line: 3, column: 14, detail: "Not in quotes." },
      ...{ position: null, key: "frame_skip", is_name: false },
    },
  ];
  const wrong = { ...WRITTEN.content, frame_skip: "8" };
  const { saved } = show({ game: { ...WRITTEN, content: wrong as never, problems } });
  expect(await screen.findByText("Line 3, column 14: frame_skip: Not in quotes.")).toBeVisible();
  expect(screen.getByText("Not saved yet")).toBeVisible();
  expect(screen.queryByRole("link", { name: "Train an agent on it" })).toBeNull();
  expect(window.sessionStorage).toHaveLength(0); // nothing was edited
  await save();
  expect(await screen.findByRole("link", { name: "Train an agent on it" })).toBeVisible();
  expect(saved[0]!.content).toMatchObject({ frame_skip: 8 });
  expect(screen.queryByText("game.toml has problems")).toBeNull();
});

test("a saved file without an edit can be trained on at once", async () => {
  show({ game: WRITTEN });
  expect(await screen.findByRole("link", { name: "Train an agent on it" })).toBeVisible();
});

test("addresses are hexadecimal, and say so", async () => {
  show({ game: WRITTEN });
  const address = await screen.findByLabelText("Address of room");
  await userEvent.clear(address);
  await userEvent.type(address, "49153");
  expect(address).toHaveAccessibleDescription(/in hexadecimal/);
  await userEvent.clear(address);
  expect(screen.getAllByText("Hex address")).not.toEqual([]);
  await userEvent.type(address, "200");
  await userEvent.tab();
  expect(address).toHaveValue("0x0200");
  await userEvent.type(screen.getByLabelText("Frames per step"), "many");
  expect(screen.getByLabelText("Frames per step")).toHaveAccessibleDescription(
    "Enter a whole number, such as 24 or 0x18.",
  );
  await save();
  expect(screen.getByLabelText("Frames per step")).toHaveFocus();
});

test("without a folder of ROMs the page says how to set one", async () => {
  goTo("/play/game");
  serve({
    "GET /games": () => ({
      body: {
        folder: null,
        problem: "Start the app with RLVIZ_ROMS.",
        games: [],
        left_out: ["Rename a."],
      },
    }),
  });
  renderWithQueries(<DescribeView />);
  expect(await screen.findByText("Start the app with RLVIZ_ROMS.")).toBeVisible();
  expect(screen.getByText("Rename a.")).toBeVisible();
});

test("a game that does not exist leads to those that do", async () => {
  goTo("/play/game?rom=nothing");
  serve({
    "GET /games/nothing": () => ({ status: 404, body: { title: "Game not found", detail: "No." } }),
  });
  renderWithQueries(<DescribeView />);
  expect(await screen.findByText("There is no such game")).toBeVisible();
  expect(screen.getByRole("link", { name: "Show all games" })).toHaveAttribute(
    "href",
    "/play/game",
  );
});
