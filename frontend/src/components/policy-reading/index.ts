/**
 * What a policy makes of what it sees: its reading, what it expects, what came, and the observation by name.
 *
 *     <PolicyReadingView record={record} records={trace.records} isOver={trace.isOver}
 *       spaces={{ action, observation }} greedy learned={run.learned_rewards} onPick={seek} />
 *
 * `prepare/` decides everything about a picture and is pure; `draw/` decides nothing.
 */
export { PolicyReadingView } from "./policy-reading-view";
export { ReadingFigures } from "./reading-figures";
export { actionText, chosenAction } from "./prepare/action";
export { ReadingAtFrame } from "./reading-at-frame";
export { actionChoices, type DrawnSpace, isCounted, isPicture, nameOf } from "./prepare/space";
export { ClipSeen } from "./seen/clip-seen";
export { EvaluationSeen } from "./seen/evaluation-seen";
export { LiveSeen } from "./seen/live-seen";
