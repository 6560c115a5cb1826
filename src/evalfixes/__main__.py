"""``python -m evalfixes``."""

from evalfixes.cli import main

raise SystemExit(main())
