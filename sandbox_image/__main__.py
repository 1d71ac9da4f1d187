"""Start the server by the path of this file, with nothing of the machine's Python but its library.

The folder above is put last on the path, so that no file beside this package hides a module.
"""

from __future__ import annotations

import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from sandbox_image.server import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
