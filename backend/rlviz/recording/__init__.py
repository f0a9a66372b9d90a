"""Recording what is played, whoever plays it: steps, what the agent saw, and frames; at the detail that is wanted."""
