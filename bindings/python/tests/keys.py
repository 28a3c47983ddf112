"""Keys for tests. Dask workers import them too."""

import os

from sealane.age import Identity

# A worker inherits these variables, and so has the same keys.
for name in ("SEALANE_TEST_KEY", "SEALANE_OTHER_KEY"):
    os.environ.setdefault(name, Identity.generate().to_text())

IDENTITY = Identity(os.environ["SEALANE_TEST_KEY"])
OTHER = Identity(os.environ["SEALANE_OTHER_KEY"])
OPTIONS = {"identities": "env:SEALANE_TEST_KEY", "recipients": str(IDENTITY.recipient)}
WRONG = OPTIONS | {"identities": "env:SEALANE_OTHER_KEY"}
