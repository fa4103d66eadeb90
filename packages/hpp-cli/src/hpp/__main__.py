"""Run HPP as ``python -I -m hpp``."""

import sys

from hpp.cli import main

if __name__ == "__main__":
    sys.exit(main())
