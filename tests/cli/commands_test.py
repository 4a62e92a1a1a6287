#!/usr/bin/env python3
"""Runs `talea` as a user would: what it answers, how it fails, what a script can rely on.

    commands_test.py TALEA VISITS LEDGER [TEST..]
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import unittest

import harness
from harness import ENVIRONMENT, TALEA, VISITS, VISITS_COUNT


PAGES = {"/about": 0, "/blog": 0, "/home": 0}  # as examples/visits.cc visits them
for visit in range(VISITS_COUNT):
    PAGES["/about" if visit % 7 == 0 else "/blog" if visit % 3 == 0 else "/home"] += 1
HOME = f"{PAGES['/home']}\n"


class Help(harness.CommandTest):
    def commands(self):
        listed = self.talea("--help").stdout.split("Commands:\n")[1].split("\n\n")[0]
        return [line.split()[0] for line in listed.splitlines()]

    def test_every_command_has_a_help_with_examples(self):
        self.assertGreaterEqual(len(self.commands()), 10)
        for command in self.commands():
            help_text = self.talea(command, "--help").stdout
            self.assertTrue(help_text.startswith(f"Usage: talea {command}"), help_text)
            self.assertIn("\nExamples:\n", help_text)
            self.assertIn("--db LOCATION", help_text)

    def test_a_part_of_a_command_has_its_own(self):
        self.assertTrue(self.talea("tenants", "erase", "-h").stdout.startswith("Usage: talea tenants erase NAME"))

    def test_the_version_is_the_projects(self):
        self.assertRegex(self.talea("--version").stdout, r"^talea \d+\.\d+\.\d+\n$")


class ExitCodes(unittest.TestCase):
    def test_are_those_of_the_document(self):
        root = pathlib.Path(__file__).parents[2]
        enumeration = re.search(r"enum class ExitCode.*?\};", (root / "src/cli/command.h").read_text(), re.DOTALL)[0]
        documented = re.findall(r"^\| (\d+) \|", (root / "docs/cli.md").read_text(), re.MULTILINE)
        self.assertEqual(re.findall(r" = (\d+),", enumeration), documented)


class WrongUsage(harness.CommandTest):
    def refused(self, *arguments, db="memory:", code=2):
        done = self.talea(*arguments, db=db, code=code)
        self.assertEqual(done.stdout, "")
        self.assertTrue(done.stderr.startswith("talea: "), done.stderr)
        return done.stderr

    def test_names_what_is_wrong_and_which_help_to_read(self):
        for arguments, expected in (
                ([], "expected a command: stats, get, scan, "),
                (["foo"], 'there is no command "foo"; see `talea --help`'),
                (["tenants", "foo"], 'there is no command "foo"; see `talea tenants --help`'),
                (["stats", "--foo"], 'unexpected argument "--foo"; see `talea stats --help`'),
                (["stats", "foo"], 'unexpected argument "foo"'),
                (["get", "a"], "KEY is required; see `talea get --help`"),
                (["scan", "a", "--limit"], "--limit: 1 required N missing"),
                (["scan", "a", "--limit", "-1"], '--limit: expected a whole number, found "-1"'),
                (["scan", "a", "--limit", "99999999999999999999"], "--limit: expected a whole number"),
                (["shell-completion", "tcsh"], 'SHELL: expected one of bash, zsh, fish, found "tcsh"'),
                (["get", "a", "0xf"], '"0xf": expected pairs of hexadecimal digits'),
                (["tenants", "erase", "a"], "say --yes to do it")):
            self.assertIn(expected, self.refused(*arguments))

    def test_without_a_database_says_how_to_name_one(self):
        self.assertIn("Name it with --db", self.refused("stats", db=""))

    def test_a_wrong_location_is_quoted_as_it_was_written(self):
        self.assertIn('"rocksdb:a?cash=1"', self.refused("stats", db="rocksdb:a?cash=1"))
        self.assertIn("did you mean rocksdb:visits.db ?", self.refused("stats", db="visits.db"))
        self.assertEqual(os.listdir(self.folder), [])

    def test_nothing_is_created_where_nothing_is(self):
        for command in (["stats"], ["verify"], ["get", "a", "b"], ["tenants", "list"], ["backup", "backups"],
                        ["copy", "rocksdb:copy.db"]):
            self.refused(*command, db="rocksdb:nothing.db", code=3)
            self.refused(*command, db="rocksdb:nothing.db?create=yes", code=3)
        self.refused("stats", db="rocksdb:nothing.db?tenant=a", code=3)
        self.refused("backups", "backups", code=3)
        self.assertEqual(os.listdir(self.folder), [])

    def test_errors_are_json_where_that_is_asked_for(self):
        for arguments, code, error in ((["foo"], 2, "invalid_argument"), (["get", "a", "b"], 3, "not_found"),
                                       (["backup", "backups"], 1, "unsupported")):
            done = self.talea(*arguments, "--json", db="memory:", code=code)
            self.assertEqual(done.stdout, "")
            self.assertEqual(json.loads(done.stderr)["error"]["code"], error)


class Location(harness.CommandTest):
    def test_is_given_before_or_after_the_command_or_by_the_environment(self):
        location = self.fill()
        for arguments, db in ((["--db", location, "get", "visits", "/home"], None),
                              (["get", "visits", "/home", "--db", location], None),
                              ([f"--db={location}", "get", "visits", "/home"], "rocksdb:elsewhere"),
                              (["get", "visits", "/home"], location)):
            self.assertEqual(self.talea(*arguments, db=db).stdout, HOME)

    def test_in_use_is_refused_with_a_hint(self):
        location = self.fill(1)
        with subprocess.Popen([VISITS, location, "0"], cwd=self.folder, stdout=subprocess.PIPE, text=True) as program:
            program.stdout.readline()  # it is open now
            done = self.talea("stats", db=location, code=1)
            program.kill()
        self.assertIn("found it in use by another engine", done.stderr)
        self.assertIn("Another process has this database open", done.stderr)


class Stats(harness.CommandTest):
    def test_of_an_empty_database_in_memory(self):
        lines = self.talea("stats", db="memory:").stdout.splitlines()
        self.assertEqual(lines[:4], ["Database  memory:", "Version   0", "", "Rows"])
        self.assertEqual(lines[4].split(), ["talea", "0"])

    def test_shows_every_keyspace_with_rows_and_bytes(self):
        output = self.talea("stats", db=self.fill()).stdout
        self.assertRegex(output, r"(?m)^visits +#+ +3$")
        self.assertRegex(output, r"(?m)^log +#+  500$")
        self.assertRegex(output, r"(?m)^log +#+ +[\d.]+ kB$")
        self.assertTrue(all(len(line) == 80 for line in output.splitlines() if "#" in line), output)

    def test_tells_scripts_the_same(self):
        answer = json.loads(self.talea("stats", "--json", db=self.fill()).stdout)
        keyspaces = {keyspace["name"]: keyspace for keyspace in answer["keyspaces"]}
        self.assertEqual(keyspaces["log"]["rows"], VISITS_COUNT)
        self.assertEqual(keyspaces["visits"]["pattern"], "counter")
        self.assertGreater(answer["version"], VISITS_COUNT)
        self.assertIn("talea_engine_cache_bytes", {metric["name"] for metric in answer["metrics"]})

    # They were those of all tenants of the folder together.
    def test_of_a_tenant_are_its_own(self):
        source = self.fill(300)
        for name in ("a", "b"):
            self.talea("copy", f"rocksdb:all.db?tenant={name}", db=source)
        shown = self.talea("stats", db="rocksdb:all.db?tenant=a").stdout
        self.assertIn("not known for a tenant", shown)
        self.assertNotIn("log ", shown)
        told = json.loads(self.talea("stats", "--json", db="rocksdb:all.db?tenant=a").stdout)
        self.assertEqual({(keyspace["rows"], keyspace["bytes"]) for keyspace in told["keyspaces"]}, {(None, None)})
        self.assertEqual([metric for metric in told["metrics"] if not metric["name"].startswith("talea_host_")], [])


class Rows(harness.CommandTest):
    def test_are_found_by_text_and_by_digits(self):
        location = self.fill()
        self.assertEqual(self.talea("get", "visits", "/home", db=location).stdout, HOME)
        self.assertEqual(self.talea("get", "visits", "0x2f686f6d65", db=location).stdout, HOME)
        self.assertEqual(self.talea("get", "log", "0x1501", db=location).stdout, '"/about"\n')
        self.assertEqual(self.talea("get", "log", "0x1501", "--raw", db=location, text=False).stdout, b"/about")
        raw = self.talea("get", "visits", "/home", "--raw", db=location, text=False).stdout
        self.assertEqual(raw, PAGES["/home"].to_bytes(8, "little"))

    # It ended with 1, as if it might work another time.
    def test_that_cannot_be_as_the_key_is_too_long_end_with_2(self):
        self.assertIn("KEY: expected at most", self.talea("get", "visits", "k" * 100_000, db=self.fill(1), code=2).stderr)

    # The database's lock became descriptor 2, and the progress was written into it.
    def test_are_not_written_to_where_standard_descriptors_are_closed(self):
        location = self.fill(10)
        subprocess.run(f"{TALEA} --db {location} verify <&- >&- 2>&-", shell=True, cwd=self.folder, env=ENVIRONMENT)
        self.assertEqual((self.folder / "visits.db" / "LOCK").read_bytes(), b"")

    def test_that_are_absent_end_with_3(self):
        done = self.talea("get", "visits", "/nowhere", db=self.fill(), code=3)
        self.assertEqual((done.stdout, done.stderr), ("", 'talea: keyspace "visits": there is no key "/nowhere"\n'))

    def test_have_keys_that_reach_the_engine_as_they_are_given(self):
        for key in ("%%", "{}", "[a,b]", "", " ", "a,b", "größe", "a=b", "'", "-x", "--json"):
            done = self.talea("get", "--json", "talea", "--", key, db="memory:", code=3)
            quoted = "".join(chr(byte) if 0x20 <= byte < 0x7f else f"\\x{byte:02x}" for byte in key.encode())
            self.assertIn(f'no key "{quoted}"', json.loads(done.stderr)["error"]["message"])

    def test_are_scanned_by_prefix_both_ways_and_up_to_a_limit(self):
        location = self.fill()
        rows = "".join(f'"{page}" = {visits}\n' for page, visits in PAGES.items())
        self.assertEqual(self.talea("scan", "visits", db=location).stdout, rows)
        self.assertEqual(self.talea("scan", "visits", "--prefix", "/b", db=location).stdout, rows.splitlines(True)[1])
        self.assertEqual(self.talea("scan", "visits", "--prefix", "x", db=location).stdout, "")
        limited = self.talea("scan", "visits", "--reverse", "--limit", "1", db=location)
        self.assertEqual(limited.stdout, rows.splitlines(True)[2])
        self.assertEqual(limited.stderr, "talea: these are the first 1 row; --limit shows more\n")
        self.assertEqual(self.talea("scan", "visits", "--limit", "1", "-q", db=location).stderr, "")
        self.assertEqual(len(self.talea("scan", "log", "--limit", "0", db=location).stdout.splitlines()), VISITS_COUNT)
        self.assertEqual(len(self.talea("scan", "log", db=location).stdout.splitlines()), 100)
        tuples = self.talea("scan", "log", "--tuples", "--limit", "1", db=location).stdout
        self.assertEqual(tuples, '(1) = "/about"\n')

    def test_in_json_can_be_asked_for_again(self):
        location = self.fill()
        answer = json.loads(self.talea("scan", "log", "--limit", "300", "--json", db=location).stdout)
        self.assertTrue(answer["more"])
        self.assertEqual(len(answer["rows"]), 300)
        for row in answer["rows"][::60]:
            again = json.loads(self.talea("get", "log", row["key"], "--json", db=location).stdout)
            self.assertEqual(again, row)

    def test_may_be_read_by_a_pipe_that_closes_early(self):
        command = f"'{TALEA}' scan log --limit 0 | head -n 1"
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, capture_output=True, text=True,
                              env=ENVIRONMENT | {"TALEA_DB": self.fill(20_000)})
        self.assertEqual((done.stdout, done.stderr), ('"\\x15\\x01" = "/about"\n', ""))

    def test_that_cannot_be_written_are_an_error(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([TALEA, "--db", self.fill(), "scan", "visits"], cwd=self.folder, stdout=full,
                                  stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("talea: writing the answer: ", done.stderr)


class Verify(harness.CommandTest):
    def damage(self, folder):
        """Flips a byte in the first block of every file of rows that is large enough to hold the log's."""
        damaged = 0
        for path in (self.folder / folder).glob("*.sst"):
            content = bytearray(path.read_bytes())
            if len(content) > 4000:
                content[100] ^= 1
                path.write_bytes(content)
                damaged += 1
        self.assertGreater(damaged, 0)

    def test_finds_all_well_and_tells_how_far_it_is(self):
        done = self.talea("verify", db=self.fill())
        self.assertTrue(done.stdout.endswith("\nAll is well.\n"))
        self.assertRegex(done.stdout, r"(?m)^log +500 +\S+ kB +0  [0-9a-f]{32}$")
        self.assertRegex(done.stderr, r"^verify: 504 rows in \d+:\d\d, .* rows/s\n$")

    def test_gives_equal_digests_to_equal_data_and_others_to_other(self):
        first, second = (json.loads(self.talea("verify", "--json", db=self.fill(count, name)).stdout)["keyspaces"]
                         for count, name in ((100, "a.db"), (101, "b.db")))
        digests = [{part["name"]: part["digest"] for part in parts} for parts in (first, second)]
        self.assertEqual(digests[0]["undo"], digests[1]["undo"])
        self.assertNotEqual(digests[0]["log"], digests[1]["log"])
        self.assertNotEqual(digests[0]["visits"], digests[1]["visits"])

    def test_lists_damage_and_ends_with_3(self):
        location = self.fill()
        self.talea("stats", db=location)  # which writes out what was only in the log
        self.damage("visits.db")
        done = self.talea("verify", db=location, code=3)
        self.assertRegex(done.stdout, r'problem: keyspace "log", keys \["", end\): .*')
        self.assertTrue(done.stdout.endswith("\n1 problem found.\n"), done.stdout)
        answer = json.loads(self.talea("verify", "--json", db=location, code=3).stdout)
        self.assertFalse(answer["well"])
        by_name = {part["name"]: part for part in answer["keyspaces"]}
        self.assertEqual(by_name["log"]["problem_count"], 1)
        self.assertIsNone(by_name["log"]["digest"])
        self.assertEqual(by_name["visits"]["problems"], [])

    # Whether a database is half a copy is looked up as it is opened. Where that row could not be read it was not opened
    # at all, so that `verify` could not say what is damaged.
    def test_finds_damage_in_every_keyspace_that_has_rows(self):
        location = self.fill()
        self.talea("stats", db=location)  # which writes out what was only in the log
        damaged = set()
        for path in (self.folder / "visits.db").glob("*.sst"):
            # Of a copy, as opening a database may compact its files away.
            copy = self.folder / "copy.db"
            shutil.copytree(path.parent, copy)
            content = path.read_bytes()
            (copy / path.name).write_bytes(content[:3] + bytes([content[3] ^ 1]) + content[4:])
            done = subprocess.run([TALEA, "--db", "rocksdb:copy.db", "verify"], cwd=self.folder, env=ENVIRONMENT,
                                  capture_output=True, text=True)
            damaged |= set(re.findall(r'^problem: keyspace "(\w+)"', done.stdout, re.MULTILINE))
            self.assertEqual(done.returncode, 3 if done.stdout else 1, done.stderr)  # 1: not even a version can be read
            shutil.rmtree(copy)
        self.assertEqual(damaged, {"talea", "visits", "log"})


class Backup(harness.CommandTest):
    def test_is_listed_restored_and_whole(self):
        location = self.fill()
        self.assertRegex(self.talea("backup", "backups", db=location).stdout, r"^Backup 1 in backups: .* as it was copied\. ")
        self.fill(10)
        self.talea("backup", "backups", db=location)
        listed = json.loads(self.talea("backups", "backups", "--verify", "--json").stdout)["backups"]
        self.assertEqual([backup["id"] for backup in listed], [1, 2])
        self.talea("restore", "backups", "newest.db")
        self.talea("restore", "backups", "first.db", "--id", "1")
        for name, rows in (("newest.db", VISITS_COUNT + 10), ("first.db", VISITS_COUNT)):
            answer = json.loads(self.talea("verify", "--json", db=f"rocksdb:{name}").stdout)
            self.assertEqual({part["name"]: part["rows"] for part in answer["keyspaces"]}["log"], rows)

    def test_keeps_as_many_as_asked_for(self):
        location = self.fill(10)
        for _ in range(3):
            self.talea("backup", "backups", "--keep", "2", db=location)
        listed = json.loads(self.talea("backups", "backups", "--json").stdout)["backups"]
        self.assertEqual([backup["id"] for backup in listed], [2, 3])

    def test_is_not_restored_over_anything_or_from_nothing(self):
        self.talea("backup", "backups", db=self.fill(10))
        self.talea("restore", "backups", "visits.db", code=1)
        self.assertIn("expected backup 7, found 1", self.talea("restore", "backups", "a", "--id", "7", code=3).stderr)

    def test_that_is_damaged_is_found_out(self):
        self.talea("backup", "backups", db=self.fill())
        for path in (self.folder / "backups").glob("**/*.sst"):
            path.write_bytes(path.read_bytes()[:-1] + b"x")
        self.talea("backups", "backups")  # nothing is read
        self.assertIn("\nproblem: backup 1: ", self.talea("backups", "backups", "--verify", code=3).stdout)
        answer = json.loads(self.talea("backups", "backups", "--verify", "--json", code=3).stdout)
        self.assertFalse(answer["well"])
        self.assertIn(".sst", answer["backups"][0]["damage"])

    # Of a database with a damaged table it was said that the backup was "read again and found whole".
    def test_of_a_damaged_database_claims_no_more_than_was_compared(self):
        location = self.fill()
        self.talea("stats", db=location)  # which writes out what was only in the log
        log = max((self.folder / "visits.db").glob("*.sst"), key=lambda path: path.stat().st_size)
        content = bytearray(log.read_bytes())
        content[100] ^= 1
        log.write_bytes(content)
        said = self.talea("backup", "backups", db=location).stdout
        self.assertNotIn("whole", said)
        self.assertIn("as it was copied. `talea verify` checks what they hold.", said)
        self.talea("verify", db=location, code=3)

    # `--keep 0` kept all, and said nothing. A variable of a script that was not set named no folder.
    def test_refuses_to_keep_none_and_folders_without_a_name(self):
        location = self.fill(10)
        for keep in ("0", "4294967296"):
            done = self.talea("backup", "backups", "--keep", keep, db=location, code=2)
            self.assertIn(f"--keep: expected a number from 1 to 4294967295, found {keep}", done.stderr)
        for arguments in (["backup", ""], ["backups", ""], ["restore", "backups", ""],
                          ["restore", "backups", "rocksdb:"]):
            self.assertIn("FOLDER: expected the name of a folder, found nothing",
                          self.talea(*arguments, db=location, code=2).stderr)
        self.assertEqual(os.listdir(self.folder), ["visits.db"])

    # `talea restore backups rocksdb:r.db` made a folder called "rocksdb:r.db".
    def test_is_restored_to_a_folder_or_its_location(self):
        self.talea("backup", "backups", db=self.fill())
        for given, folder in (("rocksdb:a.db", "a.db"), ("rocksdb:50%25%3F", "50%?"), ("./memory:", "memory:"),
                              ("c%25.db", "c%25.db")):
            told = json.loads(self.talea("restore", "backups", given, "--json").stdout)
            self.assertTrue((self.folder / folder / "TALEA").exists(), given)
            self.assertEqual(self.talea("get", "visits", "/home", db=told["location"]).stdout, HOME)
        for given in ("memory:", "memory:b.db", "http://x", "rocksdb:b.db?create=no"):
            self.assertIn(f'found "{given}"', self.talea("restore", "backups", given, code=2).stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["50%?", "a.db", "backups", "c%25.db", "memory:", "visits.db"])

    # Two databases in one folder were mixed, and `--keep 1` of the one dropped the backups of the other.
    def test_of_another_database_is_refused_and_drops_nothing(self):
        self.talea("backup", "backups", db=self.fill(10))
        error = self.talea("backup", "backups", "--keep", "1", db=self.fill(10, "other.db"), code=2).stderr
        for name in ("visits.db", "other.db"):
            self.assertIn((self.folder / name / "IDENTITY").read_text(), error)
        self.talea("restore", "backups", "restored.db")
        self.talea("backup", "backups", db="rocksdb:restored.db", code=2)
        self.assertIn("expected backups or nothing at all",
                      self.talea("backup", "other.db", db="rocksdb:visits.db", code=2).stderr)
        listed = json.loads(self.talea("backups", "backups", "--json").stdout)["backups"]
        self.assertEqual([backup["id"] for backup in listed], [1])

    # `rm` of one file made `talea backups` say "No backups.", with the exit code 0.
    def test_that_lacks_a_file_is_listed_as_damaged(self):
        self.talea("backup", "backups", db=self.fill())
        next((self.folder / "backups/shared_checksum").iterdir()).unlink()
        self.assertRegex(self.talea("backups", "backups", code=3).stdout,
                         r"(?s)\n 1  damaged\n\nproblem: backup 1: .*\.sst")

    # A backup that shared a damaged file with an older one failed to verify, and yet stayed, as the newest.
    def test_that_does_not_verify_is_dropped(self):
        location = self.fill()
        self.talea("stats", db=location)  # which writes out what was only in the log
        self.talea("backup", "backups", db=location)
        for path in (self.folder / "backups").glob("**/*.sst"):
            path.write_bytes(path.read_bytes()[:-1] + b"x")
        self.assertIn("this backup was dropped", self.talea("backup", "backups", db=location, code=1).stderr)
        listed = json.loads(self.talea("backups", "backups", "--json").stdout)["backups"]
        self.assertEqual([backup["id"] for backup in listed], [1])

    # A restore of the newest backup failed, if that was damaged, and left the user to try the others.
    def test_that_is_damaged_is_not_restored_and_the_newest_whole_one_is_named(self):
        location = self.fill()
        for _ in range(3):
            self.talea("backup", "backups", db=location)
            self.fill(10)
        (self.folder / "backups/meta/3").write_text("x")
        self.assertIn("the newest that is whole is 2: --id 2 restores it",
                      self.talea("restore", "backups", "restored.db", code=1).stderr)
        for path in (self.folder / "backups/private/2").glob("MANIFEST*"):
            path.write_bytes(path.read_bytes()[:-1] + b"x")
        error = self.talea("restore", "backups", "restored.db", "--id", "2", code=1).stderr
        self.assertIn("the newest that is whole is 1", error)
        self.assertEqual(sorted(os.listdir(self.folder)), ["backups", "visits.db"])
        self.talea("restore", "backups", "restored.db", "--id", "1")


class Copy(harness.CommandTest):
    def test_is_equal_on_every_engine(self):
        location = self.fill()
        first = json.loads(self.talea("copy", "rocksdb:copy.db", "--json", db=location).stdout)
        tenant = json.loads(self.talea("copy", "rocksdb:all.db?tenant=a", "--json", db=location).stdout)
        back = json.loads(self.talea("copy", "rocksdb:back.db", "--json", db="rocksdb:all.db?tenant=a").stdout)
        self.assertEqual(len({first["digest"], tenant["digest"], back["digest"]}), 1)
        self.assertEqual(self.talea("scan", "visits", db="rocksdb:back.db").stdout,
                         self.talea("scan", "visits", db=location).stdout)

    def test_that_is_interrupted_says_so_and_goes_on(self):
        location = self.fill(30_000)
        for number, name in ((signal.SIGINT, "a.db"), (signal.SIGTERM, "b.db")):
            code, _, error = self.interrupt("copy", f"rocksdb:{name}", db=location, signal_number=number)
            self.assertEqual(code, 130, error)
            self.assertIn("the same command goes on from there", error)
            refused = subprocess.run([VISITS, f"rocksdb:{name}", "1"], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual(refused.returncode, 1, "half a copy was opened as a database")
            self.assertIn("copy", refused.stderr)
            # Only programs were refused it: every command took half a database for a whole one.
            for command in (["stats"], ["get", "visits", "/home"], ["scan", "visits"], ["verify"], ["backup", "backups"],
                            ["copy", "rocksdb:other.db"], ["tenants", "list"]):
                done = self.talea(*command, db=f"rocksdb:{name}", code=1)
                self.assertIn("target of a copy that was not finished", done.stderr, command)
            self.assertFalse((self.folder / "other.db").exists())
            self.assertFalse((self.folder / "backups").exists())
            self.talea("copy", f"rocksdb:{name}", db=location)
            self.assertEqual(self.talea("scan", "visits", db=f"rocksdb:{name}").stdout,
                             self.talea("scan", "visits", db=location).stdout)

    def test_that_is_interrupted_keeps_the_rows_it_has(self):
        location = self.fill(100_000)
        # A chunk is 4 MiB, which is more than there is here: so either no row is copied when the signal comes, or all
        # are and being compared. How long that takes depends on the machine, so one copy is timed, and the signals come
        # at different parts of that time.
        start = time.monotonic()
        self.talea("copy", "rocksdb:whole.db", db=location)
        whole = time.monotonic() - start
        for attempt in range(200):
            code, _, error = self.interrupt("copy", f"rocksdb:{attempt}.db", db=location,
                                            after=whole * ((0.7 + 0.618 * attempt) % 1))
            self.assertIn(code, (0, 130), error)
            if code == 0:
                continue  # it was done before the signal came
            done = self.talea("copy", f"rocksdb:{attempt}.db", db=location)
            if "from an earlier run" in done.stdout:
                # They counted as if this run had copied them, and each row twice, as it is compared as well.
                copied = re.match(r"Copied ([\d,]+) rows to \S+, ([\d,]+) of them from an earlier run", done.stdout)
                self.assertEqual(copied[1], copied[2], done.stdout)
                self.assertIn("copy: 0 rows in ", done.stderr)
                self.assertIn("compare: 100 k rows in ", done.stderr)
                return
        self.fail("never interrupted after a row was copied")

    # The list of tenants showed half a one like any other.
    def test_that_is_interrupted_is_marked_among_tenants(self):
        location = self.fill(30_000)
        self.talea("copy", "rocksdb:all.db?tenant=whole", db=location)
        code, _, error = self.interrupt("copy", "rocksdb:all.db?tenant=half", db=location)
        self.assertEqual(code, 130, error)
        self.assertEqual(self.talea("tenants", "list", db="rocksdb:all.db").stdout,
                         "half (a copy that was not finished)\nwhole\n")
        self.assertEqual(json.loads(self.talea("tenants", "list", "--json", db="rocksdb:all.db").stdout),
                         {"tenants": ["half", "whole"], "unfinished": ["half"]})
        self.talea("stats", db="rocksdb:all.db?tenant=half", code=1)

    # It was created before the source was looked at.
    def test_that_is_refused_leaves_no_target_behind(self):
        self.talea("copy", "rocksdb:all.db?tenant=a", db=self.fill(10))
        self.assertIn("holds tenants", self.talea("copy", "rocksdb:new.db", db="rocksdb:all.db", code=1).stderr)
        self.assertFalse((self.folder / "new.db").exists())

    # Either was refused as being open in another process, which was this one.
    def test_leads_to_another_tenant_of_the_folder_but_not_onto_itself(self):
        location = self.fill(10)
        self.talea("copy", "rocksdb:all.db?tenant=a", db=location)
        self.talea("copy", "rocksdb:all.db?tenant=b", db="rocksdb:all.db?tenant=a")
        self.assertEqual(self.talea("scan", "log", db="rocksdb:all.db?tenant=b").stdout,
                         self.talea("scan", "log", db=location).stdout)
        for db in (location, "rocksdb:all.db?tenant=a"):
            done = self.talea("copy", db, db=db, code=2)
            self.assertIn("found the source itself", done.stderr)
            self.assertNotIn("Another process", done.stderr)

    def test_leaves_a_target_that_holds_something_else_alone(self):
        source, target = self.fill(10), self.fill(20, "target.db")
        before = self.talea("scan", "log", db=target).stdout
        self.talea("copy", target, db=source, code=1)
        self.assertEqual(self.talea("scan", "log", db=target).stdout, before)

    def test_verify_can_be_interrupted_as_well(self):
        code, _, error = self.interrupt("verify", db=self.fill(30_000))
        self.assertEqual(code, 130, error)


class Tenants(harness.CommandTest):
    def test_are_listed_and_erased(self):
        source = self.fill(10)
        for name in ("grün", "blau"):
            self.talea("copy", f"rocksdb:all.db?tenant={name}", db=source)
        self.assertEqual(self.talea("tenants", "list", db="rocksdb:all.db").stdout, "blau\ngrün\n")
        self.talea("tenants", "erase", "blau", db="rocksdb:all.db", code=2)
        self.talea("tenants", "erase", "blau", "--yes", db="rocksdb:all.db")
        self.talea("tenants", "erase", "blau", "--yes", db="rocksdb:all.db", code=3)
        self.assertEqual(json.loads(self.talea("tenants", "list", "--json", db="rocksdb:all.db").stdout),
                         {"tenants": ["grün"], "unfinished": []})

    def test_of_a_database_of_its_own_are_refused(self):
        # What was expected and found was said, and not what to do about it.
        error = self.talea("tenants", "list", db=self.fill(10), code=1).stderr
        self.assertIn("expected the layout of tenants, found one database: open it without ?tenant=NAME", error)


harness.main()
