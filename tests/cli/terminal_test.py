#!/usr/bin/env python3
"""Runs `talea` on a terminal, and at a shell's prompt.

    terminal_test.py TALEA VISITS LEDGER [TEST..]
"""
import shutil
import subprocess

import harness
from harness import TALEA


class Terminal(harness.CommandTest):
    show = harness.CommandTest.on_terminal

    def test_gets_blocks_and_colors_in_its_width(self):
        shown = self.show("stats", "--db", self.fill())
        self.assertRegex(shown, r"(?m)^log +\x1b\[36m█{30,}\x1b\[0m  500$")
        plain = self.show("stats", "--db", "rocksdb:visits.db", "--no-color", columns=40)
        self.assertRegex(plain, r"(?m)^log +█{17}  500$")
        self.assertLessEqual(max(len(line) for line in plain.split("Engine")[0].splitlines()), 40)

    def test_gets_a_bar_while_a_file_is_loaded(self):
        lines = "".join(f"{line},{line % 97}\n" for line in range(60_000))
        (self.folder / "large.csv").write_text("id,age\n" + lines)
        location = self.fill(1)
        self.talea("index", "create", "ages", db=location)
        shown = self.show("index", "load", "ages", "large.csv", "--value", "age", "--document", "id", "--db", location,
                          columns=80)
        self.assertRegex(shown, r"\rload: \[[#.]{24}\] \d+ %, .* bytes/s, \d+:\d\d left")
        self.assertRegex(shown, r'\nRead 60,000 lines of file "large.csv": 60,000 entries added\.\n$')

    def test_gets_no_color_where_that_is_said(self):
        location = self.fill()
        for arguments, environment in (([], {"NO_COLOR": "1"}), ([], {"TERM": "dumb"}), (["--no-color"], {})):
            shown = self.show("stats", "--db", location, *arguments, **environment)
            self.assertNotIn("\x1b", shown)
            self.assertIn("█", shown)

    def test_gets_ascii_where_the_locale_has_no_more(self):
        shown = self.show("stats", "--db", self.fill(), LC_ALL="C")
        self.assertIn("####", shown)
        self.assertTrue(shown.isascii())


class Completion(harness.CommandTest):
    def complete(self, *words):
        """What bash offers for the last of the words."""
        script = """
            source <("$1" shell-completion bash)
            COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2))
            _talea
            printf '%s\\n' "${COMPREPLY[@]}"
        """
        done = subprocess.run(["bash", "-c", script, "bash", TALEA, *words], cwd=self.folder, capture_output=True,
                              text=True, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_offers_commands_and_their_parts(self):
        self.assertEqual(self.complete("talea", "sta"), ["stats"])
        self.assertIn("verify", self.complete("talea", ""))
        self.assertEqual(self.complete("talea", "tenants", ""), ["list", "erase"])
        self.assertEqual(self.complete("talea", "index", "es"), ["estimate"])
        self.assertEqual(self.complete("talea", "shell-completion", ""), ["bash", "zsh", "fish"])
        self.assertEqual(self.complete("talea", "--db", "stats", "ver"), ["verify"])

    def test_offers_options_of_the_command_and_of_all(self):
        self.assertEqual(self.complete("talea", "scan", "log", "--re"), ["--reverse"])
        self.assertEqual(self.complete("talea", "--js"), ["--json"])
        self.assertEqual(self.complete("talea", "stats", "--lim"), [])
        self.assertEqual(self.complete("talea", "index", "load", "--missing", ""), ["fail", "null", "skip"])
        self.assertEqual(self.complete("talea", "scan", "--limit", ""), [])

    def test_offers_folders_and_locations(self):
        (self.folder / "backups").mkdir()
        (self.folder / "people.csv").touch()
        self.assertEqual(self.complete("talea", "backup", "ba"), ["backups"])
        self.assertEqual(self.complete("talea", "index", "load", "people", "pe"), ["people.csv"])
        self.assertEqual(self.complete("talea", "--db", "ro"), ["rocksdb:"])
        self.assertEqual(self.complete("talea", "--db", "rocksdb", ":", "ba"), ["backups"])

    def test_is_a_script_that_the_other_shells_can_read(self):
        for shell in ("zsh", "fish"):
            script = self.talea("shell-completion", shell).stdout
            self.assertIn("tenants erase", script)
            if shutil.which(shell):  # not needed to develop Talea
                subprocess.run([shell, "-n", "/dev/stdin"], input=script, text=True, check=True)


harness.main()
