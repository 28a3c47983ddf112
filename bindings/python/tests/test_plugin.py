"""Keys of plugins, with a small plugin whose stanza contains the file key in the clear."""

import os
import shutil
import threading
from pathlib import Path

import pytest

from keys import IDENTITY
from sealane import age

# The plugin of the command's tests.
PLUGIN = Path(__file__).parents[3] / "crates" / "cli" / "tests" / "cli" / "plugin.sh"
# Bech32 without data. The same strings are in the tests of age (testdata/plugin.txt).
RECIPIENT, KEY = "age1test10qdmzv9q", "AGE-PLUGIN-TEST-10Q32NLXM"


@pytest.fixture
def log(tmp_path, monkeypatch):
    """The plugin's log, in which each run writes a line."""
    program = shutil.copy(PLUGIN, tmp_path / "age-plugin-test")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PLUGIN_LOG", str(tmp_path / "log"))
    return tmp_path / "log"


def test_a_plugin_seals_and_opens(log):
    recipient, identity = age.Recipient(RECIPIENT), age.Identity(KEY)
    assert (recipient.kind, identity.kind) == ("plugin", "plugin")
    assert (str(recipient), identity.to_text()) == (RECIPIENT, KEY)
    sealed = age.encrypt(b"secret", [recipient, IDENTITY.recipient])
    assert log.read_text() == "--age-plugin=recipient-v1\n"
    assert b"\n-> test\n" in sealed
    assert age.decrypt(sealed, identity) == b"secret"
    assert log.read_text() == "--age-plugin=recipient-v1\n--age-plugin=identity-v1\n"
    assert age.decrypt(sealed, IDENTITY) == b"secret"
    with pytest.raises(age.NoMatchError):
        age.decrypt(age.encrypt(b"secret", IDENTITY.recipient), identity)


WAITING = """#!/bin/sh
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ ! -e "$PLUGIN_LOG.go" ] || exec "$0.real" "$1"
    sleep 0.2
done
exit 1
"""


def test_other_threads_run_while_a_plugin_contributes_its_part(log):
    recipient = age.Recipient.threshold(2, [age.Recipient(RECIPIENT), IDENTITY.recipient])
    sealed = age.encrypt(b"secret", recipient)
    program = log.with_name("age-plugin-test")
    shutil.copy(program, f"{program}.real")
    program.write_text(WAITING)
    thread = threading.Timer(0.3, Path(f"{log}.go").touch)
    thread.start()
    [part] = age.parts_of(sealed, age.Identity(KEY))
    thread.join()
    assert age.decrypt(sealed, [part, IDENTITY]) == b"secret"


def test_a_plugin_that_fails_does_not_keep_others_from_opening(log):
    first, second, plugin = age.Identity.generate(), age.Identity.generate(), age.Identity(KEY)
    holders = [first.recipient, second.recipient, age.Recipient(RECIPIENT)]
    sealed = age.encrypt(b"secret", age.Recipient.threshold(2, holders))
    log.with_name("age-plugin-test").unlink()
    assert age.decrypt(sealed, [plugin, first, second]) == b"secret"
    with pytest.raises(age.IdentityError, match="age-plugin-test"):
        age.decrypt(sealed, [plugin, first])


def test_a_plugin_that_is_missing(log):
    sealed = age.encrypt(b"secret", age.Recipient(RECIPIENT))
    log.with_name("age-plugin-test").unlink()
    for make in (lambda: age.Recipient(RECIPIENT), lambda: age.decrypt(sealed, age.Identity(KEY))):
        with pytest.raises(age.IdentityError, match="age-plugin-test"):
            make()
