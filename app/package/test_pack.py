"""Packages have the shape that pip and dpkg expect, whatever program they are made of: here the system's shell."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
SHELL = Path("/bin/sh").resolve()


def pack(kind: str, data: Path, out: Path, program: Path = SHELL) -> Path:
    command = [sys.executable, FOLDER / "pack.py", kind, "--program", program, "--recorder", SHELL]
    done = subprocess.run([*command, "--data", data, "--out", out], capture_output=True, encoding="utf-8")
    if done.returncode:
        raise RuntimeError(done.stderr)
    return Path(done.stdout.strip())


class Packages(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name) / "out"
        # What the program writes, where the tests say where it did.
        self.data = Path(os.environ.get("SYNCLINE_DATA_FILES", Path(folder.name) / "data"))
        if not self.data.exists():
            (self.data / "man/man1").mkdir(parents=True)
            (self.data / "man/man1/syncline.1").write_text("a page")
            (self.data / "zsh/site-functions").mkdir(parents=True)
            (self.data / "zsh/site-functions/_syncline").write_text("completions")

    def test_a_wheel_lists_all_that_is_in_it(self) -> None:
        path = pack("wheel", self.data, self.out)
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            (record,) = [it for it in names if it.endswith(".dist-info/RECORD")]
            rows = list(csv.reader(io.StringIO(archive.read(record).decode())))
            self.assertEqual(sorted(row[0] for row in rows), sorted(names))
            for name, digest, size in (row for row in rows if row[0] != record):
                bytes_ = archive.read(name)
                found = base64.urlsafe_b64encode(hashlib.sha256(bytes_).digest()).decode().rstrip("=")
                self.assertEqual((digest, int(size)), (f"sha256={found}", len(bytes_)), name)
            programs = [it.filename for it in archive.infolist() if it.external_attr >> 16 & 0o111]
            self.assertEqual(programs, ["syncline/program/syncline"])
            self.assertEqual(archive.read("syncline/program/syncline"), SHELL.read_bytes())
            self.assertIn("syncline/py.typed", names)
            own = [it for it in self.data.rglob("*") if it.is_file()]
            for it in own:
                (place,) = [name for name in names if name.endswith(f".data/data/share/{it.relative_to(self.data)}")]
                self.assertEqual(archive.read(place), it.read_bytes())
            wheel = archive.read(record.replace("RECORD", "WHEEL")).decode()
            self.assertIn(f"Tag: {path.stem.split('-', 2)[2]}\n", wheel)
            metadata = archive.read(record.replace("RECORD", "METADATA")).decode()
            self.assertRegex(metadata, r"(?m)^Name: syncline$")

    @unittest.skipUnless(shutil.which("objdump"), "there is no objdump to read versions of symbols with")
    def test_the_tag_of_a_wheel_is_what_its_program_needs(self) -> None:
        path = pack("wheel", self.data, self.out)
        symbols = subprocess.run(["objdump", "-T", SHELL], capture_output=True, encoding="utf-8", check=True).stdout
        needed = max((int(it) for it in re.findall(r"GLIBC_2\.(\d+)", symbols)), default=17)
        self.assertIn(f"-manylinux_2_{max(needed, 17)}_{os.uname().machine}.whl", path.name)

    def test_a_wheel_is_installed_and_starts_its_program(self) -> None:
        path = pack("wheel", self.data, self.out)
        target = self.out / "installed"
        command = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", target, path]
        installed = subprocess.run(command, capture_output=True, encoding="utf-8")
        if "No module named pip" in installed.stderr:
            self.skipTest("this Python has no pip")
        self.assertEqual(installed.returncode, 0, installed.stderr)
        environment = {**os.environ, "PYTHONPATH": str(target), "PATH": ""}
        environment.pop("SYNCLINE", None)
        # What is packed is a shell, and does what a shell does.
        for command in ([sys.executable, "-m", "syncline"], [sys.executable, target / "bin/syncline"]):
            said = subprocess.run([*command, "-c", "echo $((6 * 7))"], capture_output=True, encoding="utf-8", env=environment)
            self.assertEqual((said.stdout, said.returncode), ("42\n", 0), said.stderr)
        self.assertTrue((target / "share/man/man1/syncline.1").is_file())

    @unittest.skipUnless(shutil.which("dpkg-deb"), "there is no dpkg-deb to read packages with")
    def test_a_package_of_debian_is_read_by_its_tools(self) -> None:
        path = pack("deb", self.data, self.out)
        ask = lambda *words: subprocess.run(["dpkg-deb", *words], capture_output=True, encoding="utf-8", check=True).stdout
        depends = ask("--field", path, "Depends")
        self.assertRegex(depends, r"^libc6 \(>= 2\.\d+\)")
        recommends = ask("--field", path, "Recommends")
        for package in ("libx11-6", "libwayland-client0", "libvulkan1", "mesa-vulkan-drivers"):
            self.assertIn(package, recommends)
        listed = ask("--contents", path)
        self.assertRegex(listed, r"(?m)^-rwxr-xr-x root/root .* \./usr/bin/syncline$")
        for place in (
            "usr/lib/syncline/libcuda_recorder.so",
            "usr/share/man/man1/syncline.1.gz",
            "usr/share/zsh/vendor-completions/_syncline",
            "usr/share/doc/syncline/copyright",
        ):
            self.assertIn(f" ./{place}\n", listed)
        target = self.out / "root"
        ask("--extract", path, target)
        self.assertEqual((target / "usr/bin/syncline").read_bytes(), SHELL.read_bytes())
        ask("--control", path, self.out / "control")
        sums = subprocess.run(
            ["md5sum", "--check", "--quiet", self.out / "control/md5sums"], cwd=target, capture_output=True, encoding="utf-8"
        )
        self.assertEqual(sums.returncode, 0, sums.stdout + sums.stderr)

    def test_the_same_contents_make_the_same_package(self) -> None:
        for kind in ("wheel", "deb"):
            first, second = (pack(kind, self.data, self.out / name).read_bytes() for name in ("first", "second"))
            self.assertEqual(first, second, kind)

    def test_what_cannot_be_packed_is_a_reason(self) -> None:
        with self.assertRaisesRegex(RuntimeError, "is no program of 64 bits for Linux"):
            pack("deb", self.data, self.out, program=FOLDER / "pack.py")
        with self.assertRaisesRegex(RuntimeError, "there is nothing in .*absent"):
            pack("wheel", self.data / "absent", self.out)


if __name__ == "__main__":
    unittest.main()
