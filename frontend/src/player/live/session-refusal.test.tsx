import { act, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { ApiError } from "@/api/http";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { SessionRefusal } from "./stage";

const session = { id: "session_1", mode: "watch", run_id: null, env_id: "CartPole-v1" };
const full = () => new ApiError(409, "Too many sessions", "End one.");

test("a session is requested every five seconds while another one takes its place", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  serve({ "GET /sessions": () => ({ body: [session] }) });
  const again = vi.fn();
  const { rerender } = renderWithQueries(<SessionRefusal refusal={full()} onAgain={again} />);
  await screen.findByText("Another window is already playing");
  await act(() => vi.advanceTimersByTimeAsync(5_000));
  expect(again).toHaveBeenCalledTimes(1);
  rerender(<SessionRefusal refusal={full()} onAgain={again} />);
  await act(() => vi.advanceTimersByTimeAsync(5_000));
  expect(again).toHaveBeenCalledTimes(2);
});

test("a permanent refusal is retried only manually", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  serve({ "GET /sessions": () => ({ body: [session] }) });
  const again = vi.fn();
  const refusal = new ApiError(422, "Invalid request", "No such environment.");
  renderWithQueries(<SessionRefusal refusal={refusal} onAgain={again} />);
  await act(() => vi.advanceTimersByTimeAsync(20_000));
  expect(again).not.toHaveBeenCalled();
});
