import { fireEvent, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import type { Run } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { EditRun } from "./edit-run";

const run = { id: "r", name: "PPO on CartPole", tags: ["baseline"], notes: "" } as unknown as Run;
const tooLong = "x".repeat(41);

test("A refused tag stays in its field with the reason, and nothing is cut off silently", async () => {
  const detail = "String should have at most 40 characters";
  const asked = serve({
    "GET /tags": () => ({ body: { tags: [] } }),
    "GET /limits": () => ({ status: 503 }),
    "PATCH /runs/r": () => ({
      status: 422,
      body: {
        title: "Invalid request",
        status: 422,
        detail: `/tags/1: ${detail}`,
        errors: [{ pointer: "/tags/1", detail }],
      },
    }),
  });
  const close = vi.fn();
  renderWithQueries(<EditRun run={run} onClose={close} />);
  const field = screen.getByLabelText("Tags");
  fireEvent.change(field, { target: { value: tooLong } });
  fireEvent.keyDown(field, { key: "Enter" });
  fireEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText(`${tooLong}: ${detail}`)).toBeVisible();
  expect(asked.find(({ route }) => route === "PATCH /runs/r")?.body).toMatchObject({
    tags: ["baseline", tooLong],
  });
  expect(screen.getByRole("button", { name: `Remove tag ${tooLong}` })).toBeVisible();
  expect(close).not.toHaveBeenCalled();
});
