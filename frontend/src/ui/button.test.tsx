import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { Button } from "./button";

test("a button that is unavailable keeps the focus, says why, and does nothing", async () => {
  const press = vi.fn();
  const send = vi.fn((event: React.FormEvent) => event.preventDefault());
  render(
    <form onSubmit={send}>
      <input aria-label="Name" />
      <Button type="submit" unavailable="Give it a name first." onClick={press}>
        Keep
      </Button>
    </form>,
  );
  const button = screen.getByRole("button", { name: "Keep" });
  expect(button).toHaveAccessibleDescription("Give it a name first.");
  await userEvent.click(button);
  expect(button).toHaveFocus();
  await userEvent.type(screen.getByLabelText("Name"), "x{Enter}");
  expect(press).not.toHaveBeenCalled();
  expect(send).not.toHaveBeenCalled();
});

test("an available button has no explanation", async () => {
  const press = vi.fn();
  render(
    <Button unavailable={false} onClick={press}>
      Keep
    </Button>,
  );
  await userEvent.click(screen.getByRole("button", { name: "Keep" }));
  expect(press).toHaveBeenCalledOnce();
  expect(screen.getByRole("button")).not.toHaveAttribute("aria-disabled");
});
