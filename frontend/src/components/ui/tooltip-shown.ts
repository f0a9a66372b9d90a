/** Whether a tooltip is shown: while its button is pointed at or focused, or until somebody hides it. */
export type Shown = "no" | "pointed" | "pressed" | "held";

/**
 * `point` and `leave` are of pointer and focus alike. A pointer that goes down is a `press`, and once it is up a `tap`;
 * `enter` is the same from the keyboard.
 */
export type ShownEvent = "point" | "leave" | "press" | "tap" | "enter" | "dismiss";

/**
 * What an event makes of it. A tap shows the text and the next one hides it. The pointer, or the focus that a tap
 * brings along, may have shown it already: then the first tap holds it. Enter hides what focus has shown.
 */
export function nextShown(shown: Shown, event: ShownEvent): Shown {
  switch (event) {
    case "point":
      return shown === "no" ? "pointed" : shown;
    case "leave":
      return shown === "pointed" ? "no" : shown;
    case "press":
      return shown === "pointed" ? "pressed" : shown;
    case "tap":
      return shown === "held" ? "no" : "held";
    case "enter":
      return shown === "no" ? "held" : "no";
    case "dismiss":
      return "no";
  }
}
