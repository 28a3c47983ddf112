"""Fast ChaCha20-Poly1305, and files in the age format.

- ``ChaCha20Poly1305`` and ``XChaCha20Poly1305`` encrypt messages.
- ``sealane.age`` encrypts files, and reads any part of them.
- ``sealane.aio`` does the same for asyncio.
- ``sealane.fsspec`` is a filesystem of age files, for pandas, pyarrow, DuckDB, polars and Dask.
- ``sealane.jobs`` seals, opens, re-keys and verifies many objects, on this machine or on a cluster.
- ``sealane.shares`` splits a secret into shares.

Buffers are used without copying: ``bytes``, ``bytearray``, ``memoryview``, and NumPy arrays. Do not
write to them in another thread during a call. Calls with 4 KiB or more release the GIL.
"""

from ._errors import InvalidTag, SealaneError
from ._sealane import ChaCha20Poly1305, XChaCha20Poly1305

__all__ = ["ChaCha20Poly1305", "InvalidTag", "SealaneError", "XChaCha20Poly1305"]
__version__ = "0.1.0"
