#!/usr/bin/env python3
"""Runs `talea index` as a user would: fills indexes from arguments, files and rows, asks them, and gets it wrong.

    index_test.py TALEA VISITS LEDGER [TEST..]
"""
import json
import random
import re

import harness
from harness import VISITS_COUNT

PEOPLE = '''id,city,age
ada,London,36
bob,Paris,
"zoë","London, ""ON""",51
'''


class IndexTest(harness.LayerTest):
    """Each test has visits.db, in which indexes can be made."""

    layer = "index"
    index = harness.LayerTest.call

    def setUp(self):
        super().setUp()
        self.location = self.fill(20)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def entries(self, name, *condition):
        """The entries, as arguments of the command line."""
        answer = self.asked("scan", name, "--limit", "0", *condition)
        self.assertFalse(answer["more"])
        return [(entry["value"], entry["document"]) for entry in answer["entries"]]

    def people(self):
        """An index of PEOPLE by city."""
        self.index("create", "people")
        self.write("people.csv", PEOPLE)
        return self.asked("load", "people", "people.csv", "--value", "city", "--document", "id")


class Create(IndexTest):
    def test_makes_an_index_that_is_listed(self):
        self.assertEqual(self.index("list"), "No indexes.\n")
        self.assertEqual(self.index("create", "a"), 'Created index "a".\n')
        self.index("create", "b", "--histogram", "fixed:3", "--elements", "2", "--peek-cap", "16")
        listed = self.asked("list")["indexes"]
        self.assertEqual(listed[0], {"name": "a", "entries": 0, "histogram": "learned", "elements": 1, "peek_cap": 1024,
                                     "building": False, "next_histogram": None})
        self.assertEqual(listed[1], {"name": "b", "entries": 0, "histogram": "fixed:3", "elements": 2, "peek_cap": 16,
                                     "building": False, "next_histogram": None})
        self.assertRegex(self.index("list"), r"(?m)^b +0  fixed:3 +2 +16  ready$")
        self.assertEqual(self.index("stats"), self.index("list"))

    def test_refuses_what_no_index_can_be(self):
        for arguments, expected in ((["--histogram", "fixed:0"], "expected learned, or fixed:1 to fixed:8"),
                                    (["--histogram", "fixed:9"], 'found "fixed:9"'),
                                    (["--histogram", ""], 'found ""'),
                                    (["--elements", "0"], "1 to 16"), (["--elements", "17"], "1 to 16"),
                                    (["--elements", "257"], "--elements: expected at most 255, found 257"),
                                    (["--peek-cap", "3"], "4 to 65"), (["--peek-cap", "65537"], "4 to 65"),
                                    (["--peek-cap", "4294967296"], "--peek-cap: expected at most")):
            self.assertIn(expected, self.index("create", "a", *arguments, code=2))
        self.index("create", "", code=2)
        self.index("create", "x" * 256, code=2)
        self.index("create", code=2)
        self.assertEqual(self.index("list"), "No indexes.\n")

    def test_refuses_a_name_that_is_taken(self):
        self.index("create", "a")
        self.assertIn('"a"', self.index("create", "a", code=1))

    def test_creates_no_database(self):
        self.location = "rocksdb:nothing.db"
        for command in (["create", "a"], ["add", "a", "b", "c"], ["list"], ["stats"], ["drop", "a", "--yes"]):
            self.index(*command, code=3)
        self.assertFalse((self.folder / "nothing.db").exists())


class Drop(IndexTest):
    def test_drops_the_index_that_is_named_and_no_other(self):
        self.people()
        self.index("create", "other")
        self.index("add", "other", "1", "2")
        self.assertIn("say --yes to do it", self.index("drop", "people", code=2))
        self.assertEqual(self.index("drop", "people", "--yes"), 'Dropped index "people".\n')
        self.assertEqual([index["name"] for index in self.asked("list")["indexes"]], ["other"])
        self.assertEqual(self.entries("other"), [("1", "2")])
        self.index("drop", "people", "--yes", code=3)


class Entries(IndexTest):
    VALUES = ["null", "0xcafe", "London", '"42"', "-42", "42", "18446744073709551616", "-1.5", "1.5f", "inf", "nan",
              '"inf"', '"-inf"', '"nan"', "true",
              "1b4e28ba-2fa1-11d2-883f-0016d3cca427", '"a\\"b"', "007", "größe", '""', "a b"]

    def test_are_written_as_they_are_shown(self):
        self.index("create", "a")
        for value in self.VALUES:
            self.assertEqual(self.index("add", "a", "--", value, value), "Added.\n", value)
        self.assertEqual(sorted(self.entries("a")), sorted((value, value) for value in self.VALUES))
        for value in self.VALUES:
            self.assertEqual(self.asked("estimate", "a", "--equal", value)["estimate"], 1, value)
            self.assertEqual(self.index("remove", "a", "--", value, value), "Removed.\n", value)
        self.assertEqual(self.asked("list")["indexes"][0]["entries"], 0)

    def test_cannot_steer_a_terminal(self):
        self.index("create", "a")
        for hostile in ("\x1b[31m", "\u009b31m"):
            self.index("add", "a", hostile, hostile)
            self.assertEqual(self.asked("estimate", "a", "--equal", hostile)["estimate"], 1)
            for command in (["scan", "a"], ["stats", "a"], ["explain", "a", "--equal", hostile]):
                self.assertNotIn(hostile[0], self.index(*command))

    def test_are_of_the_type_that_is_said(self):
        self.index("create", "a")
        for value, kind, shown in (("42", "text", '"42"'), ("42", "float64", "42.0"), ("x", "bytes", "0x78"),
                                   ('"', "text", '"\\""'), ("007", "integer", "7")):
            self.index("add", "a", value, "x", "--types", kind)
            self.assertEqual(self.entries("a"), [(shown, "x")])
            self.index("remove", "a", value, "x", "--types", kind)
        self.index("add", "a", "1", "42", "--document-type", "text")
        self.assertEqual(self.entries("a"), [("1", '"42"')])

    def test_are_there_once(self):
        self.index("create", "a")
        self.assertEqual(self.index("add", "a", "London", "ada"), "Added.\n")
        self.assertEqual(self.index("add", "a", "London", "ada"), "It was there already.\n")
        self.assertEqual(self.asked("add", "a", "London", "ada"), {"index": "a", "added": False})
        self.assertEqual(self.index("-q", "add", "a", "London", "bob"), "")
        self.assertEqual(self.asked("list")["indexes"][0]["entries"], 2)
        self.assertIn('no entry with value "Paris" and document "ada"', self.index("remove", "a", "Paris", "ada", code=3))

    def test_may_have_several_elements(self):
        self.index("create", "a", "--elements", "2")
        self.index("add", "a", "(de, 42)", "x")
        self.index("add", "a", '("a, b", (1, 2))', "y")
        self.index("add", "a", "(1, 2)", "z", "--types", "text,float64")
        self.assertEqual(self.entries("a"), [('("1", 2.0)', "z"), ('("a, b", (1, 2))', "y"), ("(de, 42)", "x")])
        self.assertEqual(self.entries("a", "--equal", "de"), [("(de, 42)", "x")])
        for value in ("de", "(de, 42, 1)", "()"):
            self.assertIn("2 elements", self.index("add", "a", value, "x", code=2))

    def test_that_are_wrong_are_refused(self):
        self.index("create", "a")
        for arguments, expected in ((['"open', "x"], 'VALUE: "\\"open": expected a closing quote at character 6'),
                                    (["(1", "x"], "VALUE: "), (["0xf", "x"], "VALUE: "),
                                    (["x", "(1"], "DOCUMENT: "),
                                    (["x", "y", "--types", "integer"], 'VALUE: expected integer, found "x"'),
                                    (["x", "y", "--document-type", "uuid"], 'DOCUMENT: expected uuid, found "y"'),
                                    (["x", "y", "--types", "number"], "--types: expected some of text, "),
                                    (["x"], "DOCUMENT is required"),
                                    (["x" * 100_000, "y"], "")):
            self.assertIn(expected, self.index("add", "a", *arguments, code=1 if len(arguments[0]) > 99 else 2))
        self.assertIn('"b"', self.index("add", "b", "x", "y", code=3))
        self.assertEqual(self.entries("a"), [])

    def test_are_scanned_in_order_both_ways_and_up_to_a_limit(self):
        self.people()
        lines = ['"London": "ada"\n', '"London, \\"ON\\"": "zoë"\n', '"Paris": "bob"\n']
        self.assertEqual(self.index("scan", "people"), "".join(lines))
        self.assertEqual(self.index("scan", "people", "--reverse"), "".join(reversed(lines)))
        self.assertEqual(self.index("scan", "people", "--limit", "1"), lines[0])
        self.assertTrue(self.asked("scan", "people", "--limit", "2")["more"])
        self.assertFalse(self.asked("scan", "people", "--limit", "3")["more"])


class Load(IndexTest):
    def refused(self, text, *arguments, code=1, name="file.csv"):
        """What is said of a file that is in error."""
        self.write(name, text)
        return self.index("load", "a", name, *arguments, code=code)

    def test_takes_csv_by_names_and_numbers_of_columns(self):
        answer = self.people()
        self.assertEqual(answer, {"index": "people", "lines": 3, "added": 3, "there_already": 0, "without_entry": 0,
                                  "bad_lines": 0, "problems": []})
        self.assertEqual(self.entries("people"), [("London", "ada"), ('"London, \\"ON\\""', "zoë"), ("Paris", "bob")])
        self.index("create", "a")
        self.write("bare.csv", PEOPLE.split("\n", 1)[1].replace("\n", "\r\n"))
        told = self.index("load", "a", "bare.csv", "--no-header", "--value", "3", "--types", "integer", "--document", "1")
        self.assertEqual(told, 'Read 3 lines of file "bare.csv": 3 entries added.\n')
        self.assertEqual(self.entries("a"), [("null", "bob"), ("36", "ada"), ("51", "zoë")])

    def test_takes_json_lines_by_names_of_fields(self):
        self.index("create", "a", "--elements", "2")
        lines = [{"id": 1, "address": {"city": "London"}, "age": 36}, {"id": 2, "address": {"city": None}, "age": 4.5},
                 {"id": 3, "address": {"city": True}, "age": "old"}]
        self.write("people.jsonl", "\n\n".join(json.dumps(line) for line in lines))
        self.index("load", "a", "people.jsonl", "--value", "address.city", "--value", "age", "--document", "id")
        self.assertEqual(self.entries("a"), [("(null, 4.5)", "2"), ("(London, 36)", "1"), ("(true, old)", "3")])

    def test_takes_json_lines_without_end(self):
        lines = 5_000
        self.index("create", "a")
        self.write("many.jsonl", "".join(json.dumps({"id": line, "tags": ["x" * (line % 300)], "age": line % 7}) + "\n"
                                         for line in range(lines)))
        answer = self.asked("load", "a", "many.jsonl", "--value", "age", "--document", "id")
        self.assertEqual((answer["lines"], answer["added"]), (lines, lines))
        self.assertEqual(self.asked("estimate", "a", "--equal", "3")["estimate"], len(range(3, lines, 7)))

    def test_takes_standard_input(self):
        self.index("create", "a")
        self.index("load", "a", "-", "--format", "csv", "--value", "city", "--document", "id", given=PEOPLE)
        self.assertEqual(len(self.entries("a")), 3)
        self.assertIn('standard input, line 2: "city": expected integer',
                      self.index("load", "a", "-", "--format", "csv", "--value", "city", "--document", "id", "--types",
                                 "integer", given=PEOPLE, code=1))

    def test_can_be_repeated(self):
        self.people()
        told = self.index("load", "people", "people.csv", "--value", "city", "--document", "id")
        self.assertEqual(told, 'Read 3 lines of file "people.csv": 0 entries added, 3 there already.\n')

    def test_says_what_a_missing_field_means(self):
        self.index("create", "a")
        self.write("people.jsonl", '{"id":1,"city":"London"}\n{"id":2}\n')
        load = ["load", "a", "people.jsonl", "--value", "city", "--document", "id"]
        self.assertIn('line 2: "city": expected a value, found nothing; --missing', self.index(*load, code=1))
        self.assertIn("1 line without a value", self.index(*load, "--missing", "skip"))
        self.assertEqual(self.entries("a"), [("London", "1")])
        self.index(*load, "--missing", "null")
        self.assertEqual(self.entries("a"), [("null", "2"), ("London", "1")])
        self.assertIn('"name": expected a document, found nothing',
                      self.index(*load[:-1], "name", "--missing", "null", code=1))

    def test_says_what_an_empty_field_means_that_is_no_text(self):
        self.index("create", "a")
        self.write("people.csv", PEOPLE)
        load = ["load", "a", "people.csv", "--value", "age", "--types", "integer", "--document", "id"]
        self.assertIn('line 3: "age": expected a value, found nothing; --missing', self.index(*load, "--missing", "fail", code=1))
        self.assertIn("1 line without a value", self.index(*load, "--missing", "skip"))
        self.assertEqual(self.entries("a"), [("36", "ada"), ("51", "zoë")])
        self.index(*load)
        self.assertEqual(self.entries("a"), [("null", "bob"), ("36", "ada"), ("51", "zoë")])

    def test_refuses_a_document_that_is_none(self):
        self.index("create", "a")
        wanted = ["--value", "city", "--document", "id"]
        self.assertIn('line 1: "id": expected a document, found null',
                      self.refused('{"id":null,"city":1}\n', *wanted, name="file.jsonl"))
        self.assertIn('line 2: "id": expected a document, found nothing',
                      self.refused("id,city\n,London\n", *wanted, "--document-type", "integer"))
        self.assertEqual(self.entries("a"), [])

    def test_names_line_and_character_of_what_is_wrong(self):
        self.index("create", "a")
        csv = ["--value", "city", "--document", "id"]
        for text, expected in (("id,city\nada,London\nbob\n", "line 3: expected 2 fields, as on the first line, found 1"),
                               ("id,city\nada,Lon\"don\n", "line 2, character 8: expected quotes around the whole"),
                               ("id,city\nada,\"London\n\n", "line 4, character 1: expected a closing quote for that of line 2"),
                               ("id,city\nada,\"London\"x\n", "line 2, character 13: expected a comma or the end"),
                               ("id,city\n" + "x" * 70_000 + ",London\n", "line 2: value and document: expected at most")):
            said = self.refused(text, *csv)
            self.assertIn('talea: file "file.csv", ' + expected, said)
            self.assertIn("; the lines before it are loaded, and --skip-bad-lines tolerates some\n", said)
        (self.folder / "latin.csv").write_bytes("id,city\nada,Zürich\n".encode("latin-1"))
        self.assertIn('file "latin.csv", line 2: ', self.index("load", "a", "latin.csv", *csv, code=1))
        self.assertIn('file "file.jsonl", line 2: character 7: expected JSON, found "x"',
                      self.refused('{"id":1,"city":1}\n{"id":x}\n', *csv, name="file.jsonl"))
        self.assertIn('"city": expected text, a number, true, false or null, found an array',
                      self.refused('{"id":1,"city":[]}\n', *csv, name="file.jsonl"))
        self.assertIn('line 1: "city": expected a number that a double can hold',
                      self.refused('{"id":1,"city":1e400}\n', *csv, name="file.jsonl"))
        # What stands before the error is in.
        self.assertEqual(self.entries("a"), [("London", "ada"), ("1", "1")])

    def test_tolerates_as_many_bad_lines_as_it_may(self):
        self.index("create", "a")
        self.write("file.csv", 'id,age\na,1\nb,x\nc,"2"2\nd,4\ne\n')
        load = ["load", "a", "file.csv", "--value", "age", "--types", "integer", "--document", "id"]
        self.assertIn("line 6: ", self.index(*load, "--skip-bad-lines", "2", code=1))
        self.assertEqual(self.entries("a"), [("1", "a"), ("4", "d")])
        answer = self.asked(*load, "--skip-bad-lines", "3")
        self.assertEqual((answer["bad_lines"], answer["there_already"], len(answer["problems"])), (3, 2, 3))
        done = self.talea("index", *load, "--skip-bad-lines", "3", db=self.location)
        self.assertIn("2 there already, 3 lines in error.\n", done.stdout)
        self.assertEqual(done.stderr.count("talea: passed over: file \"file.csv\", line "), 3)

    def test_changes_nothing_where_it_cannot_begin(self):
        self.index("create", "a")
        for text, arguments, expected in (
                (PEOPLE, ["--value", "town", "--document", "id"],
                 'file "file.csv": column "town": expected one of "id", "city", "age", or a number from 1 to 3'),
                (PEOPLE, ["--value", "4", "--document", "id"], 'column "4": expected one of'),
                (PEOPLE, ["--value", "city", "--value", "age", "--document", "id"], "expected 1 --value"),
                (PEOPLE, ["--value", "city", "--document", "id", "--types", "text,text"], "--types: expected 1"),
                (PEOPLE, ["--value", "city", "--document", "id", "--types", "number"], "--types: expected some of"),
                (PEOPLE, ["--value", "city", "--document", "id", "--batch", "0"], "--batch: expected a number from 1"),
                (PEOPLE, ["--value", "city", "--document", "id", "--format", "xml"], "--format: expected one of"),
                (PEOPLE, ["--value", "city", "--document", "id", "--missing", "x"], "--missing: expected one of"),
                (PEOPLE, ["--value", "city"], "--document is required"),
                (PEOPLE, ["--document", "id"], "--value is required"),
                ("id,city,city\n", ["--value", "city", "--document", "id"], 'column "city": expected a name that one'),
                ("", ["--value", "city", "--document", "id"], "expected a header, found nothing")):
            self.assertIn(expected, self.refused(text, *arguments, code=2))
        self.assertIn("say --format csv", self.refused(PEOPLE, "--value", "city", "--document", "id", code=2, name="people"))
        self.assertIn('expected names of fields', self.refused("{}", "--value", "a..b", "--document", "id", code=2,
                                                               name="a.jsonl"))
        wanted = ["--value", "city", "--document", "id", "--format", "csv"]
        self.assertIn("expected a file, found nothing", self.index("load", "a", "nothing.csv", *wanted, code=3))
        self.assertIn("found a folder", self.index("load", "a", "visits.db", *wanted, code=1))
        self.index("load", "b", "file.csv", *wanted, code=3)
        self.assertEqual(self.entries("a"), [])

    def test_goes_on_after_an_interruption(self):
        lines = 60_000
        self.write("large.csv", "id,age\n" + "".join(f"{line},{line % 97}\n" for line in range(lines)))
        self.index("create", "a")
        load = ["load", "a", "large.csv", "--value", "age", "--types", "integer", "--document", "id", "--batch", "100"]
        self.assertIn("talea: interrupted; ", self.interrupted(*load))
        before = self.asked("list")["indexes"][0]["entries"]
        self.assertLess(before, lines)
        answer = self.asked(*load)
        self.assertEqual((answer["added"], answer["there_already"]), (lines - before, before))
        self.assertTrue(self.asked("verify", "a")["well"])

    def test_tells_how_far_it_is(self):
        self.index("create", "a")
        self.write("people.csv", PEOPLE)
        done = self.talea("index", "load", "a", "people.csv", "--value", "city", "--document", "id", db=self.location)
        self.assertRegex(done.stderr, r"^load: \d+ bytes in \d+:\d\d, .* bytes/s\n$")


class Build(IndexTest):
    def setUp(self):
        super().setUp()
        self.location = self.fill(VISITS_COUNT, "many.db")

    def test_takes_in_the_rows_of_a_keyspace(self):
        self.index("create", "pages")
        told = self.index("build", "pages", "--from", "log", "--value", "value", "--types", "text", "--document", "key:1")
        self.assertEqual(told, f'Built index "pages" from keyspace "log": it has {VISITS_COUNT} entries.\n')
        pages = {"/about": 0, "/blog": 0, "/home": 0}
        for entry in self.asked("scan", "pages", "--limit", "0")["entries"]:
            pages[entry["value"]] += 1
        for page, visits in pages.items():
            self.assertEqual(self.asked("estimate", "pages", "--equal", page)["estimate"], visits)
        self.index("create", "counts")
        self.index("build", "counts", "--from", "visits", "--value", "value", "--document", "key", "--document-type", "text")
        self.assertEqual(sorted(self.entries("counts")), sorted((str(visits), page) for page, visits in pages.items()))
        # Once more it finds nothing new.
        self.assertEqual(self.asked("build", "counts", "--from", "visits", "--value", "value", "--document-type",
                                    "text"), {"index": "counts", "entries": 3, "bad_rows": 0})

    def test_goes_on_after_an_interruption(self):
        rows = 20_000
        self.location = self.fill(rows, "large.db")
        self.index("create", "pages")
        build = ["build", "pages", "--from", "log", "--value", "value", "--types", "text", "--document", "key:1"]
        self.assertIn('index "pages" has the entries of some rows', self.interrupted(*build))
        self.assertIn("not built yet", self.index("list"))
        self.assertIn("not built yet", self.index("stats", "pages"))
        self.assertIn('"pages"', self.index("estimate", "pages", code=1))
        self.assertEqual(self.asked(*build)["entries"], rows)
        self.assertIn("ready", self.index("list"))
        self.assertEqual(self.asked("estimate", "pages")["estimate"], rows)
        self.assertTrue(self.asked("verify", "pages")["well"])

    def test_goes_on_with_the_same_parts_alone(self):
        self.location = self.fill(20_000, "large.db")
        self.index("create", "pages")
        build = ["build", "pages", "--from", "log", "--value", "value", "--types", "text", "--document", "key:1"]
        self.interrupted(*build)
        for other in (["--value", "key:1", "--document", "key:1"], [*build[4:], "--document-type", "text"],
                      [*build[4:], "--missing", "skip"], ["--value", "value", "--document", "key:1"]):
            said = self.index("build", "pages", "--from", "log", *other, code=1)
            self.assertIn("by \"--value value --document key:1 --types text\", found \"--value ", said)
            self.assertNotIn("the same command goes on", said)
        self.assertEqual(self.asked(*build)["entries"], 20_000)

    def test_names_the_row_that_is_in_error(self):
        self.index("create", "a")
        build = ["build", "a", "--from", "visits", "--document", "key"]
        said = self.index(*build, "--value", "json:city", code=1)
        self.assertRegex(said, r'keyspace "visits", key "/about": character 1: expected JSON')
        self.assertIn("; --skip-bad-rows tolerates some\n", said)
        self.assertIn('key "/about"', self.index(*build, "--value", "key", "--types", "integer", code=1))
        self.assertIn('"key:2": expected a value, found nothing',
                      self.index("build", "a", "--from", "log", "--value", "key:2", code=1))
        self.assertEqual(self.asked(*build, "--value", "json:city", "--skip-bad-rows", "3")["bad_rows"], 3)
        self.assertIn('key "/', self.index(*build, "--value", "json:city", "--skip-bad-rows", "2", code=1))

    def test_changes_nothing_where_it_cannot_begin(self):
        self.index("create", "a")
        for arguments, expected, code in ((["--from", "log", "--value", "city"], "--value: expected key, value, key:N", 2),
                                          (["--from", "log", "--value", "key", "--document", "x"], "--document: expected", 2),
                                          (["--from", "log", "--value", "json:"], "expected names of fields", 2),
                                          (["--from", "histograms", "--value", "key"], "one of Talea's own", 2),
                                          (["--from", "nothing", "--value", "key"], 'keyspace "nothing": expected one', 3),
                                          (["--value", "key"], "--from is required", 2),
                                          (["--from", "log"], "--value is required", 2)):
            self.assertIn(expected, self.index("build", "a", *arguments, code=code))
        self.index("build", "b", "--from", "log", "--value", "key", code=3)
        self.assertEqual(self.asked("list")["indexes"][0]["entries"], 0)
        self.assertFalse(self.asked("list")["indexes"][0]["building"])


class Estimates(IndexTest):
    COUNT = 20_000

    def setUp(self):
        """Ages that are normal, an index with a small peek cap, and what is in it."""
        super().setUp()
        chance = random.Random(1)
        self.ages = [max(0, round(chance.gauss(40, 15))) if number % 20 else None for number in range(self.COUNT)]
        self.location = "rocksdb:ages.db"
        harness.prepare("ages", self.folder / "ages.db", self.load_ages)

    def load_ages(self):
        self.fill(1, "ages.db")
        self.write("ages.csv", "id,age\n" + "".join(
            f"{number},{'' if age is None else age}\n" for number, age in enumerate(self.ages)))
        self.index("create", "ages", "--peek-cap", "64")
        self.index("load", "ages", "ages.csv", "--value", "age", "--types", "integer", "--document", "id")

    def test_hold_the_truth(self):
        self.hold_the_truth(scanned=True)

    def hold_the_truth(self, scanned=False):
        """Compares the estimates, and what a scan finds, with what was loaded."""
        known = [age for age in self.ages if age is not None]
        for condition, truth in ((["--equal", "40"], known.count(40)), (["--null"], self.ages.count(None)),
                                 (["--not", "--null"], len(known)), ([], self.COUNT),
                                 (["--at-least", "18", "--below", "65"], sum(18 <= age < 65 for age in known)),
                                 (["--above", "18", "--at-most", "65"], sum(18 < age <= 65 for age in known)),
                                 (["--in", "1", "--in", "40", "--in", "41"], sum(age in (1, 40, 41) for age in known)),
                                 (["--at-least", "18", "--below", "65", "--not"],
                                  self.COUNT - sum(18 <= age < 65 for age in known)),
                                 (["--equal", "text"], 0), (["--starts-with", "4"], None),
                                 (["--equal", "40", "--below", "40"], 0)):
            if truth is None:
                self.assertIn("text or bytes", self.index("estimate", "ages", *condition, code=2))
                continue
            for peek in ([], ["--no-peek"]):
                answer = self.asked("estimate", "ages", *condition, *peek)
                self.assertLessEqual(answer["low"], truth, condition)
                self.assertGreaterEqual(answer["high"], truth, condition)
                if answer["exact"]:
                    self.assertEqual(answer["estimate"], truth, condition)
            if scanned:
                self.assertEqual(len(self.entries("ages", *condition)), truth)

    def test_are_told_in_words(self):
        self.assertEqual(self.index("estimate", "ages"), f"{self.COUNT:,} entries (exact)\n")
        self.assertRegex(self.index("estimate", "ages", "--at-least", "39", "--below", "40", "--no-peek"),
                         r"^(about )?[\d,]+ entries(, between [\d,]+ and [\d,]+| \(exact\))\n$")

    def test_are_explained(self):
        shown = self.index("explain", "ages", "--at-least", "18", "--below", "65")
        self.assertTrue(shown.startswith("Histogram: learned\n\nfrom 18 to below 65\n"), shown)
        self.assertIn("\nbetween  ", shown)
        self.assertRegex(shown, r"\nTogether: .*entries")
        answer = self.asked("explain", "ages", "--in", "20", "--in", "40")
        self.assertEqual([step["from"] for step in answer["steps"]], ["20", "40"])
        self.assertEqual(answer["estimate"], self.asked("estimate", "ages", "--in", "20", "--in", "40"))

    def test_are_drawn(self):
        shown = self.index("stats", "ages")
        known = [age for age in self.ages if age is not None]
        self.assertIn(f"\nEntries    {self.COUNT:,}\n", shown)
        self.assertRegex(shown, r"\nDistinct   (about )?\d+ values")
        self.assertIn("\nNull       5 %\n", shown)
        self.assertRegex(shown, rf"\nMost common values\nnull +#+  {self.ages.count(None):,}\n")
        most = sorted((self.ages.count(age) for age in set(self.ages)), reverse=True)
        others = int(re.search(r"(?m)^others have at most ([\d,]+)$", shown)[1].replace(",", ""))
        self.assertGreaterEqual(others, most[10])
        self.assertIn("\nEntries by value, in equal spans from\n", shown)
        answer = self.asked("stats", "ages")
        self.assertLessEqual(len(answer["chart"]["bars"]), 21)
        self.assertEqual(sum(bar["entries"] for bar in answer["chart"]["bars"]), self.COUNT)
        self.assertEqual(answer["most_common"][0], {"value": "null", "entries": self.ages.count(None)})
        self.assertLessEqual(answer["distinct"]["low"], len(set(known)) + 1)
        self.assertGreaterEqual(answer["distinct"]["high"], len(set(known)) + 1)

    def test_stay_the_same_with_another_histogram(self):
        told = self.index("change", "ages", "fixed:3")
        self.assertIn('Index "ages" is counted by a histogram of the kind fixed:3 now.\n', told)
        self.assertEqual(self.asked("list")["indexes"][0]["histogram"], "fixed:3")
        self.hold_the_truth()
        self.assertTrue(self.asked("verify", "ages")["well"])
        self.index("change", "ages", "learned")
        self.assertTrue(self.asked("verify", "ages")["well"])
        self.assertIn("expected learned, or fixed:1 to fixed:8", self.index("change", "ages", "fixed", code=2))
        self.index("change", "nothing", "fixed:2", code=3)

    def test_stay_the_same_while_a_change_is_interrupted(self):
        self.assertIn('index "ages" is as it was', self.interrupted("change", "ages", "fixed:2"))
        self.assertRegex(self.index("list"), r"(?m)^ages .* learned .* ready, changing to fixed:2$")
        self.hold_the_truth()
        self.index("add", "ages", "40", "new")
        self.index("change", "ages", "fixed:2")
        self.assertEqual(self.asked("estimate", "ages")["estimate"], self.COUNT + 1)
        self.assertTrue(self.asked("verify", "ages")["well"])

    def test_refuse_what_is_no_condition(self):
        for condition, expected in ((["--not"], "--not: expected another condition"),
                                    (["--equal", "(1"], "--equal: "), (["--in", "1", "--in", '"x'], "--in: "),
                                    (["--below", "x", "--types", "integer"], '--below: expected integer, found "x"'),
                                    (["--equal", "(1, 2)"], "elements"), (["--equal"], "--equal: 1 required"),
                                    (["--types", "x"], "--types: "), (["40"], 'unexpected argument "40"')):
            for command in ("estimate", "explain", "scan"):
                self.assertIn(expected, self.index(command, "ages", *condition, code=2))
        for command in ("estimate", "explain", "scan", "stats", "verify"):
            self.assertIn('"nothing"', self.index(command, "nothing", code=3))

    def test_take_numbers_below_zero(self):
        self.index("add", "ages", "-5", "x")
        self.assertEqual(self.asked("estimate", "ages", "--below", "-1", "--above", "-9")["estimate"], 1)


class Verify(IndexTest):
    def test_finds_all_well(self):
        self.assertEqual(self.index("verify"), "No indexes.\n")
        self.people()
        self.assertEqual(self.index("verify"),
                         'index "people": 3 entries counted, as its histogram says\n\nAll is well.\n')
        self.assertEqual(self.asked("verify", "people"),
                         {"well": True, "indexes": [{"name": "people", "entries": 3, "problem": None}]})

    def test_is_part_of_the_databases(self):
        self.people()
        answer = json.loads(self.talea("verify", "--json", db=self.location).stdout)
        self.assertTrue(answer["well"])


class IndexHelp(IndexTest):
    def test_of_every_part_has_examples(self):
        listed = self.talea("index", "--help").stdout.split("Commands:\n")[1].split("\n\n")[0]
        parts = [line.split()[0] for line in listed.splitlines()]
        self.assertEqual(set(parts), {"list", "stats", "estimate", "explain", "scan", "verify", "create", "add", "remove",
                                      "load", "build", "change", "drop"})
        for part in parts:
            help_text = self.talea("index", part, "--help").stdout
            self.assertTrue(help_text.startswith(f"Usage: talea index {part}"), help_text)
            self.assertIn("\nExamples:\n", help_text)


class IndexOfATenant(IndexTest):
    def test_is_its_own(self):
        self.people()
        self.talea("copy", "rocksdb:all.db?tenant=a", db=self.location)
        self.talea("copy", "rocksdb:all.db?tenant=b", db=self.location)
        self.location = "rocksdb:all.db?tenant=a"
        self.index("add", "people", "Rome", "eve")
        self.assertEqual(self.asked("estimate", "people")["estimate"], 4)
        self.location = "rocksdb:all.db?tenant=b"
        self.assertEqual(self.asked("estimate", "people")["estimate"], 3)


harness.main()
