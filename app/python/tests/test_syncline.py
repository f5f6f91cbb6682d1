"""What the package answers, compared with what stands in the raw files; `SYNCLINE` names the program and
`SYNCLINE_TEST_CAPTURES` the folder of captures."""

from __future__ import annotations

import collections
import contextlib
import gzip
import importlib.util
import json
import os
import shutil
import sys
import tempfile
import types
import unittest
from pathlib import Path
from typing import Any, Iterator
from unittest import mock

import syncline
from syncline import _program, _tables

CAPTURES = Path(os.environ["SYNCLINE_TEST_CAPTURES"])
H100 = CAPTURES / "torch-h100.json.gz"
RANKS = [CAPTURES / f"torch-gloo-rank{rank}.json.gz" for rank in (0, 1)]
DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")


def raw(path: Path) -> Any:
    """The events of a file, as PyTorch wrote them."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)["traceEvents"]


def nanos(micros: Any) -> int:
    return round(float(micros) * 1000)


class FakeProfiler:
    """What a finished `torch.profiler.profile` is to the package."""

    def __init__(self, **options: Any) -> None:
        self.options = options
        self.is_finished = False

    def __enter__(self) -> FakeProfiler:
        return self

    def __exit__(self, *reason: Any) -> None:
        self.is_finished = True

    def export_chrome_trace(self, path: str) -> None:
        if not self.is_finished:
            raise RuntimeError("Profiler must be initialized before exporting chrome trace")
        with gzip.open(H100, "rb") as file:
            Path(path).write_bytes(file.read())


@contextlib.contextmanager
def torch_of_the_tests() -> Iterator[None]:
    """A `torch` whose profiler writes a capture of the tests."""
    torch, profiler = types.ModuleType("torch"), types.ModuleType("torch.profiler")
    torch.__spec__ = importlib.util.spec_from_loader("torch", None)
    profiler.profile = FakeProfiler  # type: ignore[attr-defined]
    with mock.patch.dict(sys.modules, {"torch": torch, "torch.profiler": profiler}):
        yield


class Answers(unittest.TestCase):
    def test_spans_are_those_of_the_file(self) -> None:
        device = [it for it in raw(H100) if it.get("cat") in DEVICE]
        expected = collections.Counter((it["name"], nanos(it["dur"])) for it in device)
        spans = syncline.spans(H100)
        found = [it for it in spans if it["lane"].startswith("stream ") and it["launch_id"] is not None]
        self.assertEqual(collections.Counter((it["name"], it["dur"]) for it in found), expected)
        self.assertEqual([it["id"] for it in spans], sorted(it["id"] for it in spans))
        calls = {it["id"]: it["name"] for it in spans}
        self.assertEqual({calls[it["launch_id"]][:4] for it in found}, {"cuda"})

    def test_idle_time_and_busy_time_of_a_stream_are_those_of_the_file(self) -> None:
        busy: dict[int, int] = collections.Counter()
        for it in raw(H100):
            if it.get("cat") in DEVICE:
                busy[it["args"]["stream"]] += nanos(it["dur"])
        found = {it["stream"]: it["busy_ns"] for it in syncline.idle(H100) if it["type"] == "idle"}
        self.assertEqual(found, dict(busy))

    def test_the_parts_of_a_wait_and_of_the_critical_path_add_up(self) -> None:
        every = [it for it in syncline.explain(H100) if it["type"] == "op"]
        self.assertGreater(len(every), 10)
        for it in every:
            parts = sum(part["to_ns"] - part["from_ns"] for part in it["split"])
            self.assertEqual(parts, it["start_ns"] - it["enqueued_ns"])
        (one,) = syncline.explain(H100, span=every[0]["span"])
        self.assertEqual(one["text"], every[0]["text"])
        path = syncline.critical_path(H100)
        (makespan,) = [it["ns"] for it in path if it["type"] == "makespan"]
        self.assertEqual(sum(it["to_ns"] - it["from_ns"] for it in path if it["type"] == "path"), makespan)

    def test_findings_and_dependencies_name_spans(self) -> None:
        known = {it["id"] for it in syncline.spans(H100)}
        findings = syncline.findings(H100)
        self.assertIn("host-bound", [it["code"] for it in findings])
        self.assertLessEqual({span for it in findings for span in it["spans"]}, known)
        ends = [(it["cause_id"], it["effect_id"]) for it in syncline.dependencies(H100)]
        self.assertLessEqual({span for end in ends for span in end}, known)

    def test_several_files_are_the_ranks_of_one_capture(self) -> None:
        ranks = {it["rank"] for it in syncline.spans(RANKS)}
        self.assertEqual(ranks, {0, 1})
        self.assertEqual({it["rank"] for it in syncline.idle(RANKS, rank=1) if "lane" in it}, {1})

    def test_questions_in_sql(self) -> None:
        rows = syncline.query(H100, "-- how many\nSELECT count(*) AS n, max(dur) AS longest FROM spans WHERE kind = 'kernel'")
        kernels = [it for it in raw(H100) if it.get("cat") == "kernel"]
        self.assertEqual(rows, [{"n": len(kernels), "longest": max(nanos(it["dur"]) for it in kernels)}])
        every = syncline.query(H100, "longest-launch-latency")
        self.assertGreater(len(every), 0)
        waits = syncline.query(H100, "longest-waits", parameters={"least_ns": 10**12})
        self.assertEqual(waits, [])
        long = "SELECT 1 AS one -- " + "x" * 200_000
        self.assertEqual(syncline.query(H100, long), [{"one": 1}])

    def test_what_a_limit_cut_off_is_told(self) -> None:
        with self.assertWarns(syncline.CutOffWarning) as told:
            rows = syncline.spans(H100, max_rows=3)
        self.assertEqual(len(rows), 3)
        self.assertIn("only the first 3 rows", str(told.warning))
        self.assertEqual(Path(told.filename).name, Path(__file__).name)

    def test_what_is_wrong_is_the_programs_own_sentence(self) -> None:
        with self.assertRaisesRegex(syncline.SynclineError, "^there is no file /no/such.json; check the path$") as wrong:
            syncline.idle("/no/such.json")
        self.assertEqual(wrong.exception.code, 2)
        with self.assertRaisesRegex(syncline.SynclineError, "no span has the number 99999999"):
            syncline.explain(H100, span=99_999_999)
        with self.assertRaisesRegex(syncline.SynclineError, "line 1, character 1: “SELEC”"):
            syncline.query(H100, "SELEC 1")
        with self.assertRaisesRegex(syncline.SynclineError, "there is no question"):
            syncline.query(H100, "")
        with self.assertRaisesRegex(ValueError, "there is no capture"):
            syncline.spans([])
        for wrong in (None, 42):
            with self.assertRaisesRegex(TypeError, "a capture is a path or several of them, not"):
                syncline.idle(wrong)  # type: ignore[arg-type]

    def test_a_name_is_no_option_and_no_standard_input(self) -> None:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for name in ("-", "--all"):
                shutil.copyfile(H100, name)
                self.assertEqual(len(syncline.findings(name)), len(syncline.findings(H100)))

    def test_a_damaged_file_is_answered_with_a_warning(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            odd = Path(folder) / "odd.json"
            event = {"name": "a", "ts": 1, "dur": 2, "pid": 1, "tid": 1}
            odd.write_text(json.dumps({"traceEvents": [{"ph": "Q", **event}, {"ph": "X", **event}]}))
            for question in (syncline.idle, syncline.findings, syncline.spans):
                with self.assertWarns(syncline.SynclineWarning) as told:
                    question(odd)
                self.assertRegex(str(told.warning), "is not in the (capture|answer)")


class Forms(unittest.TestCase):
    QUESTIONS = (
        syncline.explain, syncline.idle, syncline.critical_path, syncline.findings, syncline.spans, syncline.dependencies,
    )

    def check(self, form: Any, rows_of: Any) -> None:
        for question in self.QUESTIONS:
            expected, found = question(H100), rows_of(question(H100, as_=form))
            self.assertEqual(len(found), len(expected), question.__name__)
            for one, other in zip(found, expected):
                for name in ("name", "type", "span", "id", "dur", "launch_id", "cause_id", "code", "text"):
                    self.assertEqual(one.get(name), other.get(name), (question.__name__, name))

    @unittest.skipUnless(_tables.is_installed("pyarrow"), "pyarrow is not installed for this Python")
    def test_tables_of_arrow(self) -> None:
        self.check("arrow", lambda table: table.to_pylist())
        table = syncline.query(H100, "SELECT id, name, 0.5 AS half FROM spans", as_="arrow")
        self.assertEqual([str(it) for it in table.schema.types], ["int64", "string", "double"])

    @unittest.skipUnless(_tables.is_installed("pandas"), "pandas is not installed for this Python")
    def test_frames_of_pandas(self) -> None:
        import pandas

        def rows(frame: Any) -> Any:
            return [{k: None if v is pandas.NA else v for k, v in it.items()} for it in frame.to_dict("records")]

        self.check("pandas", rows)
        with mock.patch.object(syncline._answers, "is_installed", return_value=False):
            self.check("pandas", rows)
        self.assertEqual(str(syncline.spans(H100, as_="pandas").launch_id.dtype), "Int64")

    def test_a_form_that_cannot_be_had_is_a_reason(self) -> None:
        with self.assertRaisesRegex(ValueError, "as_='polars' is no form of rows"):
            syncline.spans(H100, as_="polars")  # type: ignore[call-overload]
        with mock.patch.object(_tables, "is_installed", return_value=False):
            with self.assertRaisesRegex(ImportError, "pip install pyarrow"):
                syncline.spans(H100, as_="arrow")


class Program(unittest.TestCase):
    def test_it_is_named_by_the_variable_or_found_on_the_path(self) -> None:
        program = os.environ["SYNCLINE"]
        self.assertEqual(syncline.find_program(), program)
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(program, Path(folder) / "syncline")
            with mock.patch.dict(os.environ, {"PATH": folder}), mock.patch.dict(os.environ):
                del os.environ["SYNCLINE"]
                self.assertEqual(syncline.find_program(), str(Path(folder) / "syncline"))

    def test_without_one_the_ways_to_get_it_are_named(self) -> None:
        with mock.patch.dict(os.environ, {"SYNCLINE": "/no/such"}):
            with self.assertRaisesRegex(syncline.ProgramMissingError, "SYNCLINE names /no/such, which is no program"):
                syncline.spans(H100)
        with tempfile.TemporaryDirectory() as folder:
            # The command of a wheel that carries no program would look for the program in turn, and so without end.
            own = Path(folder) / "syncline"
            own.write_text(f"#!{sys.executable}\nfrom syncline.__main__ import main\nmain()\n")
            own.chmod(0o755)
            with mock.patch.dict(os.environ, {"SYNCLINE": "", "PATH": folder}):
                with self.assertRaisesRegex(syncline.ProgramMissingError, "pip install .*cargo install"):
                    syncline.spans(H100)

    def test_a_version_is_that_of_the_program(self) -> None:
        self.assertEqual(_program.ask(["--version"]), f"syncline {syncline.__version__}\n")


class Profiles(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        patched = mock.patch.object(tempfile, "tempdir", folder.name)
        patched.start()
        self.addCleanup(patched.stop)
        self.folder = Path(folder.name)

    def test_a_block_is_recorded_and_its_file_goes_with_it(self) -> None:
        with torch_of_the_tests():
            with syncline.record(with_stack=True) as run:
                pass
            self.assertEqual(run.profiler.options, {"with_stack": True})
        self.assertEqual(len(syncline.spans(run)), len(syncline.spans(H100)))
        self.assertEqual(len(list(self.folder.iterdir())), 1)
        del run
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_what_a_block_raises_goes_on_and_its_file_is_kept(self) -> None:
        kept = self.folder / "kept.json"
        with torch_of_the_tests(), self.assertRaisesRegex(KeyError, "mine"):
            with syncline.record(kept):
                raise KeyError("mine")
        self.assertGreater(len(syncline.spans(kept)), 0)

    def test_a_block_that_cannot_be_recorded_says_so(self) -> None:
        with mock.patch.dict(sys.modules, {"torch": None}), mock.patch("importlib.util.find_spec", return_value=None):
            with self.assertRaisesRegex(syncline.SynclineError, "PyTorch's profiler alone.*`syncline record -o"):
                with syncline.record():
                    self.fail("it records nothing")
        with torch_of_the_tests(), mock.patch.dict(os.environ, {"CUDA_INJECTION64_PATH": "/a.so"}):
            with self.assertRaisesRegex(syncline.SynclineError, "recorded from outside already"):
                with syncline.record():
                    self.fail("it records nothing")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_window_that_cannot_be_opened_is_a_reason_and_leaves_nothing(self) -> None:
        profiler = FakeProfiler()
        with self.assertRaisesRegex(syncline.SynclineError, "initialized before.*behind its `with` block"):
            syncline.show(profiler)
        profiler.is_finished = True
        with mock.patch.dict(os.environ, {"DISPLAY": "", "WAYLAND_DISPLAY": ""}):
            with self.assertRaisesRegex(syncline.SynclineError, "^the window cannot be opened: neither DISPLAY"):
                syncline.show(profiler, wait=True)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_report_is_shown_inline(self) -> None:
        magics = {}

        class Shell:
            user_ns = {"prof": FakeProfiler()}

            def register_magic_function(self, function: Any, kind: str, name: str) -> None:
                magics[kind, name] = function

        syncline.load_ipython_extension(Shell())
        Shell.user_ns["prof"].is_finished = True
        magic = magics["line", "syncline"]
        with self.assertRaisesRegex(syncline.SynclineError, "name a capture"):
            magic("")
        try:
            reports = [magic("prof"), magic(f"'{H100}'")]
        except syncline.SynclineError as error:
            # A program that is older than this package.
            self.assertRegex(str(error), "writes no reports")
            self.skipTest("this program writes no reports")
        for it in reports:
            self.assertIn("<html", it.html)
            self.assertRegex(it._repr_html_(), '^<iframe title="Syncline report" sandbox=')
            self.assertNotIn("<html", it._repr_html_())
        self.assertEqual(list(self.folder.iterdir()), [])
        # A page is written over no capture, and under no name that says that it is something else.
        capture = self.folder / "own.html"
        shutil.copy(H100, capture)
        own = syncline.report(capture)
        with self.assertRaisesRegex(syncline.SynclineError, "is no page"):
            own.save(capture)
        with self.assertRaisesRegex(syncline.SynclineError, "no name of a page"):
            own.save(self.folder / "own.md")
        for _ in range(2):
            own.save(self.folder / "page.html")
        self.assertIn("<html", (self.folder / "page.html").read_text(encoding="utf-8"))
        self.assertEqual(capture.read_bytes(), H100.read_bytes())


if __name__ == "__main__":
    unittest.main()
