import { fireEvent, renderHook, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { usePlaybackController } from "@/player/video/playback-controller";
import { TileVideo } from "./tile";

const URL = "/api/runs/a/artifacts/eval/a.mp4";
const video = {
  ...{ file: "eval/a.mp4", width: 600, height: 400, fps: 50, frames: 100, duration: 2 },
  ...{ codec: "h264", pix_fmt: "yuv420p", size_bytes: 100 },
};

beforeEach(() => {
  vi.spyOn(HTMLMediaElement.prototype, "play").mockResolvedValue();
  vi.spyOn(HTMLMediaElement.prototype, "pause").mockReturnValue();
});

const show = (status: number) => {
  serve({ "GET /runs/a/artifacts/eval/a.mp4": () => ({ status, body: { title: "Said" } }) });
  const onGone = vi.fn();
  const controller = renderHook(() => usePlaybackController()).result.current;
  renderWithQueries(<TileVideo url={URL} name="PPO" {...{ controller, video, onGone }} />);
  fireEvent.error(screen.getByLabelText("Video of PPO"));
  return onGone;
};

test("a video that exists and failed to load can be reloaded", async () => {
  const onGone = show(200);
  expect(await screen.findByRole("alert")).toHaveTextContent("This video could not be loaded");
  await userEvent.click(screen.getByRole("button", { name: /Try again/ }));
  expect(screen.getByLabelText("Video of PPO")).toBeInTheDocument();
  expect(onGone).not.toHaveBeenCalled();
});

test("a video with a missing file is reported as such", async () => {
  const onGone = show(404);
  await vi.waitFor(() => expect(onGone).toHaveBeenCalledOnce());
  expect(screen.getByRole("alert")).toHaveTextContent("This video is not kept any more");
});
