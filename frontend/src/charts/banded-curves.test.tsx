import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { renderToString } from "react-dom/server";
import { expect, test } from "vitest";
import { BandedCurves } from "./banded-curves";

test("A chart has its values before it is drawn, because charts are drawn when they come into view", () => {
  const values = [1, 2, 3];
  const text = renderToString(
    <QueryClientProvider client={new QueryClient()}>
      <BandedCurves
        step={[0, 10, 20]}
        lines={[
          {
            ...{ id: "ppo", label: "PPO", of: 5, one: "seed", place: 0 },
            ...{ iqm: values, low: values, high: values, count: [5, 5, 5] },
          },
        ]}
      />
    </QueryClientProvider>,
  );
  expect(text).not.toContain("No curve yet");
  expect(text).toContain("3.00");
});
