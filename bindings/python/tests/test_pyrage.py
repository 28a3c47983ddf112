"""pyrage's own tests, from its sdist, on ``sealane.compat.pyrage``."""

import importlib
import os
import sys
import unittest
from pathlib import Path

import pyrage as peer
import pytest

from sealane.compat import pyrage

#: pyrage's source, which ``bindings/python/test`` unpacks.
SOURCE = Path(os.environ["PYRAGE_SOURCE"])


def test_pyrages_tests(monkeypatch):
    names = {name: module for name, module in sys.modules.items() if name.startswith("sealane.compat.pyrage")}
    for name, module in names.items():
        monkeypatch.setitem(sys.modules, name.removeprefix("sealane.compat."), module)
    monkeypatch.syspath_prepend(str(SOURCE))
    monkeypatch.delitem(sys.modules, "test", raising=False)
    loader, suite = unittest.TestLoader(), unittest.TestSuite()
    for path in sorted((SOURCE / "test").glob("test_*.py")):
        module = importlib.import_module(f"test.{path.stem}")
        suite.addTests(loader.loadTestsFromModule(module))
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    for name in [name for name in sys.modules if name == "test" or name.startswith("test.")]:
        del sys.modules[name]
    assert result.wasSuccessful()
    assert result.testsRun >= 30
    assert not result.skipped


def test_files_go_both_ways(tmp_path):
    ours, theirs = pyrage.x25519.Identity.generate(), peer.x25519.Identity.generate()
    data = os.urandom(200_000)
    both = [pyrage.x25519.Recipient.from_str(str(theirs.to_public())), ours.to_public()]
    for armored in (False, True):
        assert peer.decrypt(pyrage.encrypt(data, both, armored=armored), [theirs]) == data
        sealed = peer.encrypt(data, [peer.x25519.Recipient.from_str(str(ours.to_public()))], armored=armored)
        assert pyrage.decrypt(sealed, [ours]) == data
    with pytest.raises(TypeError, match="recipient type"):
        pyrage.encrypt(b"", [ours])
    with pytest.raises(TypeError, match="identity type"):
        pyrage.decrypt(b"", [ours.to_public()])
    assert pyrage.passphrase.decrypt(peer.passphrase.encrypt(b"data", "word"), "word") == b"data"
    with pytest.raises(pyrage.DecryptError):
        pyrage.passphrase.decrypt(b"age-encryption.org/v1\n", "word")
