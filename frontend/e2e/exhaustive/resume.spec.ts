import { test } from "@playwright/test";
import { ownService } from "../own-service";
import { pauseResumeAndFork } from "../pause-resume-fork";

/** The journey with real training. It is exhaustive because each start of the app loads torch. */
test("real training is paused, outlives the app, resumes exactly after its worker is killed, and is forked", async ({
  page,
}, { project }) => {
  const service = await ownService();
  try {
    await pauseResumeAndFork(page, service, project.name, service.killWorker);
  } finally {
    await service.close();
  }
});
