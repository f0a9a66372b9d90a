"""Playing a saved policy, filming it, and summarising its episodes. Runs in a worker process."""
