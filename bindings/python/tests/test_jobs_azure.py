"""Jobs on Azure blobs, where the header is a block of its own. The server is Azurite."""

import os
import types
import uuid

import pytest
from azure.storage.blob import BlobBlock, BlobServiceClient, ContentSettings

import servers
from keys import IDENTITY, OTHER
from sealane import age, jobs

MIB = 1 << 20
READ = {"identities": "env:SEALANE_TEST_KEY"}
TO_OTHER = READ | {"recipients": str(OTHER.recipient)}
TO_US = {"identities": "env:SEALANE_OTHER_KEY", "recipients": str(IDENTITY.recipient)}
DATA = os.urandom(MIB) * 20
# Azurite's default account, whose key is public.
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


@pytest.fixture(scope="module")
def azure(tmp_path_factory):
    with servers.azurite(tmp_path_factory.mktemp("azurite")) as (gate, address):
        endpoint = f"{address}/{ACCOUNT}"
        text = f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={KEY};BlobEndpoint={endpoint};"
        with BlobServiceClient.from_connection_string(text) as client:
            client.create_container("lake")
            yield gate, client, {"connection_string": text}


def job(function, *addresses, folder, options, **arguments):
    return function(*addresses, storage_options=options, ledger=str(folder), **arguments).check()


def test_only_the_header_is_sent(azure, tmp_path):
    gate, client, options = azure
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a").write_bytes(DATA)
    (tmp_path / "plain" / "empty").write_bytes(b"")
    recipients = {"recipients": str(IDENTITY.recipient)}
    call = {"ledger": f"{tmp_path}/seal", "target_options": options}
    jobs.seal(f"{tmp_path}/plain", "abfs://lake/sealed", **recipients, **call).check()
    blob = client.get_blob_client("lake", "sealed/a")
    blob.set_blob_metadata({"team": "x"})
    blob.set_http_headers(ContentSettings(content_type="application/vnd.apache.parquet"))
    there = {"folder": tmp_path / "rekey", "options": options}
    gate.requests.clear()
    report = job(jobs.rekey, "abfs://lake/sealed", **TO_OTHER, **there)
    assert report.count("done") == 2
    # Besides the headers, these are lists, properties, and the first 4 KiB with the old header.
    assert gate.bytes() < 40_000
    assert report.bytes_written == sum(len(header(client, name)) for name in ("a", "empty"))
    assert age.decrypt(blob.download_blob().readall(), OTHER) == DATA
    properties = blob.get_blob_properties()
    # WSGI does not preserve the case of HTTP header names.
    assert {name.lower(): value for name, value in properties.metadata.items()} == {"team": "x"}
    assert properties.content_settings.content_type == "application/vnd.apache.parquet"
    again = job(jobs.rekey, "abfs://lake/sealed", **TO_OTHER, **there)
    assert again.count("unchanged") == 2
    new = {"identities": "env:SEALANE_OTHER_KEY"}
    job(jobs.verify, "abfs://lake/sealed", **new, folder=tmp_path / "verify", options=options)
    job(jobs.open, "abfs://lake/sealed", "abfs://lake/open", **new, folder=tmp_path / "open", options=options)
    assert client.get_blob_client("lake", "open/a").download_blob().readall() == DATA


def test_no_blob_has_too_many_blocks(azure, tmp_path, monkeypatch):
    from sealane.jobs._stores import _azure

    _, client, options = azure
    monkeypatch.setattr(_azure, "_MOST_BLOCKS", 2)
    (tmp_path / "plain").write_bytes(DATA)
    recipients = {"recipients": str(IDENTITY.recipient)}
    call = {"ledger": f"{tmp_path}/seal", "target_options": options}
    jobs.seal(f"{tmp_path}/plain", "abfs://lake/long", **recipients, **call).check()
    blob = client.get_blob_client("lake", "long/plain")
    lengths = [block.size for block in blob.get_block_list()[0]]
    assert lengths[0] < 1000 and lengths[1:3] == [10 * MIB] * 2 and lengths[3] < MIB and len(lengths) == 4
    assert age.decrypt(blob.download_blob().readall(), IDENTITY) == DATA
    # A blob of other programs that is sent again as a whole.
    blob.upload_blob(age.encrypt(DATA, IDENTITY.recipient), overwrite=True)
    job(jobs.rekey, "abfs://lake/long", **TO_OTHER, folder=tmp_path / "rekey", options=options)
    assert len(blob.get_block_list()[0]) == 3
    assert age.decrypt(blob.download_blob().readall(), OTHER) == DATA


def header(client, name):
    data = client.get_blob_client("lake", f"sealed/{name}").download_blob().readall()
    return data[: age.inspect(data).header_len]


@pytest.mark.parametrize("way", ["one request", "blocks as adlfs makes them"])
def test_blobs_of_other_programs(azure, tmp_path, way):
    """The first re-key sends the block with the header and more again. The second does not."""
    _, client, options = azure
    blob = client.get_blob_client("lake", "other")
    if way == "one request":
        blob.upload_blob(age.encrypt(DATA, IDENTITY.recipient), overwrite=True)
    else:
        sealed = age.encrypt(DATA, IDENTITY.recipient)
        ids = [uuid.uuid4().hex for _ in range(0, len(sealed), 8 * MIB)]
        for index, block in enumerate(ids):
            blob.stage_block(block, sealed[index * 8 * MIB :][: 8 * MIB])
        blob.commit_block_list([BlobBlock(block) for block in ids])
    first = job(jobs.rekey, "abfs://lake/other", **TO_OTHER, folder=tmp_path / "1", options=options)
    assert first.bytes_written > 5 * MIB
    second = job(jobs.rekey, "abfs://lake/other", **TO_US, folder=tmp_path / "2", options=options)
    assert second.bytes_written < 1000
    assert age.decrypt(blob.download_blob().readall(), IDENTITY) == DATA


def test_a_change_meanwhile_is_kept(azure, tmp_path):
    gate, client, options = azure
    blob = client.get_blob_client("lake", "changed")
    blob.upload_blob(age.encrypt(DATA, IDENTITY.recipient), overwrite=True)
    hit = []

    def change(request):
        if "comp=blocklist" in request.query and request.method == "PUT" and not hit:
            hit.append(request)
            gate.before = lambda request: None
            blob.upload_blob(age.encrypt(b"newer", IDENTITY.recipient), overwrite=True)

    gate.before = change
    report = job(jobs.rekey, "abfs://lake/changed", **TO_OTHER, folder=tmp_path / "ledger", options=options)
    assert hit and report.records[0].attempts == 2
    assert age.decrypt(blob.download_blob().readall(), OTHER) == b"newer"


def test_a_blob_that_is_not_there(azure, tmp_path):
    _, client, options = azure
    client.get_blob_client("lake", "gone/a").upload_blob(age.encrypt(b"", IDENTITY.recipient), overwrite=True)

    def gone(task):
        client.get_blob_client("lake", "gone/a").delete_blob()
        return run(task)

    from sealane.jobs._task import run

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sealane.jobs._runners.run", gone)
        report = jobs.verify("abfs://lake/gone", **READ, ledger=f"{tmp_path}/1", storage_options=options)
    assert report.records[0].error.startswith("FileNotFoundError")


def test_a_lease_is_no_conflict(azure, tmp_path):
    """A lease gives the same status as a conflict, but another attempt would not help."""
    _, client, options = azure
    blob = client.get_blob_client("lake", "leased")
    blob.upload_blob(age.encrypt(b"data", IDENTITY.recipient), overwrite=True)
    lease = blob.acquire_lease()
    call = {"storage_options": options, "ledger": f"{tmp_path}/ledger"}
    report = jobs.rekey("abfs://lake/leased", **TO_OTHER, **call, attempts=1)
    assert report.records[0].error == "OSError: 412 LeaseIdMissing: lake/leased"
    lease.release()
    jobs.rekey("abfs://lake/leased", **TO_OTHER, **call).check()
    assert age.decrypt(blob.download_blob().readall(), OTHER) == b"data"


def test_answers_that_are_no_success(azure, tmp_path):
    gate, client, options = azure
    blob = client.get_blob_client("lake", "refused")
    sealed = age.encrypt(DATA, IDENTITY.recipient)
    blob.upload_blob(sealed, overwrite=True)
    call = {"storage_options": options, "attempts": 2}
    # Another attempt gives nobody more permissions.
    for status, error, attempts in (
        ("401 Unauthorized", "PermissionError: 401 Unauthorized", 1),
        ("403 Forbidden", "PermissionError: 403 Forbidden", 1),
        ("409 Conflict", "OSError: 409 Conflict", 2),
    ):
        gate.before = lambda request, status=status: status if request.method == "PUT" else None
        report = jobs.rekey("abfs://lake/refused", **TO_OTHER, **call, ledger=f"{tmp_path}/{status}")
        gate.before = lambda request: None
        assert report.records[0].error.startswith(error) and report.records[0].attempts == attempts
        assert blob.download_blob().readall() == sealed


@pytest.mark.parametrize("length", [4, 32, 48])
def test_ids_of_blocks(azure, tmp_path, monkeypatch, length):
    """A new block gets an unused id of the same length as the blob's other ids."""
    from sealane.jobs._stores import _azure

    _, client, options = azure
    blob = client.get_blob_client("lake", f"ids{length}")
    sealed = age.encrypt(DATA, IDENTITY.recipient)
    ids = [str(index) * length for index in range(3)]
    for index, block in enumerate(ids):
        blob.stage_block(block, sealed[index * 8 * MIB :][: 8 * MIB])
    blob.commit_block_list([BlobBlock(block) for block in ids])
    new = iter([ids[2], ids[1], "a" * length, "a" * length, "b" * length])
    monkeypatch.setattr(_azure, "secrets", types.SimpleNamespace(token_hex=lambda count: next(new)))
    report = job(jobs.rekey, f"abfs://lake/{blob.blob_name}", **TO_OTHER, folder=tmp_path / "1", options=options)
    assert report.bytes_written < 9 * MIB
    blocks, _ = blob.get_block_list()
    assert [block.id for block in blocks] == ["a" * length, "b" * length, *ids[1:]]
    assert age.decrypt(blob.download_blob().readall(), OTHER) == DATA


@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_a_block_in_the_place_of_one_that_stays(azure, tmp_path, when):
    """An uncommitted block has the id of a kept one, so the whole blob is sent again."""
    gate, client, options = azure
    blob = client.get_blob_client("lake", "staged")
    sealed = age.encrypt(DATA, IDENTITY.recipient)
    ids = [uuid.uuid4().hex for _ in range(3)]
    for index, block in enumerate(ids):
        blob.stage_block(block, sealed[index * 8 * MIB :][: 8 * MIB])
    blob.commit_block_list([BlobBlock(block) for block in ids])
    seen = []

    def stage(request):
        seen.append(request)
        # The request for the properties that are kept.
        if request.method == "HEAD" and any(one.method == "PUT" for one in seen):
            gate.before = lambda request: None
            blob.stage_block(ids[2], b"something else")

    if when == "before":
        blob.stage_block(ids[2], b"something else")
    else:
        gate.before = stage
    report = job(jobs.rekey, "abfs://lake/staged", **TO_OTHER, folder=tmp_path / "1", options=options)
    assert report.bytes_written > 20 * MIB
    assert age.decrypt(blob.download_blob().readall(), OTHER) == DATA
