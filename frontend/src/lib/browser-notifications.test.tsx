import { beforeEach, expect, test, vi } from "vitest";
import { browserNotifications, silence, turnOn } from "./browser-notifications";

/** A browser that answers `answer` when it is asked. */
function browser(permission: NotificationPermission, answer: NotificationPermission = permission) {
  const fake = {
    permission,
    requestPermission: vi.fn(async () => (fake.permission = answer)),
  };
  vi.stubGlobal("Notification", fake);
  return fake;
}

beforeEach(() => localStorage.clear());

test("permission is requested only when the user turns notifications on, and the choice is kept", async () => {
  const asked = browser("default", "granted").requestPermission;
  expect(browserNotifications.get()).toBe("off");
  expect(asked).not.toHaveBeenCalled();
  await turnOn();
  expect(asked).toHaveBeenCalledOnce();
  expect(browserNotifications.get()).toBe("on");
  expect(localStorage.getItem("rlviz-notifications")).toBe("on");
  silence();
  expect(browserNotifications.get()).toBe("off");
  await turnOn();
  expect(asked).toHaveBeenCalledOnce();
});

test("a refusal blocks them, and a permission alone does not turn them on", async () => {
  browser("default", "denied");
  await turnOn();
  expect(browserNotifications.get()).toBe("blocked");
  expect(localStorage.length).toBe(0);
  browser("granted");
  expect(browserNotifications.get()).toBe("off");
});

test("a browser without notifications is not asked", async () => {
  vi.stubGlobal("Notification", undefined);
  await turnOn();
  expect(browserNotifications.get()).toBe("unsupported");
});
