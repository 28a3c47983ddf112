"""Jobs on objects whose names meet: links, folders that ignore case, names of folders."""

import os

import fsspec
import pytest

from keys import IDENTITY, OTHER
from records import states
from sealane import age, jobs

OLD = {"identities": "env:SEALANE_TEST_KEY", "progress": False}
SEAL = {"recipients": str(IDENTITY.recipient), "progress": False}
NEW = OLD | {"identities": "env:SEALANE_OTHER_KEY"}
REKEY = OLD | {"recipients": str(OTHER.recipient)}


pytestmark = pytest.mark.usefixtures("empty_memory")


def sealed(text):
    return age.encrypt(text, IDENTITY.recipient)


@pytest.fixture
def case(monkeypatch):
    """Makes the folders of this machine ignore the case of names in one function."""
    monkeypatch.setattr(
        os.path,
        "lexists",
        lambda path: os.path.basename(path).lower() in [name.lower() for name in os.listdir(os.path.dirname(path))],
    )


def test_a_link_makes_two_targets_one(tmp_path):
    fsspec.filesystem("memory").pipe({"/in/a": b"a", "/in/b": b"b"})
    (tmp_path / "out").mkdir()
    (tmp_path / "out/b").symlink_to("a")
    with pytest.raises(jobs.JobError, match="the same target: .*/out/b"):
        jobs.seal("memory://in", f"file://{tmp_path}/out", **SEAL, ledger=f"{tmp_path}/ledger")
    assert os.listdir(tmp_path / "out") == ["b"]


def test_a_link_to_a_folder_makes_two_targets_one(tmp_path):
    fsspec.filesystem("memory").pipe({"/in/x/1": b"a", "/in/y/1": b"b"})
    (tmp_path / "out/x").mkdir(parents=True)
    (tmp_path / "out/y").symlink_to("x")
    with pytest.raises(jobs.JobError, match="the same target"):
        jobs.seal("memory://in", f"file://{tmp_path}/out", **SEAL, ledger=f"{tmp_path}/ledger")


LONG = "n" * 240
NAMES = ["A.csv", "a.csv"], [f"{LONG}A", f"{LONG}a"], ["\u00e9", "e\u0301"], ["Stra\u00dfe/x", "STRASSE/x"]


@pytest.mark.parametrize("names", NAMES)
def test_names_that_differ_in_case_are_different_files(names, tmp_path):
    fsspec.filesystem("memory").pipe({f"/in/{name}": name.encode() for name in names})
    call = SEAL | {"ledger": f"file://{tmp_path}/ledger"}
    assert states(jobs.seal("memory://in", f"file://{tmp_path}/out", **call).check()) == ["done"] * 2
    assert states(jobs.seal("memory://in", f"file://{tmp_path}/out", **call).check()) == ["unchanged"] * 2
    for name in names:
        assert age.decrypt((tmp_path / "out" / name).read_bytes(), IDENTITY) == name.encode()
    assert len([path for path in (tmp_path / "out").rglob("*") if path.is_file()]) == 2


def test_a_folder_that_ignores_case(case, tmp_path):
    fsspec.filesystem("memory").pipe({"/in/A.csv": b"1", "/in/a.csv": b"2"})
    with pytest.raises(jobs.JobError, match="the same target"):
        jobs.seal("memory://in", f"file://{tmp_path}/out", **SEAL, ledger=f"{tmp_path}/ledger")
    assert os.listdir(tmp_path / "out") == []


def test_a_target_that_is_a_link_is_written_once(tmp_path):
    fsspec.filesystem("memory").pipe("/in/a", b"a")
    (tmp_path / "out").mkdir()
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "out/a").symlink_to("../real")
    for state in ("done", "unchanged"):
        report = jobs.seal("memory://in", f"file://{tmp_path}/out", **SEAL, ledger=f"{tmp_path}/ledger")
        assert states(report.check()) == [state]
    assert age.decrypt((tmp_path / "real").read_bytes(), IDENTITY) == b"a"


def test_a_file_and_links_to_it(tmp_path):
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake/b").write_bytes(sealed(b"b"))
    for link in ("a", "latest"):
        (tmp_path / "lake" / link).symlink_to("b")
    (tmp_path / "elsewhere").symlink_to("lake")
    sources = [f"file://{tmp_path}/elsewhere/", f"file://{tmp_path}/lake"]
    for state in ("done", "unchanged"):
        report = jobs.rekey(sources, **REKEY, ledger=f"{tmp_path}/ledger").check()
        assert [(one.url[-1], one.state) for one in report.records] == [("b", state)]
    assert age.decrypt((tmp_path / "lake/b").read_bytes(), OTHER) == b"b"
    # Each name has a result of its own.
    opened = jobs.open(
        f"file://{tmp_path}/lake",
        f"file://{tmp_path}/out",
        **NEW,
        ledger=f"{tmp_path}/open",
    )
    assert len(opened.check().records) == 3


def test_objects_with_names_of_folders(bucket, gate):
    """Stores show a folder as an object without contents. An object with contents is no folder."""
    for name, data in [("in/folder/", b""), ("in/x/", sealed(b"x")), ("in/a", sealed(b"a"))]:
        bucket.put_object(Bucket="lake", Key=name, Body=data)
    for report in (
        jobs.rekey("s3://lake/in", **REKEY, ledger="s3://lake/1"),
        jobs.verify("s3://lake/in", **NEW, ledger="s3://lake/2"),
        jobs.open("s3://lake/in", "s3://lake/out", **NEW, ledger="s3://lake/3"),
    ):
        assert states(report) == ["done", "failed"]
        [failure] = report.failures
        assert failure.url == "s3://lake/in/x/" and "ends in /" in failure.error


def test_a_name_that_is_not_utf8(tmp_path):
    name = os.fsdecode(b"\xff\xfe.bin")
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake" / name).write_bytes(sealed(b"x"))
    for state in ("done", "unchanged"):
        report = jobs.rekey(f"file://{tmp_path}/lake", **REKEY, ledger=f"file://{tmp_path}/ledger")
        assert states(report.check()) == [state] and report.records[0].url.endswith(name)
    assert age.decrypt((tmp_path / "lake" / name).read_bytes(), OTHER) == b"x"
