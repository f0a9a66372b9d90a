import { fireEvent, renderHook, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import type { Clip } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { usePlaybackController } from "@/player/video/playback-controller";
import { ClipPlayer } from "./clip-player";

const clip = {
  video: { file: "", width: 600, height: 432, fps: 50, frames: 200, duration: 4, size_bytes: 1 },
  video_url: "/api/runs/a/clips/c/video",
  episodes: [],
} as unknown as Clip;

test("a clip pauses while another one is made, and restarts if that fails", () => {
  vi.spyOn(HTMLMediaElement.prototype, "pause").mockReturnValue();
  vi.spyOn(HTMLMediaElement.prototype, "play").mockResolvedValue();
  const controller = renderHook(() => usePlaybackController()).result.current;
  const player = (making: string | null) => (
    <ClipPlayer
      {...{ clip, controller, making }}
      label="the policy"
      caption="The policy"
      stillUrl={null}
      failure={null}
      onRetry={() => {}}
    />
  );
  const { rerender } = renderWithQueries(player(null));
  expect(screen.getByLabelText("Video of the policy")).toBeInTheDocument();
  expect(controller.state.get().playing).toBe(true);
  controller.seek(2);
  rerender(player("Another policy is being filmed"));
  expect(controller.state.get().playing).toBe(false);
  rerender(player(null));
  expect(controller.state.get().playing).toBe(true);
  expect(controller.time.get()).toBeLessThan(1);
});

test("a clip with a missing file is made again; one that failed to load can be reloaded", async () => {
  vi.spyOn(HTMLMediaElement.prototype, "pause").mockReturnValue();
  vi.spyOn(HTMLMediaElement.prototype, "play").mockResolvedValue();
  let status = 500;
  serve({ "GET /runs/a/clips/c/video": () => ({ status, body: { title: "Said" } }) });
  const controller = renderHook(() => usePlaybackController()).result.current;
  const onRetry = vi.fn();
  const player = (shown: Clip) => (
    <ClipPlayer
      {...{ clip: shown, controller, onRetry }}
      label="the policy"
      caption="The policy"
      making={null}
      stillUrl={null}
      failure={null}
    />
  );
  const { rerender } = renderWithQueries(player(clip));
  const video = () => screen.getByLabelText("Video of the policy");
  fireEvent.error(video());
  expect(await screen.findByText("This video could not be loaded")).toBeVisible();
  expect(onRetry).not.toHaveBeenCalled();
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  status = 404;
  fireEvent.error(video());
  await vi.waitFor(() => expect(onRetry).toHaveBeenCalledOnce());
  rerender(player({ ...clip, video_url: null }));
  rerender(player(clip));
  expect(video()).toBeInTheDocument();
});
