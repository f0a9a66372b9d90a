"""Whether the spec of an environment in another process can be sent from there.

Stable-Baselines3's ``SubprocVecEnv`` loses the process of an environment whose answer cannot be pickled, and training
with it. It can be asked which wrappers an environment has, which is answered by ``isinstance`` in that process. This
module is imported there, so it imports nothing heavy.
"""

from __future__ import annotations

import pickle


class SpecQuestion:
    """``isinstance(env, SpecQuestion())``: ``env.spec`` is there and can be pickled.

    Only the first environment that it is asked about counts: the library goes on with those within it.
    """

    def __init__(self) -> None:
        self._is_answered = False

    def __instancecheck__(self, env: object) -> bool:
        if self._is_answered:
            return False
        self._is_answered = True
        try:
            spec = getattr(env, "spec", None)
            pickle.dumps(spec)
        except Exception:
            return False
        return spec is not None
