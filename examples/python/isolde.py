"""Check transaction histories with libisolde.so, using nothing but Python's standard library.

    import isolde

    history = isolde.parse([
        {"session": 1, "ops": [["r", "x", None], ["w", "x", 1]]},
        {"session": 2, "ops": [["r", "x", None], ["w", "x", 2]]},
    ])
    verdict = isolde.check(history, "snapshot-isolation")
    print(verdict.outcome)            # violated
    print(verdict.anomalies[0].text)  # what happened, in words

Copy this file into your project. It looks for the library where the loader does; set ISOLDE_LIBRARY to its path if it is
elsewhere. The transactions are objects of the native format (docs/formats.md).
"""

import ctypes
import ctypes.util
import json
import os
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Optional, Union


class Error(Exception):
    """A history that cannot be read, or a level or method that does not exist."""


_PROGRESS = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64, ctypes.c_uint64)


class _Options(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("method", ctypes.c_char_p),
        ("use", ctypes.c_char_p),
        ("ignore", ctypes.c_char_p),
        ("timeout_seconds", ctypes.c_double),
        ("max_anomalies", ctypes.c_size_t),
        ("threads", ctypes.c_uint),
        ("order_by_commit_ts", ctypes.c_int),
        ("prove", ctypes.c_int),
        ("strongest", ctypes.c_int),
        ("progress", _PROGRESS),
        ("progress_data", ctypes.c_void_p),
        ("cancel", ctypes.c_void_p),
    ]


def _load_library() -> ctypes.CDLL:
    path = os.environ.get("ISOLDE_LIBRARY") or ctypes.util.find_library("isolde") or "libisolde.so.1"
    library = ctypes.CDLL(path)
    names = ctypes.POINTER(ctypes.c_char_p)
    handle, text, error = ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p)
    for name, result, *arguments in [
        ("isolde_version", text),
        ("isolde_level_names", names),
        ("isolde_method_names", names),
        ("isolde_format_names", names),
        ("isolde_load", handle, text, text, error),
        ("isolde_parse", handle, text, ctypes.c_size_t, text, error),
        ("isolde_history_transactions", ctypes.c_uint64, handle),
        ("isolde_history_operations", ctypes.c_uint64, handle),
        ("isolde_history_notes", names, handle),
        ("isolde_history_free", None, handle),
        ("isolde_options_init", None, ctypes.POINTER(_Options)),
        ("isolde_options_size", ctypes.c_size_t),
        ("isolde_check", handle, handle, text, ctypes.POINTER(_Options), error),
        ("isolde_verdict_json", text, handle),
        ("isolde_verdict_anomalies_kept", ctypes.c_size_t, handle),
        ("isolde_verdict_anomaly_name", text, handle, ctypes.c_size_t),
        ("isolde_verdict_anomaly_text", text, handle, ctypes.c_size_t),
        ("isolde_verdict_free", None, handle),
        ("isolde_free", None, handle),
    ]:
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    if library.isolde_options_size() != ctypes.sizeof(_Options):
        raise ImportError(f"{path} has other options than this module: take the module of its version")
    return library


_library = _load_library()


def _texts(names) -> list[str]:
    out = []
    while names[len(out)] is not None:
        out.append(names[len(out)].decode())
    return out


def _given(text: Optional[str]) -> Optional[bytes]:
    return None if text is None else text.encode()


def _called(function, *arguments) -> int:
    """What a function returns that reports errors; raises Error if it fails."""
    message = ctypes.c_void_p()
    result = function(*arguments, ctypes.byref(message))
    if result:
        return result
    text = ctypes.string_at(message).decode() if message else "out of memory"
    _library.isolde_free(message)
    raise Error(text)


class History:
    """A history; made by load() or parse()."""

    def __init__(self, handle: int):
        self._handle = handle

    def __del__(self):
        _library.isolde_history_free(self._handle)

    @property
    def transactions(self) -> int:
        return _library.isolde_history_transactions(self._handle)

    @property
    def operations(self) -> int:
        return _library.isolde_history_operations(self._handle)

    @property
    def notes(self) -> list[str]:
        """What a person should know about how it was read."""
        return _texts(_library.isolde_history_notes(self._handle))


@dataclass(frozen=True)
class Anomaly:
    name: str
    text: str


@dataclass(frozen=True)
class Verdict:
    outcome: str  # "satisfied", "violated" or "undecided"
    level: str
    method: str
    reason: str  # why it is undecided
    anomalies: list[Anomaly]  # those that are kept with their details
    report: dict[str, Any]  # everything, as `isolde check --json` prints it


def version() -> str:
    return _library.isolde_version().decode()


def levels() -> list[str]:
    return _texts(_library.isolde_level_names())


def methods() -> list[str]:
    return _texts(_library.isolde_method_names())


def formats() -> list[str]:
    return _texts(_library.isolde_format_names())


def load(path: Union[str, os.PathLike], format: Optional[str] = None) -> History:
    """Reads a file or folder; its format is recognised unless it is given."""
    return History(_called(_library.isolde_load, os.fspath(path).encode(), _given(format)))


def parse(history: Union[str, bytes, Iterable[dict]], format: Optional[str] = None) -> History:
    """Reads the content of a file, or transactions as objects of the native format."""
    if not isinstance(history, (str, bytes)):
        history = "".join(json.dumps(transaction) + "\n" for transaction in history)
        format = format or "native"
    content = history.encode() if isinstance(history, str) else history
    return History(_called(_library.isolde_parse, content, len(content), _given(format)))


def check(
    history: History,
    level: str,
    *,
    method: Optional[str] = None,
    use: Optional[str] = None,
    ignore: Optional[str] = None,
    timeout: float = 0,
    max_anomalies: int = 1000,
    threads: int = 1,
    order_by_commit_ts: bool = False,
    prove: bool = False,
    strongest: bool = False,
    progress: Optional[Callable[[str, int, int], None]] = None,
) -> Verdict:
    """Checks a history against a level, such as "snapshot-isolation"; `timeout` is in seconds, 0: none.

    `progress` is called with the name of the stage, how much is done, and of how much (0: not known).
    """
    options = _Options()
    _library.isolde_options_init(ctypes.byref(options))
    options.size = min(options.size, ctypes.sizeof(_Options))
    options.method, options.use, options.ignore = _given(method), _given(use), _given(ignore)
    options.timeout_seconds = timeout
    options.max_anomalies = max_anomalies
    options.threads = threads
    options.order_by_commit_ts = order_by_commit_ts
    options.prove = prove
    options.strongest = strongest
    if progress is not None:
        options.progress = _PROGRESS(lambda _, stage, done, total: progress(stage.decode(), done, total))
    handle = _called(_library.isolde_check, history._handle, level.encode(), ctypes.byref(options))
    try:
        report = json.loads(_library.isolde_verdict_json(handle))
        anomalies = [
            Anomaly(
                _library.isolde_verdict_anomaly_name(handle, i).decode(),
                _library.isolde_verdict_anomaly_text(handle, i).decode(),
            )
            for i in range(_library.isolde_verdict_anomalies_kept(handle))
        ]
        return Verdict(
            outcome=report["verdict"],
            level=report["level"],
            method=report["method"],
            reason=report.get("reason", ""),
            anomalies=anomalies,
            report=report,
        )
    finally:
        _library.isolde_verdict_free(handle)
