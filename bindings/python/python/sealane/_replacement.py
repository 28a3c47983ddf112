"""Files that replace others as a whole, and keep their permissions."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from typing import BinaryIO

#: The attribute that holds a POSIX access list, as acl(5) describes it.
_ACCESS_LIST = "system.posix_acl_access"
#: Errors with which the system reports that a file has no access list.
_NO_LIST = (errno.ENODATA, errno.EOPNOTSUPP)
#: A temporary name has at most this many bytes of the file's name. It adds 22, and most filesystems
#: allow 255.
_MAX_NAME_BYTES = 255 - 22


def _sync_folder(folder: str) -> None:
    """Syncs a folder's entries to disk, if its filesystem and permissions allow that."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)


def _keep_access_list(descriptor: int, path: str, keep: bool) -> bool:
    """Gives a file the access list of the file at ``path``, in place of one from its folder.

    Without ``keep``, or if the list cannot be copied, the file has no list. Returns whether it has
    exactly that of the file at ``path``.
    """
    if not hasattr(os, "getxattr"):
        # Access lists of other systems are not supported.
        return True
    old: bytes | None = None
    is_known = True
    try:
        old = os.getxattr(path, _ACCESS_LIST)
    except OSError as error:
        # With another error, there may be a list that cannot be read.
        is_known = error.errno in _NO_LIST
    if old is not None and keep:
        with contextlib.suppress(OSError):
            os.setxattr(descriptor, _ACCESS_LIST, old)
            return True
    try:
        os.removexattr(descriptor, _ACCESS_LIST)
    except OSError as error:
        if error.errno not in _NO_LIST:
            raise
    return old is None and is_known


def _keep_permissions(descriptor: int, path: str, old: os.stat_result) -> None:
    """Gives a file the owner, group, mode and access list of the file at ``path``.

    If the group or the list cannot be kept, the users that they named are among all others. So the
    group gets no rights then, and the others keep only those that no list could deny, or that the
    group had too.
    """
    new = os.fstat(descriptor)
    if new.st_uid != old.st_uid:
        # Only root can do this. Any other user becomes the owner.
        with contextlib.suppress(OSError):
            os.fchown(descriptor, old.st_uid, -1)
    keeps_group = new.st_gid == old.st_gid
    if not keeps_group:
        with contextlib.suppress(OSError):
            os.fchown(descriptor, -1, old.st_gid)
            keeps_group = True
    # Before the mode: with a list, the group bits of the mode are the maximum that it allows.
    keeps_list = _keep_access_list(descriptor, path, keeps_group)
    rights = 0o777
    if not keeps_list:
        rights = 0o700
    elif not keeps_group:
        rights = 0o700 | (old.st_mode & 0o070) >> 3
    mode = old.st_mode & rights
    # On some file systems, all files have the same mode, which nobody can set.
    if stat.S_IMODE(os.fstat(descriptor).st_mode) != mode:
        os.fchmod(descriptor, mode)


def other_links(found: os.stat_result) -> str | None:
    """Returns why a file must not get another header, if other hard links would keep the old one."""
    if found.st_nlink <= 1:
        return None
    return f"the file has {found.st_nlink} hard links, and the others would keep the old header"


def temporary_prefix(name: str) -> str:
    """Returns how the names of temporary files for the file ``name`` begin."""
    while len(os.fsencode(name)) > _MAX_NAME_BYTES:
        name = name[:-1]
    return f".{name}."


def temporary_name(name: str) -> str:
    """Returns the name of a new temporary file for the file ``name``."""
    return f"{temporary_prefix(name)}{secrets.token_hex(8)}.tmp"


@contextlib.contextmanager
def replacement(
    target: str | os.PathLike[str], check: Callable[[os.stat_result], None] | None = None
) -> Iterator[io.FileIO | None]:
    """Yields a temporary file, which replaces ``target`` if the block succeeds.

    If ``target`` is a symbolic link, the file that it points to is replaced, not the link. Devices
    and pipes cannot be replaced: for them, this yields ``None``. ``check`` is called right before
    the replacement, with the final state of the temporary file. If it raises, ``target`` stays as
    it was. Raises ``OSError`` if others have removed the temporary file: a file that was created
    anew under its name might have other permissions.
    """
    target = os.fspath(target)
    real = os.path.realpath(target)
    old: os.stat_result | None = None
    with contextlib.suppress(FileNotFoundError):
        old = os.stat(target)
    # A link in /proc to a pipe, or to a file that was deleted, resolves to no existing path.
    if old and not (stat.S_ISREG(old.st_mode) and os.path.exists(real) and os.path.samefile(target, real)):
        yield None
        return
    folder, name = os.path.split(real)
    temporary = os.path.join(folder, temporary_name(name))
    # A file that replaces another is its owner's alone until it has the permissions of the other.
    mode = 0o666 if old is None else 0o600
    file = open(temporary, "xb", buffering=0, opener=lambda path, flags: os.open(path, flags, mode))
    try:
        with file:
            yield file
            if old is not None:
                _keep_permissions(file.fileno(), real, old)
            # Syncs before renaming, so that after a crash the name has the old contents or the new.
            os.fsync(file.fileno())
            new = os.fstat(file.fileno())
        if check is not None:
            check(new)
        try:
            if not os.path.samestat(os.lstat(temporary), new):
                raise FileNotFoundError
            os.replace(temporary, real)
        except FileNotFoundError:
            raise OSError(f"others have removed the temporary file {temporary!r}") from None
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    _sync_folder(folder)


@contextlib.contextmanager
def replaced_file(target: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Yields a file for the new contents of ``target``."""
    with replacement(target) as new:
        with open(target, "wb") if new is None else open(new.fileno(), "wb", closefd=False) as file:
            yield file
