import { test } from "@playwright/test";
import { ownService } from "../own-service";
import { pauseResumeAndFork } from "../pause-resume-fork";

/** Each attempt replays instantly up to this step of the recording. The first is then paused, and the second crashes. */
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
