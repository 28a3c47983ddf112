"""pyrage's own tests, from its sdist, on ``sealane.compat.pyrage``."""

import importlib
import io
import os
import shutil
import sys
import unittest
from pathlib import Path

import pyrage as peer
import pytest

from sealane import age
from sealane.compat import pyrage
from test_plugin import KEY, PLUGIN, RECIPIENT

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


def outcome(work, *args):
    """Returns what a call returns, or the name and the text of its exception."""
    try:
        return work(*args)
    except Exception as error:
        return type(error).__name__, str(error)


def parsed(kind, text):
    return outcome(lambda: str(kind.from_str(text)))


TAG = "age1tag1qt8lw0ual6avlwmwatk888yqnmdamm7xfd0wak53ut6elz5c4swx2yqdj4e"
POST_QUANTUM = age.Identity.generate(post_quantum=True)
SECRET = age.Identity.generate().to_text()
RECIPIENTS = [str(age.Identity(SECRET).recipient), str(POST_QUANTUM.recipient), TAG, RECIPIENT, "junk", SECRET]
IDENTITIES = [SECRET, SECRET.lower(), POST_QUANTUM.to_text(), KEY, KEY.lower(), KEY[:-1] + "Q", RECIPIENTS[0], "junk"]


@pytest.mark.parametrize("kind", ["x25519", "tag", "tagpq", "plugin"])
def test_texts_of_keys_as_in_pyrage(kind):
    """The plugin of these keys is not installed."""
    ours, theirs = getattr(pyrage, kind), getattr(peer, kind)
    for text in [*RECIPIENTS, RECIPIENT[:-1] + "z", "age1test1qqqq", RECIPIENTS[0][:-1]]:
        assert parsed(ours.Recipient, text) == parsed(theirs.Recipient, text)
    if hasattr(ours, "Identity"):
        for text in IDENTITIES:
            assert parsed(ours.Identity, text) == parsed(theirs.Identity, text)


def test_other_keys_are_no_ssh_keys():
    for text in RECIPIENTS:
        with pytest.raises(pyrage.RecipientError):
            pyrage.ssh.Recipient.from_str(text)


def test_plugins_as_in_pyrage(tmp_path, monkeypatch):
    for name in ("yubikey", "YubiKey", "a.b-c"):
        ours, theirs = (module.plugin.Identity.default_for_plugin(name) for module in (pyrage, peer))
        assert (str(ours), ours.plugin()) == (str(theirs), theirs.plugin())

    def made(module, recipients, identities):
        recipients = [module.plugin.Recipient.from_str(text) for text in recipients]
        identities = [module.plugin.Identity.from_str(text) for text in identities]
        to = outcome(module.plugin.RecipientPluginV1, "test", recipients, [], object())
        by = outcome(module.plugin.IdentityPluginV1, "test", identities, object())
        return to, by

    for texts in (([RECIPIENT], [KEY]), ([], [])):
        # The plugin is missing. The texts of the errors differ.
        ours, theirs = made(pyrage, *texts), made(peer, *texts)
        assert [name for name, _ in ours] == [name for name, _ in theirs]
        assert all("age-plugin-test" in text for _, text in ours)
    program = shutil.copy(PLUGIN, tmp_path / "age-plugin-test")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PLUGIN_LOG", str(tmp_path / "log"))
    [to, by] = made(pyrage, [RECIPIENT], [KEY])
    sealed = pyrage.encrypt(b"data", [to])
    default = pyrage.plugin.IdentityPluginV1("test", [pyrage.plugin.Identity.default_for_plugin("test")], object())
    assert pyrage.decrypt(sealed, [by]) == pyrage.decrypt(sealed, [default]) == b"data"
    # Keys have the name in lower case only, so none would match, and nobody could open the file.
    for module in (pyrage, peer):
        recipients = [module.plugin.Recipient.from_str(RECIPIENT)]
        with pytest.raises(module.EncryptError):
            module.plugin.RecipientPluginV1("TEST", recipients, [], object())
        with pytest.raises(module.DecryptError):
            module.plugin.IdentityPluginV1("TEST", [module.plugin.Identity.from_str(KEY)], object())
    with pytest.raises(pyrage.EncryptError, match="identity of a plugin"):
        pyrage.plugin.RecipientPluginV1("test", [], [pyrage.plugin.Identity.from_str(KEY)], object())


def test_text_files():
    key = pyrage.x25519.Identity.generate()
    text, armored, opened = "é€😀" * 300_000, io.StringIO(), io.StringIO()
    pyrage.encrypt_io(reader=io.StringIO(text), writer=armored, recipients=[key.to_public()], armored=True)
    pyrage.decrypt_io(reader=io.StringIO(armored.getvalue()), writer=opened, identities=[key])
    assert opened.getvalue() == text
    for data in (b"\xff", "é".encode()[:1]):
        sealed = pyrage.encrypt(data, [key.to_public()])
        with pytest.raises(UnicodeDecodeError):
            pyrage.decrypt_io(io.BytesIO(sealed), io.StringIO(), [key])


def test_damage_and_passphrases_as_in_pyrage(tmp_path):
    path, target = str(tmp_path / "a"), str(tmp_path / "b")
    for module in (pyrage, peer):
        key = module.x25519.Identity.generate()
        sealed = module.encrypt(bytes(200_000), [key.to_public()])
        assert outcome(module.passphrase.decrypt, sealed, "word") == ("DecryptError", "No matching keys found")
        other = module.passphrase.encrypt(b"", "word")
        assert outcome(module.passphrase.decrypt, other, "bad") == ("DecryptError", "Decryption failed")
        damaged = sealed[:-1] + bytes([sealed[-1] ^ 1])
        Path(path).write_bytes(damaged)
        with pytest.raises(module.DecryptError):
            module.decrypt(damaged, [key])
        with pytest.raises(OSError):
            module.decrypt_file(path, target, [key])
        with pytest.raises(OSError):
            module.decrypt_io(io.BytesIO(damaged), io.BytesIO(), [key])
    with pytest.raises(pyrage.EncryptError, match="empty"):
        pyrage.passphrase.encrypt(b"", "")
