/** What saliency can tell about a policy that sees pictures, and what not. */
export function SaliencyNote() {
  return (
    <section
      id="saliency"
      aria-labelledby="saliency-title"
      className="mt-10 flex max-w-[72ch] scroll-mt-16 flex-col gap-3 border-t border-line pt-6 text-base text-ink-soft"
    >
      <h2 id="saliency-title" className="text-lg font-semibold text-ink">
        What saliency can tell
      </h2>
      <p>
        <em>What mattered</em> shows, over a picture that the agent saw, the size of the gradient of
        one number with respect to each pixel: the logit of the chosen action of PPO, A2C and TRPO,
        Q(s, a) of the chosen action of DQN, QR-DQN, SAC and TD3, and V(s) where an actor-critic’s
        actions are continuous. It is smoothed, and the brightest place of each step is that step’s
        own.
      </p>
      <p>
        It tells which pixels would change that number if they changed a little: whether a policy
        for Pong reacts to the ball at all, for instance.
      </p>
      <p>
        It does not tell why the action was chosen, nor that what stays dark is of no use. A
        gradient is blind to what is saturated, it sees pixels and no objects, and for some networks
        it looks much the same with random weights (
        <a
          href="https://arxiv.org/abs/1810.03292"
          target="_blank"
          rel="noreferrer"
          className="underline hover:text-ink"
        >
          Adebayo and others, 2018
        </a>
        ). To know whether a policy needs something, take it away and see what it does.
      </p>
    </section>
  );
}
