import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { Toaster } from "@/ui/toast";
import { aRun } from "./fixtures";
import { DownloadVideo } from "./videos";

vi.mock("@/lib/download", async (original) => ({
  ...(await original<object>()),
  download: vi.fn(),
}));

const pair = [
  { run: aRun("a", { name: "Steady" }), evaluationId: "e1" },
  { run: aRun("b", { name: "Hasty" }), evaluationId: "e2" },
];

const press = () => fireEvent.click(screen.getByRole("button", { name: "Download as one video" }));

test("both evaluations are requested and the result is saved under both names", async () => {
  const { download } = await import("@/lib/download");
  const wanted: string[] = [];
  serve({
    "GET /compare/video": (_, query) => {
      wanted.push(...query.values());
      return { body: {} };
    },
  });
  renderWithQueries(<DownloadVideo pair={pair} />);
  press();
  await waitFor(() => expect(download).toHaveBeenCalledWith("steady-hasty.mp4", expect.anything()));
  expect(wanted).toEqual(["a/e1", "b/e2"]);
});

test("a failure says why there is no video", async () => {
  serve({
    "GET /compare/video": () => ({
      status: 409,
      body: { title: "Conflict", detail: "Another video of two runs is being made." },
    }),
  });
  renderWithQueries(
    <>
      <DownloadVideo pair={pair} />
      <Toaster />
    </>,
  );
  press();
  expect(await screen.findByText(/Another video of two runs is being made/)).toBeVisible();
});
