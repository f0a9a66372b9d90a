import type { Controls, Space } from "@/api/types";
import type { Action } from "@/player/session/key-input";
import type { SessionClient } from "@/player/session/session-client";
import type { Player } from "./lockstep";

/** The parts of the user's session that the seat needs. */
type Seated = Pick<SessionClient, "state" | "newest" | "pause" | "reset" | "forward" | "send">;

/**
 * The user's place in a race: it takes a step when the others do, with the action of the pressed keys. If every action
 * has an effect, the last action continues while no key is pressed, because the others do not wait.
 */
export class YourSeat implements Player {
  private held: Action | null = null;
  /** A key that was pressed and released between two steps counts for one step. */
  private tapped: Action | null = null;
  private last: Action | null = null;

  readonly state: Seated["state"];
  readonly newest: Seated["newest"];

  constructor(private readonly client: Seated) {
    this.state = client.state;
    this.newest = client.newest;
  }

  readonly hold = (action: Action | null) => {
    this.held = action;
    if (action !== null) this.tapped = this.last = action;
  };

  pause() {
    this.client.pause();
  }

  reset(seed?: number) {
    this.last = null;
    this.client.reset(seed);
  }

  forward() {
    const action = this.tapped ?? this.held ?? this.idle();
    this.tapped = null;
    // During a pause, in which steps are taken one by one, an action counts for the next step alone.
    if (action !== null) this.client.send({ type: "action", value: action });
    this.client.forward();
  }

  /** Null: the environment has an action that does nothing. */
  private idle(): Action | null {
    const { hello } = this.client.state.get();
    if (!hello || hello.controls.neutral.every((value) => value !== null)) return null;
    return this.last ?? firstAction(hello.controls, hello.action_space);
  }
}

/** The action of the first key, for a component without a neutral value. */
function firstAction({ neutral, bindings }: Controls, { kind }: Pick<Space, "kind">): Action {
  const values = neutral.map(
    (rest, component) =>
      rest ?? bindings.find((binding) => binding.component === component)?.value ?? 0,
  );
  return kind === "Discrete" ? values[0]! : values;
}
