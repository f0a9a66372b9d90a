import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { UnknownRuns } from "./compare";

test("deleted runs can be restored while they are in the trash", async () => {
  const asked = serve({
    "POST /runs/a/restore": () => ({ body: { id: "a" } }),
    "POST /runs/b/restore": () => ({ status: 404, body: { title: "Run not found" } }),
  });
  const { rerender } = renderWithQueries(<UnknownRuns ids={["a", "b"]} onRemove={() => {}} />);
  expect(screen.getByRole("alert")).toHaveTextContent("2 runs do not exist");
  await userEvent.click(screen.getByRole("button", { name: "Restore from the trash" }));
  expect(asked.map(({ route }) => route)).toEqual(["POST /runs/a/restore", "POST /runs/b/restore"]);
  rerender(<UnknownRuns ids={["b"]} onRemove={() => {}} />);
  expect(await screen.findByText(/cannot be restored/)).toBeVisible();
  expect(screen.queryByRole("button", { name: "Restore from the trash" })).toBeNull();
});

test("an unreachable service is reported", async () => {
  serve({});
  renderWithQueries(<UnknownRuns ids={["a"]} onRemove={() => {}} />);
  await userEvent.click(screen.getByRole("button", { name: "Restore from the trash" }));
  expect(screen.getByRole("button", { name: "Restore from the trash" })).toBeEnabled();
});
