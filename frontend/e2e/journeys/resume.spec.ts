import { test } from "@playwright/test";
import { ownService } from "../own-service";
import { pauseResumeAndFork } from "../pause-resume-fork";

/** Each attempt plays so far at once: the first until it is paused, the second until it crashes. */
const PARENT = {
  cues: [
    { at_step: 20_000, do: "wait" },
    { at_step: 40_000, do: "crash", attempt: 2 },
    { at_step: 60_000, do: "wait", attempt: 3 },
  ],
};
const CHILD = { cues: [{ at_step: 80_000, do: "wait" }] };

test("training is paused, outlives the app, goes on exactly, is forked, and compared", async ({
  page,
}, { project }) => {
  const service = await ownService({ runs: { Parent: PARENT, Child: CHILD } });
  try {
    await pauseResumeAndFork(page, service, project.name);
  } finally {
    await service.close();
  }
});
