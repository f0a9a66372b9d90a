import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { goTo } from "@/lib/testing/navigation";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { StorageBar } from "./storage-bar";

const WARNING = "Videos, and what the agent saw: 8.1 GB of 10.0 GB, 81%.";
const healthy = (storage_warnings: string[]) =>
  serve({ "GET /health": () => ({ body: { storage_warnings } }) });

test("a nearly full quota is shown on every page with a link to Storage, until it is closed", async () => {
  healthy([WARNING, "All runs together: 90 GB of 100 GB, 90%."]);
  renderWithQueries(<StorageBar />);
  const bar = await screen.findByRole("status", { name: "Storage" });
  expect(bar).toHaveTextContent(`${WARNING} And 1 more.`);
  expect(screen.getByRole("link", { name: "Show storage" })).toHaveAttribute(
    "href",
    expect.stringMatching(/^\/storage/),
  );
  await userEvent.click(screen.getByRole("button", { name: "Close" }));
  expect(screen.queryByRole("status")).not.toBeInTheDocument();
});

test("with enough space there is no bar", async () => {
  const sent = healthy([]);
  renderWithQueries(<StorageBar />);
  await vi.waitFor(() => expect(sent).not.toHaveLength(0));
  expect(screen.queryByRole("status")).not.toBeInTheDocument();
});

test("the Storage page shows the warning itself", async () => {
  goTo("/storage");
  const sent = healthy([WARNING]);
  renderWithQueries(<StorageBar />);
  await vi.waitFor(() => expect(sent).not.toHaveLength(0));
  expect(screen.queryByRole("status")).not.toBeInTheDocument();
});
