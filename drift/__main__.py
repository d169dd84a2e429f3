"""`python -m drift`: check, update, list, matrix."""

import signal
import sys

if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    # Until the command itself listens, Ctrl-C ends the process without a word: nothing is begun yet.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from drift.command import main

if __name__ == "__main__":
    sys.exit(main())
