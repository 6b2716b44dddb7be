"""What every stream of a space must be, and what to say of one that is not (pure).

A *policy* is a stream's configuration as JetStream's API writes it. Durations are nanoseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eunoe.schemas import limits, subjects

_DEDUPE = limits.DEDUPE_SECONDS * limits.NANOSECONDS

Policy = dict[str, Any]


def log(space: str, replicas: int = 1) -> Policy:
    return _stream(subjects.log_stream(space), subjects.log_subjects(space), replicas)


def jobs(space: str, replicas: int = 1) -> Policy:
    """A work queue: an acknowledged job is deleted, so acknowledgements last. Of one subject only the newest job
    waits: it stands for those before it."""
    return _stream(
        subjects.jobs_stream(space),
        [subjects.jobs_filter(space)],
        replicas,
        retention="workqueue",
        allow_direct=False,
        max_msgs_per_subject=1,
    )


def dead(space: str, replicas: int = 1) -> Policy:
    return _stream(subjects.dead_stream(space), [subjects.dead(space, "*")], replicas)


def blobs(space: str, replicas: int = 1) -> Policy:
    """Pieces under their digests: the same piece again replaces itself."""
    return _stream(subjects.blobs_stream(space), [subjects.pieces_filter(space)], replicas, max_msgs_per_subject=1)


def bucket(space: str, scope: subjects.Bucket, replicas: int = 1, slot: int = 1, *, first: int = 1) -> Policy:
    """A KV bucket of one revision a key, which begins with sequence ``first``. Removing single messages is off: it
    can bring older values back."""
    name = subjects.bucket(space, scope, slot)
    return _stream(
        f"KV_{name}",
        [f"$KV.{name}.>"],
        replicas,
        max_msgs_per_subject=1,
        discard="new",
        deny_delete=True,
        deny_purge=True,
        compression="none",
        **({"first_seq": first} if first > 1 else {}),
    )


def kept(space: str, replicas: int = 1) -> list[Policy]:
    """The streams that are never replaced, the log first."""
    return [log(space, replicas), dead(space, replicas), blobs(space, replicas)]


def buckets(space: str, replicas: int = 1, slot: int = 1) -> list[Policy]:
    """The streams of the buckets in a slot."""
    return [bucket(space, scope, replicas, slot) for scope in subjects.BUCKETS]


def of_space(space: str, replicas: int = 1, slot: int = 1) -> list[Policy]:
    """Every stream that a space has whose buckets are in that slot, the log first."""
    return kept(space, replicas) + buckets(space, replicas, slot)


def _stream(name: str, filters: list[str], replicas: int, **differs: Any) -> Policy:
    policy: Policy = {
        "name": name,
        "subjects": filters,
        "retention": "limits",
        "storage": "file",
        "discard": "old",
        "max_consumers": -1,
        "max_msgs": -1,
        "max_bytes": -1,
        "max_age": 0,
        "max_msgs_per_subject": -1,
        "max_msg_size": -1,
        "num_replicas": replicas,
        "duplicate_window": _DEDUPE,
        "compression": "s2",
        "allow_direct": True,
        "allow_rollup_hdrs": False,
        "deny_delete": False,
        "deny_purge": False,
    }
    return policy | differs


def faults(wanted: Policy, found: Mapping[str, Any]) -> list[str]:
    """What is wrong with a stream that exists, each with the command that mends it; empty when nothing is."""
    name = wanted["name"]
    said = [_edit(name, what, flag) for what, flag in _editable(wanted, found)]
    return said + [_remake(name, what) for what in _fixed(wanted, found)]


def _editable(wanted: Policy, found: Mapping[str, Any]) -> list[tuple[str, str]]:
    faults = []
    if age := found.get("max_age", 0):
        faults.append((f"forgets messages after {age / limits.NANOSECONDS:g} s (max_age)", "--max-age=0s"))
    for limit, flag in (("max_msgs", "--max-msgs=-1"), ("max_bytes", "--max-bytes=-1")):
        if found.get(limit, -1) > 0:
            faults.append((f"keeps no more than {found[limit]} ({limit})", flag))
    if (each := _count(found.get("max_msgs_per_subject"))) != wanted["max_msgs_per_subject"]:
        right = wanted["max_msgs_per_subject"]
        faults.append((f"keeps {each} messages a subject, not {right}", f"--max-msgs-per-subject={right}"))
    if 0 < found.get("max_msg_size", -1) < limits.MAX_PAYLOAD:
        faults.append((f"refuses messages over {found['max_msg_size']} bytes", "--max-msg-size=-1"))
    if wanted["allow_direct"] and not found.get("allow_direct"):
        faults.append(("cannot be read with direct gets", "--allow-direct"))
    if sorted(found.get("subjects") or ()) != sorted(wanted["subjects"]):
        filters = ",".join(wanted["subjects"])
        faults.append((f"has the subjects {found.get('subjects')}", f"--subjects='{filters}'"))
    if found.get("duplicate_window", 0) < wanted["duplicate_window"]:
        faults.append(("forgets the ids of messages too soon", f"--dupe-window={limits.DEDUPE_SECONDS}s"))
    return faults


def _fixed(wanted: Policy, found: Mapping[str, Any]) -> list[str]:
    faults = []
    if found.get("storage") != "file":
        faults.append(f"is kept in {found.get('storage')} storage and ends with its server")
    if found.get("retention") != wanted["retention"]:
        faults.append(f"has {found.get('retention')} retention, not {wanted['retention']}")
    if found.get("allow_msg_ttl") or found.get("subject_delete_marker_ttl"):
        faults.append("lets single messages expire (allow_msg_ttl)")
    if found.get("persist_mode") == "async":
        faults.append("acknowledges messages before they are written (persist_mode async)")
    if found.get("mirror") or found.get("sources"):
        faults.append("is a copy of another stream")
    if found.get("sealed") and not wanted["deny_purge"]:
        faults.append("is sealed, so nothing can be written")  # a bucket is sealed while its successor is made
    if found.get("deny_delete") and not wanted["deny_delete"]:
        faults.append("does not let messages be erased (deny_delete)")
    return faults


def _count(value: int | None) -> int:
    return value if value and value > 0 else -1


def _edit(name: str, what: str, flag: str) -> str:
    return f"stream {name} {what}; mend it with `nats stream edit {name} {flag} --force`"


def _remake(name: str, what: str) -> str:
    return (
        f"stream {name} {what}, which cannot be changed; keep a copy with `nats stream backup {name} {name}.backup`, "
        f"remove it with `nats stream rm {name} --force`, and start again"
    )
