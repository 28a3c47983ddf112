"""Keys of plugins, with a small plugin whose stanza contains the file key in the clear."""

import os

import pytest

from keys import IDENTITY
from sealane import age

# The age plugin protocol (https://c2sp.org/age-plugin) for one recipient.
PLUGIN = """#!/bin/sh
echo "$1" >> "${0%/*}/log"
key=
while IFS= read -r line; do
    case $line in
    "-> wrap-file-key"*) IFS= read -r key ;;
    "-> recipient-stanza 0 test"*) IFS= read -r key ;;
    "-> done"*) IFS= read -r line; break ;;
    esac
done
case $1 in
--age-plugin=recipient-v1) printf -- '-> recipient-stanza 0 test\\n%s\\n' "$key" ;;
--age-plugin=identity-v1)
    if [ -n "$key" ]; then printf -- '-> file-key 0\\n%s\\n' "$key"
    else printf -- '-> done\\n\\n'; exit; fi ;;
esac
IFS= read -r line; IFS= read -r line
printf -- '-> done\\n\\n'
"""
# Bech32 without data. The same strings are in the tests of age (testdata/plugin.txt).
RECIPIENT, KEY = "age1test10qdmzv9q", "AGE-PLUGIN-TEST-10Q32NLXM"


@pytest.fixture
def log(tmp_path, monkeypatch):
    """The plugin's log, in which each run writes a line."""
    program = tmp_path / "age-plugin-test"
    program.write_text(PLUGIN)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
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


def test_a_plugin_that_is_missing(log):
    sealed = age.encrypt(b"secret", age.Recipient(RECIPIENT))
    log.with_name("age-plugin-test").unlink()
    for make in (lambda: age.Recipient(RECIPIENT), lambda: age.decrypt(sealed, age.Identity(KEY))):
        with pytest.raises(age.IdentityError, match="age-plugin-test"):
            make()
