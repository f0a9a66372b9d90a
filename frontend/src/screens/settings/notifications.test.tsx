import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { NotificationSettings } from "./settings";

function browser(permission: NotificationPermission, answer: NotificationPermission = permission) {
  const fake = { permission, requestPermission: vi.fn(async () => (fake.permission = answer)) };
  vi.stubGlobal("Notification", fake);
  return fake.requestPermission;
}

const webhook = { address: "https://hooks.example/…", waiting: 1, sent: 3, given_up: 2 };

beforeEach(() => localStorage.clear());

test("the browser asks for permission only on the click", async () => {
  const asked = browser("default", "granted");
  render(<NotificationSettings webhook={null} />);
  const control = screen.getByRole("switch", { name: "Notify me in this browser" });
  expect(asked).not.toHaveBeenCalled();
  await act(() => userEvent.click(control));
  expect(asked).toHaveBeenCalledOnce();
  expect(control).toBeChecked();
  expect(screen.getByText("none")).toBeVisible();
});

test("if the browser blocks notifications, the page says what to do", async () => {
  browser("default", "denied");
  render(<NotificationSettings webhook={undefined} />);
  const control = screen.getByRole("switch");
  await act(() => userEvent.click(control));
  expect(control).not.toBeChecked();
  expect(control).toBeDisabled();
  expect(screen.getByText(/Allow them in its settings/)).toBeVisible();
});

test("the state of the webhook is shown with its last problem", () => {
  browser("granted");
  render(<NotificationSettings webhook={{ ...webhook, problem: "It answered 500." }} />);
  expect(screen.getByText("https://hooks.example/…")).toBeVisible();
  expect(screen.getByText("3 sent, 1 waiting, 2 dropped")).toBeVisible();
  expect(screen.getByText("It answered 500.")).toBeVisible();
});
