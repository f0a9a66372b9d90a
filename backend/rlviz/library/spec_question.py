"""Whether the spec of an environment in another process can be sent from there.

Stable-Baselines3's ``SubprocVecEnv`` loses the process of an environment whose answer cannot be pickled, and training
with it. It can be asked which wrappers an environment has, which is answered by ``isinstance`` in that process. This
module is imported there, so it imports nothing heavy.
"""

from __future__ import annotations

import pickle


class _AnswersIsinstance(type):
    def __instancecheck__(cls, env: object) -> bool:
        try:
            spec = getattr(env, "spec", None)
            pickle.dumps(spec)
        except Exception:
            return False
        return spec is not None


class HasSpecToSend(metaclass=_AnswersIsinstance):
    """``isinstance(env, HasSpecToSend)``: ``env.spec`` is there and can be pickled."""
