"""What the tests that kill workers share."""

import collections

import pytest

import servers
from keys import IDENTITY, OTHER
from sealane import age, jobs

TO_OTHER = {"identities": "env:SEALANE_TEST_KEY", "recipients": str(OTHER.recipient)}
DATA = bytes(range(256)) * (6 << 12)  # 6 MiB


class Killer:
    """Kills the sender of a matching request, once before and once after it takes effect."""

    def __init__(self, gate, before, after):
        self._before, self._after = before, after
        self.killed = {}
        gate.before, gate.after = self._at(before), self._at(after)

    def _at(self, pattern):
        def kill(request):
            if pattern not in self.killed and servers.matches(pattern)(request):
                self.killed[pattern] = servers.kill_client(request)

        return kill


def fill(bucket, count):
    for index in range(count):
        bucket.put_object(Bucket="lake", Key=f"data/{index}", Body=age.encrypt(DATA, IDENTITY.recipient))


def killed_and_checked(bucket, gate, count, **runner):
    """Re-keys objects while two workers are killed, and compares the ledger with the objects."""
    # One worker dies before its object is replaced, and one after that but before it writes its
    # record.
    killer = Killer(gate, r"^POST /lake/data/1[?]uploadId=", r"^POST /lake/data/2[?]uploadId=")
    call = {**TO_OTHER, "ledger": "s3://lake/ledger"}
    report = jobs.rekey("s3://lake/data", **call, **runner).check()
    assert len(set(killer.killed.values())) == 2
    gate.before = gate.after = lambda request: None
    assert report.count("done") == count
    objects = {
        key: bucket.get_object(Bucket="lake", Key=key)["Body"].read() for key in (f"data/{i}" for i in range(count))
    }
    for data in objects.values():
        assert age.decrypt(data, OTHER) == DATA
        with pytest.raises(age.NoMatchError):
            age.decrypt(data, IDENTITY)
    # The killed attempts left nothing behind, and no object was replaced twice.
    assert bucket.list_multipart_uploads(Bucket="lake").get("Uploads", []) == []
    keys = [entry["Key"] for entry in bucket.list_objects_v2(Bucket="lake")["Contents"]]
    assert collections.Counter(key.split("/")[0:2][-1] for key in keys)["records"] == count
    assert not [key for key in keys if "intents" in key]
    done = [
        r for r in gate.requests if servers.matches(r"^POST /lake/data/\d+[?]uploadId=")(r) and r.status[:3] == "200"
    ]
    assert len(done) == count
    # The ledger agrees with the objects: there is nothing left to do.
    gate.requests.clear()
    again = jobs.rekey("s3://lake/data", **call).check()
    assert again.count("unchanged") == count
    assert not [r for r in gate.requests if r.method not in ("GET", "HEAD")]
