"""What the comparison with real applications reads, on texts that they printed."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from real_applications import fdatasync_rate, histogram, percentile

# etcd 3.4.23, cut.
METRICS = """# HELP etcd_disk_wal_fsync_duration_seconds Latencies of fsync called by WAL.
# TYPE etcd_disk_wal_fsync_duration_seconds histogram
etcd_disk_wal_fsync_duration_seconds_bucket{le="0.001"} 10
etcd_disk_wal_fsync_duration_seconds_bucket{le="0.002"} 90
etcd_disk_wal_fsync_duration_seconds_bucket{le="0.004"} 100
etcd_disk_wal_fsync_duration_seconds_bucket{le="+Inf"} 100
etcd_disk_wal_fsync_duration_seconds_sum 0.17
etcd_disk_wal_fsync_duration_seconds_count 100
"""
# PostgreSQL 15, cut.
PG_TEST_FSYNC = """1 second per test
O_DIRECT supported on this platform for open_datasync and open_sync.

Compare file sync methods using one 8kB write:
(in wal_sync_method preference order, except fdatasync is Linux's default)
        open_datasync                      1301.112 ops/sec     769 usecs/op
        fdatasync                          1224.444 ops/sec     817 usecs/op
        fsync                               611.002 ops/sec    1637 usecs/op

Compare file sync methods using two 8kB writes:
(in wal_sync_method preference order, except fdatasync is Linux's default)
        fdatasync                           900.000 ops/sec    1111 usecs/op
"""


def test_a_quantile_is_the_one_of_prometheus_with_its_bucket():
    found = histogram(METRICS, "etcd_disk_wal_fsync_duration_seconds")
    assert found.counts == [10, 80, 10, 0] and found.total == 100
    value, low, high = found.quantile(0.5)
    assert (low, high) == (0.001, 0.002) and value == pytest.approx(0.0015)
    earlier = histogram(METRICS.replace(" 90", " 10"), "etcd_disk_wal_fsync_duration_seconds")
    assert found.since(earlier).counts == [0, 80, -80, 0]


def test_beyond_the_last_bucket_only_its_start_is_known():
    late = METRICS.replace('"+Inf"} 100', '"+Inf"} 200')
    found = histogram(late, "etcd_disk_wal_fsync_duration_seconds")
    assert found.quantile(0.99) == (0.004, 0.004, float("inf"))


def test_the_rate_is_that_of_one_write_and_fdatasync():
    assert fdatasync_rate(PG_TEST_FSYNC) == 1224.444


def test_a_percentile_is_a_value_that_was_seen():
    assert percentile([3.0, 1.0, 2.0], 0.99) == 3.0
    assert percentile([1.0] * 99 + [9.0], 0.99) == 1.0
