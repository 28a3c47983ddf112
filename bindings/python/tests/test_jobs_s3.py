"""Jobs on S3: copies inside the store, conditional writes, properties, interrupted uploads.

The server is moto, or versitygw if bindings/python/test-servers runs the tests.
"""

import json
import os

import fsspec
import pytest

import servers
from keys import IDENTITY, OTHER
from sealane import age, jobs
from sealane.jobs._ledger import Ledger, digest
from sealane.jobs._place import Place

MIB = 1 << 20
READ = {"identities": "env:SEALANE_TEST_KEY"}
TO_OTHER = READ | {"recipients": str(OTHER.recipient)}
TO_US = {"identities": "env:SEALANE_OTHER_KEY", "recipients": str(IDENTITY.recipient)}
CREATE, COMPLETE = r"^POST /lake/\S+[?]uploads", r"^POST /lake/\S+[?]uploadId="


def put(bucket, key, length, **properties):
    data = os.urandom(1 << 16) * (length >> 16) + os.urandom(length & 0xFFFF)
    bucket.put_object(Bucket="lake", Key=key, Body=age.encrypt(data, IDENTITY.recipient), **properties)
    return data


def get(bucket, key):
    return bucket.get_object(Bucket="lake", Key=key)["Body"].read()


def uploads(bucket):
    return bucket.list_multipart_uploads(Bucket="lake").get("Uploads", [])


def test_rekey_moves_a_tenth(bucket, gate, tmp_path):
    """For an object of 64 MiB, at most a tenth of a full download and upload is transferred."""
    plain = {"data/a": put(bucket, "data/a", 64 * MIB)}
    sealed = {key: bucket.head_object(Bucket="lake", Key=key)["ContentLength"] for key in plain}
    gate.requests.clear()
    report = jobs.rekey("s3://lake/data", **TO_OTHER, ledger="s3://lake/ledger").check()
    moved = gate.bytes()
    assert 2 * 5 * MIB < moved < 2 * sum(sealed.values()) / 10
    assert (report.bytes_read + report.bytes_written) == pytest.approx(moved, rel=0.01)
    for key, data in plain.items():
        assert age.decrypt(get(bucket, key), OTHER) == data
    assert uploads(bucket) == []
    # The second run needs two listings and the ledger, and no request for an object.
    gate.requests.clear()
    again = jobs.rekey("s3://lake/data", **TO_OTHER, ledger="s3://lake/ledger").check()
    assert again.count("unchanged") == 1
    assert not [str(r) for r in gate.requests if r.path.startswith("/lake/data/") or r.method not in ("GET", "HEAD")]


@pytest.mark.parametrize("length", [0, 100_000, 5 * MIB - 200, 5 * MIB, 5 * MIB + 1, 5 * MIB + 100_000])
def test_lengths_around_that_of_a_part(bucket, gate, length):
    data = put(bucket, "a", length)
    for round, there in enumerate([TO_OTHER | {"header_len": 900}, TO_US]):
        jobs.rekey("s3://lake/a", **there, ledger=f"s3://lake/ledger{round}").check()
    assert age.decrypt(get(bucket, "a"), IDENTITY) == data


def test_properties_stay(bucket, gate):
    properties = {"ContentType": "application/vnd.apache.parquet", "CacheControl": "max-age=5", "Metadata": {"a": "b"}}
    for key, length in (("small", 100), ("large", 6 * MIB)):
        put(bucket, key, length, **properties, Tagging="team=x%20y&year=2027")
    jobs.rekey(["s3://lake/small", "s3://lake/large"], **TO_OTHER, ledger="s3://lake/ledger").check()
    for key in ("small", "large"):
        head = bucket.head_object(Bucket="lake", Key=key)
        assert {name: head[name] for name in properties} == properties
        tags = bucket.get_object_tagging(Bucket="lake", Key=key)["TagSet"]
        assert sorted((tag["Key"], tag["Value"]) for tag in tags) == [("team", "x y"), ("year", "2027")]
        assert age.decrypt(get(bucket, key), OTHER)


@pytest.mark.parametrize("length", [1000, 6 * MIB])
@pytest.mark.parametrize("moment", ["the first read", "the end"])
def test_a_change_meanwhile_is_kept(bucket, gate, length, moment):
    """A write in the middle of a re-key wins, and the new object is then re-keyed."""
    put(bucket, "a", length)
    newer = age.encrypt(b"newer" * MIB, IDENTITY.recipient)
    pattern = r"^GET /lake/a[?]" if moment == "the first read" else f"^PUT /lake/a[?]?(x-id=PutObject)?$|{COMPLETE}"
    hit = []

    def change(request):
        if servers.matches(pattern)(request) and not hit:
            hit.append(str(request))
            bucket.put_object(Bucket="lake", Key="a", Body=newer)

    gate.before = change
    report = jobs.rekey("s3://lake/a", **TO_OTHER, ledger="s3://lake/ledger").check()
    assert hit and report.records[0].attempts == 2
    assert age.decrypt(get(bucket, "a"), OTHER) == b"newer" * MIB
    assert uploads(bucket) == []
    ends = [request for request in gate.requests if servers.matches(COMPLETE)(request)]
    assert all("IF-MATCH" in request.headers for request in ends)


def test_a_store_that_cannot_copy_parts(bucket, gate):
    data = put(bucket, "a", 20 * MIB)

    def refuse(request):
        if "X-AMZ-COPY-SOURCE" in request.headers:
            return "501 Not Implemented"

    gate.before = refuse
    report = jobs.rekey("s3://lake/a", **TO_OTHER, ledger="s3://lake/ledger").check()
    assert report.bytes_written > 20 * MIB
    assert age.decrypt(get(bucket, "a"), OTHER) == data
    assert uploads(bucket) == []
    # The parts have equal lengths, which some stores require.
    parts = [
        r.received for r in gate.requests if r.method == "PUT" and "partNumber" in r.query and r.status[:3] == "200"
    ]
    assert parts[:-1] == [8 * MIB, 8 * MIB]


def test_a_store_that_wants_parts_of_equal_lengths(bucket, gate):
    """Some stores accept each part, and then refuse to complete the upload."""
    data, refused = put(bucket, "a", 20 * MIB), []

    def refuse(request):
        if servers.matches(COMPLETE)(request) and request.method == "POST" and not refused:
            refused.append(request)
            return "400 Bad Request\n<Error><Code>InvalidPart</Code></Error>"

    gate.before = refuse
    report = jobs.rekey("s3://lake/a", **TO_OTHER, ledger="s3://lake/ledger").check()
    assert refused and report.records[0].attempts == 1 and report.bytes_written > 20 * MIB
    assert age.decrypt(get(bucket, "a"), OTHER) == data and uploads(bucket) == []
    parts = [r.received for r in gate.requests if r.method == "PUT" and "partNumber" in r.query]
    assert parts[-3:-1] == [8 * MIB, 8 * MIB]


def test_failed_uploads_are_aborted(bucket, gate):
    data = put(bucket, "a", 6 * MIB)
    before = get(bucket, "a")

    def refuse(request):
        if servers.matches(COMPLETE)(request) and request.method == "POST":
            return "403 Forbidden"

    gate.before = refuse
    report = jobs.rekey("s3://lake/a", **TO_OTHER, ledger="s3://lake/ledger")
    assert report.records[0].error.startswith("PermissionError") and get(bucket, "a") == before
    assert uploads(bucket) == []
    jobs.open("s3://lake/a", "s3://lake/open", **READ, ledger="s3://lake/ledger2").check()
    assert get(bucket, "open/a") == data
    # A target of more than one part, too.
    put(bucket, "b", 20 * MIB)
    report = jobs.open("s3://lake/b", "s3://lake/open", **READ, ledger="s3://lake/ledger3")
    assert report.failures and uploads(bucket) == []


def test_uploads_of_others_stay(bucket, gate):
    put(bucket, "a", 6 * MIB)
    theirs = bucket.create_multipart_upload(Bucket="lake", Key="a")["UploadId"]
    ours = bucket.create_multipart_upload(Bucket="lake", Key="a")["UploadId"]
    ledger = Ledger(Place.of("s3://lake/ledger", None))
    ledger.intend("s3://lake/a", b"header", ours)
    jobs.rekey("s3://lake/a", **TO_OTHER, ledger="s3://lake/ledger").check()
    assert [upload["UploadId"] for upload in uploads(bucket)] == [theirs]
    bucket.abort_multipart_upload(Bucket="lake", Key="a", UploadId=theirs)


def test_the_ledger_names_an_upload_of_others(bucket, gate):
    """Anyone who can write to the ledger can make a job abort any upload of the same object."""
    put(bucket, "a", 6 * MIB)
    theirs = bucket.create_multipart_upload(Bucket="lake", Key="a")["UploadId"]
    intent = json.dumps({"url": "s3://lake/a", "handle": theirs}).encode()
    bucket.put_object(Bucket="lake", Key=f"ledger/intents/{digest('s3://lake/a')}/{'0' * 64}.json", Body=intent)
    jobs.rekey("s3://lake/a", **TO_OTHER, ledger="s3://lake/ledger").check()
    assert uploads(bucket) == []
    # The job names its own object, so the store aborts no upload of another one.
    assert {request.path for request in gate.requests if request.method == "DELETE"} == {"/lake/a"}


def test_seal_and_open(bucket, gate):
    plain = {"small": b"x" * 1000, "empty": b"", "large": os.urandom(MIB) * 20}
    for name, data in plain.items():
        bucket.put_object(Bucket="lake", Key=f"plain/{name}", Body=data)
    jobs.seal(
        "s3://lake/plain", "s3://lake/sealed", **{"recipients": str(IDENTITY.recipient)}, ledger="s3://lake/1"
    ).check()
    jobs.verify("s3://lake/sealed", **READ, ledger="s3://lake/2").check()
    jobs.open("s3://lake/sealed", "s3://lake/open", **READ, ledger="s3://lake/3").check()
    for name, data in plain.items():
        assert age.decrypt(get(bucket, f"sealed/{name}"), IDENTITY) == data
        assert get(bucket, f"open/{name}") == data
    gate.requests.clear()
    report = jobs.open("s3://lake/sealed", "s3://lake/open", **READ, ledger="s3://lake/3").check()
    assert report.count("unchanged") == 3
    assert not [r for r in gate.requests if r.method not in ("GET", "HEAD")]


def test_an_answer_that_is_lost(bucket, gate):
    """The object was replaced, but the response is lost, so the worker tries again."""
    data = put(bucket, "a", 6 * MIB)
    lost = []

    def lose(request):
        if servers.matches(COMPLETE)(request) and request.method == "POST" and not lost:
            lost.append(get(bucket, "a"))
            return "400 Bad Request"

    gate.after = lose
    jobs.rekey("s3://lake/a", **TO_OTHER, ledger="s3://lake/ledger").check()
    [after] = lost
    assert get(bucket, "a") == after and age.decrypt(after, OTHER) == data


@pytest.mark.parametrize("length", [100, 6 * MIB])
def test_a_store_without_tags(bucket, gate, length):
    """A store without tags says so.

    If reading the tags is forbidden, the job fails rather than lose them.
    """
    data = put(bucket, "a", length, CacheControl="max-age=5")

    def answer(status):
        return lambda request: status if request.method == "GET" and request.query.startswith("tagging") else None

    gate.before = answer("403 Forbidden")
    report = jobs.rekey("s3://lake/a", **TO_OTHER, ledger="s3://lake/1")
    assert report.records[0].error.startswith("PermissionError")
    assert age.decrypt(get(bucket, "a"), IDENTITY) == data and uploads(bucket) == []
    gate.before = answer("501 Not Implemented")
    jobs.rekey("s3://lake/a", **TO_OTHER, ledger="s3://lake/2").check()
    assert age.decrypt(get(bucket, "a"), OTHER) == data
    assert bucket.head_object(Bucket="lake", Key="a")["CacheControl"] == "max-age=5"


@pytest.mark.parametrize("length", [100, 6 * MIB])
def test_a_condition_that_is_always_refused(bucket, gate, length):
    put(bucket, "a", length)
    before, refused = get(bucket, "a"), []

    def refuse(request):
        if request.path == "/lake/a" and "IF-MATCH" in request.headers and request.method in ("PUT", "POST"):
            refused.append(request)
            return "412 Precondition Failed"

    gate.before = refuse
    report = jobs.rekey("s3://lake/a", **TO_OTHER, ledger="s3://lake/ledger", attempts=3)
    [record] = report.failures
    assert record.error == "Conflict: others changed the object at each attempt"
    assert len(refused) == record.attempts == 3
    assert get(bucket, "a") == before and uploads(bucket) == []


@pytest.mark.parametrize("length, method", [(100, "put_object"), (6 * MIB, "complete_multipart_upload")])
def test_a_client_without_conditions(bucket, gate, tmp_path, monkeypatch, length, method):
    """An old botocore would drop the condition, so nothing is replaced."""
    put(bucket, "a", length)
    before = get(bucket, "a")
    fs = fsspec.filesystem("s3")
    fs.connect()
    # The model of this request has no condition.
    monkeypatch.setitem(fs.s3.meta.method_to_api_mapping, method, "AbortMultipartUpload")
    report = jobs.rekey("s3://lake/a", **TO_OTHER, ledger=str(tmp_path), attempts=1)
    assert "has no conditional writes" in report.records[0].error
    assert get(bucket, "a") == before and uploads(bucket) == []
