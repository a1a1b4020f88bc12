"""`python -m kakehashi` is the `kakehashi` command."""

from __future__ import annotations

from kakehashi.cli import main

if __name__ == "__main__":
    try:
        main()
    finally:
        # An interrupt that came while a text was executed (a dataclass being made, say) leaves a mark, and with it
        # `python -m` dies of SIGINT, whatever exit code is asked for. The next execution of a text wipes it out
        # (run_eval_code_obj in CPython's Python/pythonrun.c).
        exec("")  # noqa: S102
