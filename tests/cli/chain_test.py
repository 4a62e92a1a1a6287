#!/usr/bin/env python3
"""Runs `talea chain` as a user would: looks into a ledger, takes blocks back, takes it elsewhere, and gets it wrong.

    chain_test.py TALEA VISITS LEDGER [TEST..]
"""
import json
import pathlib
import re
import shutil
import subprocess
import tempfile

import harness
from harness import LEDGER

BLOCKS = 40
ADA = "616461"  # the tag of one of the people in examples/ledger.cc


class ChainTest(harness.LayerTest):
    """All tests look at one ledger, made once; those that change it take a copy."""

    layer = "chain"
    chain = harness.LayerTest.call

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.made = pathlib.Path(folder.name, "ledger.db")
        subprocess.run([LEDGER, f"rocksdb:{cls.made}", str(BLOCKS)], check=True, stdout=subprocess.DEVNULL)
        cls.location = f"rocksdb:{cls.made}"

    def setUp(self):
        super().setUp()
        self.location = type(self).location

    def own(self):
        """From now on the test has the ledger to itself."""
        shutil.copytree(self.made, self.folder / "own.db")
        self.location = "rocksdb:own.db"

    def points(self):
        """The points of all blocks, oldest first."""
        return [step["point"] for step in self.asked("scan", "changes", "--since", "none", "--limit", "0")["steps"]]


class Look(ChainTest):
    def test_at_all_of_it(self):
        shown = self.chain("stats")
        answer = self.asked("stats")
        self.assertRegex(shown, rf"^Cursor   {re.escape(answer['cursor'])}\nOutputs  {answer['outputs']}\nCoin     5,000\n"
                                rf"Undo     {BLOCKS} steps, back to none\n\nnamespace  entities  values\npeople +5 +\d+\n$")
        self.assertEqual(answer["cursor"].split(".")[0], str((BLOCKS - 1) * 20))
        self.assertEqual((answer["coin"], answer["undo"], answer["staged"]),
                         (5000, {"steps": BLOCKS, "oldest": None}, False))
        self.assertEqual(self.chain("get", "cursor"), answer["cursor"] + "\n")

    def test_at_outputs_and_their_tags(self):
        outputs = self.asked("scan", "outputs")["outputs"]
        self.assertEqual([output["output"] for output in outputs], sorted(output["output"] for output in outputs))
        self.assertEqual(sum(output["coin"] for output in outputs), 5000)
        of_ada = [output for output in outputs if output["tags"] == [{"kind": "address", "bytes": ADA}]]
        self.assertTrue(of_ada)
        tagged = self.asked("scan", "tag", "address", ADA)
        self.assertEqual(tagged["outputs"], [{"output": output["output"], "coin": output["coin"]} for output in of_ada])
        self.assertEqual(self.asked("scan", "tag", "address", ADA[:4])["outputs"], [])  # exactly, not as a prefix
        first, second = outputs[:2]
        self.assertEqual(self.asked("get", "output", second["output"], first["output"])["outputs"], [second, first])
        self.assertEqual(self.chain("get", "output", first["output"]),
                         f"Output  {first['output']}\nEra     1\nCoin    {first['coin']}\n"
                         f"Tag     address {first['tags'][0]['bytes']}\nCBOR    {first['cbor']}\n")
        raw = self.talea("--db", self.location, "chain", "get", "output", first["output"], "--raw", text=False).stdout
        self.assertEqual(raw.hex(), first["cbor"])
        self.assertEqual(self.chain("scan", "outputs", "--from", second["output"], "--limit", "1"),
                         f"{second['output']}  era 1  coin {second['coin']}  {second['cbor']}\n")

    def test_at_entities_values_and_counters(self):
        answer = self.asked("scan", "entities", "people")
        people = {bytes.fromhex(entity["value"]).decode(): entity["key"] for entity in answer["entities"]}
        self.assertEqual(sorted(people), ["ada", "bob", "eve", "kim", "zoe"])
        keys = sorted(people.values())
        self.assertEqual(self.chain("scan", "entities", "people", "--from", keys[1], "--to", keys[3]).count("\n"), 2)
        self.assertTrue(self.asked("scan", "entities", "people", "--limit", "4")["more"])
        self.assertFalse(self.asked("scan", "entities", "people", "--limit", "5")["more"])
        self.assertEqual(self.chain("get", "entity", "people", people["ada"], people["bob"]),
                         f"{people['ada']} = {ADA}\n{people['bob']} = 626f62\n")
        self.assertGreater(int(self.chain("get", "counter", "people", people["ada"])), 0)
        self.assertEqual(self.chain("get", "counter", "people", "0" * 64), "0\n")
        self.assertRegex(self.chain("get", "values", "people", people["ada"]), r"^([0-9a-f]{6}\n)+$")

    def test_at_how_it_was(self):
        points = self.points()
        self.assertEqual(len(points), BLOCKS)
        self.assertEqual(self.asked("stats", "--at", points[0])["outputs"], 5)
        first = self.asked("scan", "outputs", "--at", points[0])
        self.assertEqual((first["cursor"], [output["coin"] for output in first["outputs"]]), (points[0], [1000] * 5))
        spent = self.asked("scan", "changes", "--since", points[0], "--limit", "1")["steps"][0]["outputs"]
        consumed = [change["output"] for change in spent if change["after"] is None]
        self.assertEqual(len(consumed), 1)
        self.assertEqual(self.asked("get", "output", *consumed, "--at", points[0])["missing"], [])
        self.assertEqual(self.asked("get", "output", *consumed, code=3)["missing"], consumed)

    def test_at_what_changed(self):
        points = self.points()
        shown = self.chain("scan", "changes", "--since", points[-2])
        self.assertTrue(shown.startswith(f"{points[-2]} -> {points[-1]}\n  "), shown)
        self.assertRegex(shown, r"(?m)^  consumed  [0-9a-f]{64}#\d+$")
        self.assertRegex(shown, r"(?m)^  produced  [0-9a-f]{64}#\d+  82[0-9a-f]+$")
        self.assertRegex(shown, r"(?m)^  counted   people [0-9a-f]{64}: \+1$")
        self.assertEqual(self.chain("scan", "changes", "--since", points[-1]), "")

    def test_is_cut_on_no_terminal(self):
        """On a terminal of 60 columns cursor and undo of `stats`, and the output of `get output`, ended there, and could not be
        copied."""
        self.own()
        self.chain("prune", "--keep", "10")  # from now on it can be gone back to a point, and not to the beginning
        output = self.asked("scan", "outputs", "--limit", "1")["outputs"][0]["output"]
        for arguments in (["stats"], ["get", "output", output]):
            command = ["--no-color", "--db", self.location, "chain", *arguments]
            self.assertEqual(self.on_terminal(*command, columns=60), self.talea(*command).stdout)

    def test_at_a_database_without_one(self):
        none = self.fill(1)
        self.assertEqual(self.chain("stats", db=none), "No ledger.\n")
        self.assertIn("cursor: expected a point, found none", self.chain("get", "cursor", db=none, code=3))
        self.assertIn("found that it has none", self.chain("scan", "entities", "people", db=none, code=3))
        self.assertIn("expected one to export, found none", self.chain("export", "file", db=none, code=3))
        self.assertIn("found 20, which is none of them", self.chain("rollback", "20", "--yes", db=none, code=3))
        self.assertIn("All is well.\nState hash ", self.chain("verify", db=none))
        self.assertFalse((self.folder / "file").exists())


class WrongChainUsage(ChainTest):
    def test_names_the_thing_what_was_expected_and_what_was_found(self):
        key = "0" * 64
        for arguments, code, expected in (
                (["get", "output", "abc#0"], 2, 'OUTPUT: output: expected 64 hexadecimal digits, \'#\' and an index below '
                                                '2^32, found "abc#0"'),
                (["get", "output", key], 2, f'found "{key[:48]}"... (64 bytes)'),
                (["get", "output", f"{key}#4294967296"], 2, "an index below 2^32"),
                (["get", "output", f"{key}#7"], 3, f"output {key}#7: expected it unspent at "),
                (["get", "output", f"{key}#7", f"{key}#8", "--raw"], 2, "--raw: expected one thing"),
                (["get", "output"], 2, "OUTPUT is required"),
                (["get", "entity", "people", "12"], 2, 'KEY: 32 bytes: expected 64 hexadecimal digits, found "12"'),
                (["get", "entity", "peple", key], 3, 'namespace "peple": expected one of the ledger\'s, found that it has '
                                                     '"people"'),
                (["get", "entity", "people", key], 3, f'namespace "people", key {key}: expected an entity at '),
                (["get", "values", "people", key], 3, f'namespace "people", key {key}: expected values, found none'),
                (["get", "counter", "peple", key], 3, 'namespace "peple"'),
                (["scan", "entities", "peple"], 3, 'namespace "peple"'),
                (["scan", "tag", "colour", "12"], 2, "KIND: expected one of address, payment, stake, policy, asset, found "
                                                     '"colour"'),
                (["scan", "tag", "address", "xy"], 2, 'TAG: expected pairs of hexadecimal digits, found "xy" at digit 1'),
                (["scan", "outputs", "--from", "1"], 2, "--from: output: expected 64 hexadecimal digits"),
                (["scan", "changes"], 2, "--since is required"),
                (["scan", "changes", "--since", "20"], 3, "found 20, which is none of them"),
                (["stats", "--at", "x"], 2, "--at: point: expected origin, a slot, or a slot, a dot and 64 hexadecimal "
                                            'digits, found "x"; none stands for the beginning'),
                (["stats", "--at", "20"], 3, "found 20, which is none of them"),
                (["rollback"], 2, "POINT: expected a point or --steps, found neither"),
                (["rollback", "20", "--steps", "1"], 2, "found both"),
                (["rollback", "20."], 2, 'POINT: point: expected origin, a slot, or a slot, a dot and 64 hexadecimal digits'),
                (["rollback", "--steps", "41", "--yes"], 3, "--steps: expected at most 40, as many as can be taken back, "
                                                            "found 41"),
                (["prune"], 2, "--keep is required"),
                (["import"], 2, "FILE: expected the file of an export, found none"),
                (["import", "file", "--abandon"], 2, '--abandon: expected no FILE beside it, found "file"'),
                (["verfy"], 2, 'there is no command "verfy"; see `talea chain --help`')):
            self.assertIn(expected, self.chain(*arguments, code=code))

    def test_creates_no_database(self):
        for command in (["stats"], ["import", "file"], ["rollback", "none", "--yes"]):
            self.chain(*command, db="rocksdb:nothing.db", code=3)
        self.assertFalse((self.folder / "nothing.db").exists())

    def test_of_a_file_creates_no_database_even_where_it_may(self):
        """An import of a file that was absent, no export or not to be read left an empty database behind."""
        self.chain("export", "file")
        good = (self.folder / "file").read_bytes()
        for name, content in (("text", b"id,city\n" * 100), ("cut", good[:-1]), ("empty", b""), ("secret", good)):
            (self.folder / name).write_bytes(content)
        (self.folder / "secret").chmod(0)
        for name, code, expected in (("nothing", 3, 'opening "nothing": No such file'), ("text", 1, 'export "text"'),
                                     ("cut", 1, 'export "cut"'), ("empty", 1, 'export "empty"'), (".", 2, 'opening "."'),
                                     ("secret", 1, 'opening "secret": Permission denied')):
            said = self.talea("--db", "rocksdb:new.db", "chain", "import", name, "--create", code=code,
                              before=harness.without_rights_to_all_files(self)).stderr
            self.assertIn(expected, said)
            self.assertFalse((self.folder / "new.db").exists(), name)


class Rollback(ChainTest):
    def test_takes_back_as_much_as_was_said_and_no_more(self):
        self.own()
        points = self.points()
        self.assertIn("this takes back 3 steps in every layer, the newest at", self.chain("rollback", points[-4], code=2))
        self.assertEqual(self.chain("-q", "rollback", points[-4], "--yes"), "")
        self.assertEqual(self.chain("rollback", "--steps", "2", "--yes"),
                         f"Took back 2 steps: the ledger is at {points[-6]}.\n")
        self.assertEqual(self.asked("rollback", points[-6]), {"steps": 0, "cursor": points[-6]})
        self.assertTrue(self.asked("verify")["well"])
        # The index that the same commits have filled is taken back with them.
        outputs = self.asked("stats")["outputs"]
        listed = json.loads(self.talea("--db", self.location, "index", "verify", "--json").stdout)
        self.assertEqual(listed, {"well": True,
                                  "indexes": [{"name": "outputs-by-coin", "entries": outputs, "problem": None}]})
        self.assertIn("taken back, and the ledger is at", self.interrupted("rollback", "none", "--yes"))
        self.assertEqual(self.asked("rollback", "none", "--yes")["cursor"], None)
        self.assertEqual(self.chain("stats"), "No ledger.\n")

    def test_reaches_back_to_where_it_was_pruned(self):
        self.own()
        points = self.points()
        self.assertEqual(self.chain("prune", "--keep", "10"), "30 steps can no longer be taken back.\n")
        self.assertEqual(self.asked("stats")["undo"], {"steps": 10, "oldest": points[-11]})
        self.assertIn(f"expected a point from {points[-11]} on", self.chain("rollback", points[-12], "--yes", code=3))
        self.assertEqual(self.asked("rollback", points[-11], "--yes"), {"steps": 10, "cursor": points[-11]})


class Transfer(ChainTest):
    def test_takes_a_ledger_to_another_database(self):
        exported = self.chain("export", "file")
        cursor = self.asked("stats")["cursor"]
        match = re.fullmatch(rf'Exported ([\d,]+) rows at {re.escape(cursor)} to file "file"\.\nState hash ([0-9a-f]{{32}})\n',
                             exported)
        self.assertTrue(match, exported)
        self.assertEqual(self.asked("verify")["state_hash"], match[2])
        self.assertEqual(self.chain("import", "file", "--create", db="rocksdb:new.db"),
                         f'Imported {match[1]} rows from file "file": the ledger is at {cursor}.\nState hash {match[2]}\n')
        # The same state is the same file, and nothing can be taken back before it.
        self.chain("export", "again", db="rocksdb:new.db")
        self.assertEqual((self.folder / "again").read_bytes(), (self.folder / "file").read_bytes())
        self.assertEqual(self.asked("stats", db="rocksdb:new.db")["undo"], {"steps": 0, "oldest": cursor})
        self.assertIn("expected an empty ledger", self.chain("import", "file", db="rocksdb:new.db", code=1))
        self.assertIn('"file"', self.chain("export", "file", code=1))  # is there already

    def test_takes_an_older_state(self):
        point = self.points()[3]
        self.assertEqual(self.asked("export", "file", "--at", point)["cursor"], point)
        self.assertEqual(self.asked("import", "file", "--create", db="rocksdb:new.db")["cursor"], point)

    def test_goes_on_where_it_was_interrupted(self):
        hash_of_all = self.asked("export", "file")["state_hash"]
        self.assertEqual(self.interrupted("export", "other"), 'talea: interrupted; nothing is left of file "other"\n')
        self.assertFalse((self.folder / "other").exists())
        self.fill(1)
        self.location = "rocksdb:visits.db"
        said = self.interrupted("import", "file")
        self.assertIn('rows of file "file" imported. The same command goes on from there', said)
        for command in (["stats"], ["scan", "outputs"], ["export", "x"]):
            self.assertIn("`talea chain import --abandon` drops what is there", self.chain(*command, code=1))
        self.assertIn("No state hash: ", self.chain("verify", code=3))
        self.assertEqual(self.chain("import", "--abandon"), "Dropped what was imported: the ledger is empty again.\n")
        self.assertEqual(self.chain("import", "--abandon"), "There was no import to drop.\n")
        self.assertEqual(self.chain("stats"), "No ledger.\n")
        self.interrupted("import", "file")
        self.assertEqual(self.asked("import", "file")["state_hash"], hash_of_all)

    def test_refuses_a_file_that_is_not_as_it_was_written(self):
        self.chain("export", "file")
        good = (self.folder / "file").read_bytes()
        self.fill(1)
        self.location = "rocksdb:visits.db"
        for name, content in (("flipped", good[:200] + bytes([good[200] ^ 1]) + good[201:]), ("cut", good[:-1]),
                              ("other", b"id,city\nada,London\n"), ("empty", b"")):
            (self.folder / name).write_bytes(content)
            said = self.chain("import", name, code=1)
            self.assertIn(f'"{name}"', said)
            self.assertIn("expected", said)
        self.chain("import", "nothing", code=3)
        self.chain("import", "--abandon")
        self.assertEqual(self.chain("stats"), "No ledger.\n")


class ChainVerify(ChainTest):
    def test_lists_damage_and_ends_with_3(self):
        self.own()
        self.assertTrue(self.asked("verify")["well"])  # and what was only in the log is written out
        # The largest file was taken for that of undo, and mostly was; each tells its keyspace among its properties.
        undo = next(path for path in (self.folder / "own.db").glob("*.sst") if b"nameundo" in path.read_bytes())
        content = bytearray(undo.read_bytes())
        content[100] ^= 1
        undo.write_bytes(content)
        shown = self.chain("verify", code=3)
        self.assertRegex(shown, r'(?m)^problem: keyspace "undo", keys \["", end\): ')
        self.assertIn("State hash ", shown)  # of what is stored beside the records

    def test_looks_at_the_ledger_alone(self):
        names = [part["name"] for part in self.asked("verify")["keyspaces"]]
        self.assertEqual(names, ["undo", "state-cursor", "state-utxos", "state-entities", "chain", "chain-notes",
                                 "chain-tags", "chain-counters", "chain-counts", "chain-staging"])


class LedgerOfATenant(ChainTest):
    def test_is_its_own(self):
        file_of_a = self.asked("export", "file", db=self.location)
        for tenant in ("a", "b"):
            self.location = f"rocksdb:all.db?tenant={tenant}"
            self.assertEqual(self.asked("import", "file", "--create")["state_hash"], file_of_a["state_hash"])
        self.chain("verify")
        for command in (["stats"], ["verify"], ["scan", "outputs"], ["rollback", "none"]):
            self.assertIn("found tenants", self.chain(*command, db="rocksdb:all.db", code=1))


class ChainHelp(ChainTest):
    def test_of_every_part_has_examples(self):
        listed = self.talea("chain", "--help").stdout.split("Commands:\n")[1].split("\n\n")[0]
        parts = [line.split()[0] for line in listed.splitlines()]
        self.assertEqual(parts, ["stats", "get", "scan", "show", "verify", "rollback", "prune", "export", "import",
                                 "import-cardano"])
        for part in (*parts, "get output", "scan changes"):
            help_text = self.talea("chain", *part.split(), "--help").stdout
            self.assertTrue(help_text.startswith(f"Usage: talea chain {part}"), help_text)
            self.assertIn("\nExamples:\n", help_text)
        self.assertIn("Usage: talea chain get output OUTPUT.. [OPTION..]\n",
                      self.talea("chain", "get", "output", "--help").stdout)


harness.main()
