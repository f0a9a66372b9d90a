import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { ExportedRuns } from "@/api/run-files";
import { follow } from "@/lib/download";
import { renderWithQueries } from "@/lib/testing/service";
import { ExportRunsMenu } from "./export-runs";

vi.mock("@/lib/download", () => ({ follow: vi.fn() }));

const several: [ExportedRuns, string, string, string][] = [
  [{ runs: ["a", "b"] }, "Metrics as Parquet", "runs=a%2Cb&format=parquet", "runs-parquet.zip"],
  [{ experiment: "exp-a" }, "Bundle", "experiment=exp-a&format=bundle", "exp-a-bundle.zip"],
];

test.each(several)("runs are downloaded together: %j, %s", async (of, item, query, name) => {
  renderWithQueries(<ExportRunsMenu of={of} trigger={<button>Export</button>} />);
  await userEvent.click(screen.getByRole("button", { name: "Export" }));
  await userEvent.click(screen.getByRole("menuitem", { name: item }));
  expect(follow).toHaveBeenLastCalledWith(expect.stringMatching(/\/export\?/), name);
  expect(vi.mocked(follow).mock.lastCall?.[0].endsWith(`/export?${query}`)).toBe(true);
});
