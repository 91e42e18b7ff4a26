"""docs/signatures.md lists layers, optimizers and functions as the public headers declare them."""
import subprocess
import sys

import tree

sys.exit(subprocess.run([sys.executable, tree.ROOT / "scripts/docs/signatures.py", "--check"]).returncode)
