import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { ServiceSetting } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { ServiceSettings } from "./service-settings";
import { fieldText, settingNote, valueOf } from "./setting-text";

type Change = NonNullable<ServiceSetting["change"]>;

const change = (changes: Partial<Change> = {}): Change => ({
  kind: "integer",
  minimum: 1,
  maximum: 256,
  choices: [],
  saved: null,
  otherwise: 2,
  otherwise_source: "default",
  locked_by: null,
  applies: "now",
  ...changes,
});

const named = (name: string, changes: Partial<ServiceSetting> = {}): ServiceSetting => ({
  name,
  variable: `RLVIZ_${name.toUpperCase()}`,
  value: 2,
  unit: null,
  source: "default",
  description: `About ${name}.`,
  change: change(),
  ...changes,
});

test("a value is saved with Enter and a reset button appears", async () => {
  let saved: number | null = null;
  const settings = () => [
    named("max_sessions", {
      value: saved ?? 2,
      source: saved === null ? "default" : "settings page",
      change: change({ saved }),
    }),
    named("token", { value: "********", change: null }),
  ];
  serve({
    "GET /settings": () => ({ body: settings() }),
    "PATCH /settings": (body) => {
      const { max_sessions: sent } = body as { max_sessions: string | null };
      saved = sent === null ? null : Number(sent);
      return { body: settings() };
    },
  });
  renderWithQueries(<ServiceSettings problem={null} />);
  const field = await screen.findByRole("textbox", { name: "Maximum sessions" });
  await userEvent.clear(field);
  await userEvent.type(field, "5{Enter}");
  expect(await screen.findByText("settings page")).toBeVisible();
  expect(field).toHaveValue("5");
  await userEvent.click(screen.getByRole("button", { name: "Reset Maximum sessions" }));
  expect(await screen.findByDisplayValue("2")).toBe(field);
  const fixed = screen.getByRole("list", { name: "Settings that are fixed" });
  expect(within(fixed).getByText("Token")).toBeVisible();
  expect(within(fixed).queryByRole("textbox")).not.toBeInTheDocument();
});

test("a refused value says why at its field, and Escape restores the old one", async () => {
  serve({
    "GET /settings": () => ({ body: [named("max_sessions")] }),
    "PATCH /settings": () => ({
      status: 422,
      body: { title: "Invalid request", detail: "must be at most 32" },
    }),
  });
  renderWithQueries(<ServiceSettings problem="runs/settings.json cannot be read." />);
  expect(screen.getByText(/cannot be read/)).toBeVisible();
  const field = await screen.findByRole("textbox", { name: "Maximum sessions" });
  await userEvent.type(field, "00{Enter}");
  expect(await screen.findByRole("alert")).toHaveTextContent("must be at most 32");
  await userEvent.type(field, "{Escape}");
  expect(field).toHaveValue("2");
  expect(screen.queryByRole("alert")).not.toBeInTheDocument();
});

test("a note says what overrides a field and when a change applies", () => {
  const locked = change({ locked_by: "environment", saved: 9 });
  expect(settingNote(named("a", { change: locked }))).toMatch(/^Set by an environment variable/);
  expect(fieldText(named("a", { change: locked }))).toBe("2");
  expect(settingNote(named("a"))).toBeNull();
  expect(settingNote(named("a", { change: change({ applies: "restart", saved: 3 }) }))).toBe(
    "Still 2: 3 applies after a restart.",
  );
  expect(settingNote(named("a", { change: change({ applies: "restart" }) }))).toBe(
    "Applies after a restart.",
  );
});

test("text is sent as text, JSON as its value, and an empty field removes the saved value", () => {
  expect(valueOf(" 50 GB ", "bytes")).toBe("50 GB");
  expect(valueOf('{"atari": {}}', "json")).toEqual({ atari: {} });
  expect(valueOf("{", "json")).toBe("{");
  expect(valueOf("", "integer")).toBeNull();
});
