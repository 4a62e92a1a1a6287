#!/usr/bin/env python3
"""Kills the example `visits` again and again: what it was told is there, and its two keyspaces agree.

    kill_test.py TALEA VISITS LEDGER [TEST..]
"""
import json
import random
import re
import subprocess
import time

import harness
from harness import VISITS

KILLS = 12


class Visits(harness.CommandTest):
    def run_and_kill(self, seconds):
        """The number of visits that it found, and the last one that it told of before it was killed."""
        with subprocess.Popen([VISITS, "rocksdb:visits.db", "0"], cwd=self.folder, stdout=subprocess.PIPE,
                              text=True) as process:
            found = int(re.match(r"(\d+) visits so far", process.stdout.readline())[1])
            time.sleep(seconds)
            process.kill()
            told = re.findall(r"^visit (\d+), .*\n", process.stdout.read(), re.MULTILINE)
        return found, int(told[-1]) if told else found

    def test_survive_kill_9(self):
        chance = random.Random(1)
        last_told = 0
        for kill in range(KILLS):
            with self.subTest(kill=kill):
                # The program itself refuses to go on where its keyspaces do not agree.
                found, told = self.run_and_kill(chance.uniform(0, 0.3))
                self.assertGreaterEqual(found, last_told)
                last_told = told
        done = subprocess.run([VISITS, "rocksdb:visits.db", "1"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(last_told, 100, "it was always killed before it had done anything")
        # It compares the last number of the log with the counters; here the rows of the log are counted as well.
        last = int(re.findall(r"(\d+) visits so far", done.stdout)[-1])
        answer = json.loads(self.talea("verify", "--json", db="rocksdb:visits.db").stdout)
        self.assertEqual({part["name"]: part["rows"] for part in answer["keyspaces"]}["log"], last)


harness.main()
