"""Jobs on local files: copies by the system, modes, links."""

import os

import pytest

from keys import IDENTITY, OTHER
from sealane import _sealane, age, jobs

DATA = bytes(range(256)) * 4096  # 1 MiB
OLD = {"identities": "env:SEALANE_TEST_KEY", "progress": False}
TO_OTHER = OLD | {"recipients": str(OTHER.recipient)}


def write_sealed(path, data):
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(age.encrypt(data, IDENTITY.recipient))


def test_copies_without_help_of_the_system(tmp_path, monkeypatch):
    write_sealed(tmp_path / "lake" / "a", DATA * 9)

    def refused(*args):
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(os, "copy_file_range", refused)
    jobs.rekey(f"{tmp_path}/lake", **TO_OTHER, ledger=f"{tmp_path}/ledger").check()
    assert age.decrypt((tmp_path / "lake" / "a").read_bytes(), OTHER) == DATA * 9
    # Some filesystems copy nothing and report no error.
    monkeypatch.setattr(os, "copy_file_range", lambda *args: 0)
    new = age.Identity.generate()
    call = {"identities": "env:SEALANE_OTHER_KEY", "recipients": str(new.recipient), "ledger": f"{tmp_path}/2"}
    jobs.rekey(f"{tmp_path}/lake", **call).check()
    after = (tmp_path / "lake" / "a").read_bytes()
    assert age.decrypt(after, new) == DATA * 9

    def failed(*args):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "copy_file_range", failed)
    report = jobs.rekey(
        f"{tmp_path}/lake", identities=lambda: new, recipients=str(OTHER.recipient), ledger=f"{tmp_path}/3", attempts=1
    )
    assert "Input/output error" in report.records[0].error
    assert os.listdir(tmp_path / "lake") == ["a"] and (tmp_path / "lake" / "a").read_bytes() == after


def test_systems_without_copy_file_range(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "copy_file_range", raising=False)
    write_sealed(tmp_path / "a", b"x")
    jobs.rekey(f"{tmp_path}/a", **TO_OTHER, ledger=f"{tmp_path}/ledger").check()
    assert age.decrypt((tmp_path / "a").read_bytes(), OTHER) == b"x"


def test_modes_and_links_stay(tmp_path):
    write_sealed(tmp_path / "real" / "a", DATA)
    (tmp_path / "real" / "a").chmod(0o640)
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake" / "a").symlink_to(tmp_path / "real" / "a")
    jobs.rekey(f"{tmp_path}/lake", **TO_OTHER, ledger=f"{tmp_path}/ledger").check()
    assert (tmp_path / "lake" / "a").is_symlink()
    again = jobs.rekey(f"{tmp_path}/lake", **TO_OTHER, ledger=f"{tmp_path}/ledger").check()
    assert [record.state for record in again.records] == ["unchanged"]
    assert (tmp_path / "real" / "a").stat().st_mode & 0o777 == 0o640
    assert age.decrypt((tmp_path / "real" / "a").read_bytes(), OTHER) == DATA


def test_a_file_with_another_hard_link_keeps_its_header(tmp_path):
    """Otherwise the other name would still have the header for the old recipients."""
    sealed = age.encrypt(b"a", IDENTITY.recipient)
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake/a").write_bytes(sealed)
    os.link(tmp_path / "lake/a", tmp_path / "other")
    new = age.Identity.generate().recipient
    ledger = f"file://{tmp_path}/ledger"
    [failure] = jobs.rekey(f"file://{tmp_path}/lake", recipients=str(new), **OLD, ledger=ledger).failures
    assert "has 2 hard links" in failure.error
    with pytest.raises(OSError, match="has 2 hard links"):
        age.rekey_file(tmp_path / "lake/a", IDENTITY, new)
    assert (tmp_path / "lake/a").read_bytes() == sealed
    assert sorted(os.listdir(tmp_path / "lake")) == ["a"]


def test_a_temporary_file_that_others_remove(tmp_path, monkeypatch):
    """An attempt removes the temporary files of earlier ones, which may still be at work."""
    from sealane.jobs._ledger import Ledger

    write_sealed(tmp_path / "lake" / "a", DATA)
    write_sealed(tmp_path / "out" / "a", b"old")
    (tmp_path / "out" / "a").chmod(0o600)
    intend, removed = Ledger.intend, []

    def late(self, url, header, handle):
        intend(self, url, header, handle)
        if len(removed) < 2:
            os.unlink(handle)
            removed.append(handle)

    monkeypatch.setattr(Ledger, "intend", late)
    report = jobs.open(f"{tmp_path}/lake", f"{tmp_path}/out", **OLD, ledger=f"{tmp_path}/ledger").check()
    assert report.records[0].attempts == 3 and os.listdir(tmp_path / "out") == ["a"]
    assert (tmp_path / "out" / "a").read_bytes() == DATA
    assert (tmp_path / "out" / "a").stat().st_mode & 0o777 == 0o600


def test_others_put_a_file_in_the_place_of_a_temporary_one(tmp_path, monkeypatch):
    (tmp_path / "a").write_bytes(b"old")
    seal = _sealane.encrypt_file

    def late(source, temporary, recipients, **options):
        os.unlink(temporary)
        seal(source, temporary, recipients, **options)

    monkeypatch.setattr(_sealane, "encrypt_file", late)
    with pytest.raises(OSError, match="removed the temporary file"):
        age.encrypt_file(__file__, tmp_path / "a", IDENTITY.recipient)
    assert os.listdir(tmp_path) == ["a"] and (tmp_path / "a").read_bytes() == b"old"
