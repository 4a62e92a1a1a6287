"""What the tests of the command line share: the programs, a database that one of them has filled, and ways to run it."""
import atexit
import fcntl
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

TALEA, VISITS, LEDGER = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:4])
VISITS_COUNT = 500

ENVIRONMENT = {key: value for key, value in os.environ.items() if key not in ("TALEA_DB", "NO_COLOR")}
ENVIRONMENT |= {"LC_ALL": "C", "PATH": f"{pathlib.Path(TALEA).parent}:{os.environ['PATH']}"}


def catches_interrupts(process):
    """Whether the process with this number hears SIGINT by now."""
    with open(f"/proc/{process}/status") as status:
        caught = re.search(r"SigCgt:\s*([0-9a-f]+)", status.read())
    return bool(caught and int(caught[1], 16) >> (signal.SIGINT - 1) & 1)


PREPARED = tempfile.TemporaryDirectory()
atexit.register(PREPARED.cleanup)


def prepare(key, path, make):
    """The folder `path`, which is not there yet, as make() leaves it: made for the first who asks with this key, and
    copied for the others, as under a sanitizer most of the time of these tests is the start of processes."""
    prepared = pathlib.Path(PREPARED.name, key)
    if prepared.exists():
        shutil.copytree(prepared, path)
    else:
        make()
        shutil.copytree(path, prepared)


def without_rights_to_all_files(test):
    """What a command begins with to be refused files that it has no right to, even if root runs the tests."""
    if os.geteuid() != 0:
        return []
    before = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    if not shutil.which("setpriv") or subprocess.run([*before, "true"], capture_output=True).returncode != 0:
        test.skipTest("root can read all files, and cannot give that up here")
    return before


class CommandTest(unittest.TestCase):
    """Each test has an empty folder; fill() makes visits.db in it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def fill(self, count=VISITS_COUNT, name="visits.db"):
        """A database with this many visits; or, where there is one of that name, this many visits more."""
        def visit():
            subprocess.run([VISITS, f"rocksdb:{name}", str(count)], cwd=self.folder, check=True,
                           stdout=subprocess.DEVNULL)

        path = self.folder / name
        if path.exists():
            visit()
        else:
            prepare(f"{count} visits, {name}", path, visit)
        return f"rocksdb:{name}"

    def talea(self, *arguments, db=None, code=0, text=True, given=None, before=(), **environment):
        """Runs it as a user would, and checks the exit code. An error is told on standard error alone."""
        if db is not None:
            environment["TALEA_DB"] = db
        done = subprocess.run([*before, TALEA, *arguments], cwd=self.folder, env=ENVIRONMENT | environment, text=text,
                              stdin=subprocess.DEVNULL if given is None else None, input=given, capture_output=True)
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def on_terminal(self, *arguments, columns=60, **environment):
        """What the command writes to a terminal of that width."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        base = ENVIRONMENT | {"TERM": "xterm", "LC_ALL": "C.UTF-8"}
        with subprocess.Popen([TALEA, *arguments], cwd=self.folder, env=base | environment, stdin=theirs,
                              stdout=theirs, stderr=theirs) as process:
            os.close(theirs)
            shown = b""
            try:
                while part := os.read(ours, 65536):
                    shown += part
            except OSError:  # Linux's way to say that the other end is closed
                pass
            os.close(ours)
        self.assertEqual(process.returncode, 0, shown)
        return shown.decode().replace("\r\n", "\n")

    def interrupt(self, *arguments, db, signal_number=signal.SIGINT, after=0.0):
        """Sends the signal as soon as the command would hear it, or some seconds after that. Returns its exit code, and what
        it wrote to standard output and to standard error."""
        process = subprocess.Popen([TALEA, *arguments], cwd=self.folder, env=ENVIRONMENT | {"TALEA_DB": db},
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while process.poll() is None and not catches_interrupts(process.pid):
            time.sleep(0.0005)
        time.sleep(after)
        process.send_signal(signal_number)
        out, error = process.communicate(timeout=60)
        return process.returncode, out, error


class LayerTest(CommandTest):
    """Tests of the commands of one layer, on the database at `location`."""

    layer = None  # such as "chain"
    location = None

    def call(self, *arguments, code=0, db=None, given=None):
        """What the command writes; to standard error if it is to fail."""
        done = self.talea("--db", db or self.location, self.layer, *arguments, code=code, given=given)
        if code in (1, 2, 3) and not done.stdout:
            self.assertTrue(done.stderr.startswith(("talea: ", "{")), done.stderr)
            return done.stderr
        return done.stdout

    def asked(self, *arguments, **options):
        return json.loads(self.call(*arguments, "--json", **options))

    def interrupted(self, *arguments):
        """What the command says when it is interrupted as soon as it hears that."""
        code, out, error = self.interrupt(self.layer, *arguments, db=self.location)
        self.assertEqual((code, out), (130, ""), error)
        return error


def main():
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
