import { test } from "@playwright/test";
import { ownService } from "../own-service";
import { pauseResumeAndFork } from "../pause-resume-fork";

/** Each attempt plays so far at once, within the recording: the first until it is paused, the second until it crashes. */
const PARENT = {
  cues: [
    { at_step: 1_500, do: "wait" },
    { at_step: 8_000, do: "crash", attempt: 2 },
    { at_step: 9_000, do: "wait", attempt: 3 },
  ],
};
const CHILD = { cues: [{ at_step: 24_000, do: "wait" }] };

test("training is paused, outlives the app, resumes exactly, is forked, and compared", async ({
  page,
}, { project }) => {
  const service = await ownService({ runs: { Parent: PARENT, Child: CHILD } });
  try {
    await pauseResumeAndFork(page, service, project.name);
  } finally {
    await service.close();
  }
});
