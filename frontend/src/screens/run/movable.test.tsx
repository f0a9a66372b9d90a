import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useEffect, useState } from "react";
import { expect, test, vi } from "vitest";
import { useMovable } from "./run-body";

function Counter({ onLeave }: { onLeave: () => void }) {
  const [count, setCount] = useState(0);
  useEffect(() => onLeave, [onLeave]);
  return <button onClick={() => setCount(count + 1)}>{count}</button>;
}

function Page({ beside, onLeave }: { beside: boolean; onLeave: () => void }) {
  const [drawn, place] = useMovable(<Counter onLeave={onLeave} />);
  return (
    <>
      {drawn}
      <main>{!beside && <section>{place}</section>}</main>
      <aside>{beside && place}</aside>
    </>
  );
}

test("a view moved to another place of the page keeps its state", async () => {
  const onLeave = vi.fn();
  const { rerender, unmount } = render(<Page beside={false} onLeave={onLeave} />);
  await userEvent.click(screen.getByRole("button"));
  const button = screen.getByRole("button", { name: "1" });
  expect(screen.getByRole("main")).toContainElement(button);
  rerender(<Page beside onLeave={onLeave} />);
  expect(screen.getByRole("complementary")).toContainElement(button);
  rerender(<Page beside={false} onLeave={onLeave} />);
  expect(screen.getByRole("main")).toContainElement(button);
  expect(onLeave).not.toHaveBeenCalled();
  unmount();
  expect(onLeave).toHaveBeenCalledOnce();
  expect(document.body).not.toContainElement(button);
});
