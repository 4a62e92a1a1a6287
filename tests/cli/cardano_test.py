#!/usr/bin/env python3
"""Runs `talea chain import-cardano` and `talea chain show` as a user would, on small blocks and, where they are there, on
real ones.

    cardano_test.py TALEA VISITS LEDGER [TEST..]
"""
import hashlib
import os
import pathlib
import re
import signal
import subprocess

import harness
from harness import ENVIRONMENT, TALEA

DATA = pathlib.Path(os.environ.get("TALEA_TEST_DATA", pathlib.Path(__file__).parents[3] / "shared" / "data"), "cardano")

PAYMENT = bytes.fromhex("9493315cd92eb5d8c4304e67b7e16ae36d61d34502694657811a2c8e")
STAKE = bytes.fromhex("337b62cfff6403a06a3acbc34f8c46003c69fe79a3628cefa9c47251")
ENTERPRISE = ("addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8", b"\x61" + PAYMENT)
BASE = ("addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x",
        b"\x01" + PAYMENT + STAKE)
STAKE_ADDRESS = "stake1uyehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gh6ffgw"
POLICY = bytes(range(28))


def cbor(value):
    """What the small blocks are made of."""
    def head(major, number):
        return bytes([major << 5 | 27]) + number.to_bytes(8, "big")
    if value is None:
        return b"\xf6"
    if isinstance(value, int):
        return head(0, value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(cbor, value))
    return head(5, len(value)) + b"".join(cbor(key) + cbor(item) for key, item in value.items())


def blake(encoded):
    return hashlib.blake2b(encoded, digest_size=32).digest()


class SmallBlock:
    """A block of Babbage: its hash, its transactions' hashes, and its bytes."""

    def __init__(self, number, parent, bodies, invalid=()):
        header = [[number, 20 * number, parent], b"signature"]
        self.hash = blake(cbor(header))
        self.point = f"{20 * number}.{self.hash.hex()}"
        self.transactions = [blake(cbor(body)).hex() for body in bodies]
        self.bytes = cbor([6, [header, bodies, [], {}, list(invalid)]])


def chain():
    """Three blocks. The second spends an output of the first, the third one is invalid and loses its collateral."""
    first = SmallBlock(0, None, [{0: [], 1: [[ENTERPRISE[1], 1_500_000], [BASE[1], 2_000_000],
                                             {0: BASE[1], 1: [3_000_000, {POLICY: {b"MIN": 7, b"\xff": 1}}]}],
                                  2: 170_000}])
    made = bytes.fromhex(first.transactions[0])
    second = SmallBlock(1, first.hash, [{0: [[made, 0]], 1: [[BASE[1], [1_000_000, {POLICY: {b"MIN": 5}}]]], 2: 500_000}])
    third = SmallBlock(2, second.hash, [{0: [[made, 2]], 1: [], 2: 180_000, 13: [[made, 1]],
                                         16: [ENTERPRISE[1], 1_700_000]}], invalid=[0])
    return [first, second, third]


class CardanoTest(harness.LayerTest):
    """Each test has the small blocks in a file, in a folder of its own."""

    layer = "chain"
    chain = harness.LayerTest.call

    def setUp(self):
        super().setUp()
        self.blocks = chain()
        self.location = "rocksdb:ledger.db"
        self.write("blocks", self.blocks)

    def write(self, name, blocks):
        (self.folder / name).write_bytes(b"".join(block.bytes for block in blocks))

    def imported(self, *arguments, **options):
        return self.asked("import-cardano", "blocks", "--create", *arguments, **options)


class ImportCardano(CardanoTest):
    def test_applies_each_block_once(self):
        shown = self.chain("-q", "import-cardano", "blocks", "--create")
        self.assertEqual(shown, "")
        again = self.imported()
        self.assertEqual(again, {"finished": True, "blocks": 0, "already": 3, "transactions": 0, "inputs": 0,
                                 "missing_inputs": 0, "outputs": 0, "cursor": self.blocks[2].point})
        self.assertTrue(self.asked("verify")["well"])
        self.assertEqual(self.asked("stats")["coin"], 3_000_000 + 1_000_000 + 1_700_000)

    def test_tells_what_it_did(self):
        done = self.talea("--db", self.location, "chain", "import-cardano", "blocks", "--create")
        self.assertEqual(done.stdout, "Blocks        3\nAlready in    0\nTransactions  3\nInputs        2\nOutputs       5\n"
                                      f"Cursor        {self.blocks[2].point}\n")
        self.assertRegex(done.stderr, r"import.* bytes")

    def test_takes_files_one_after_the_other(self):
        self.write("a", self.blocks[:1])
        self.write("b", self.blocks[1:])
        hash_of_all = self.imported() and self.asked("verify")["state_hash"]
        self.location = "rocksdb:other.db"
        self.assertEqual(self.asked("import-cardano", "a", "b", "--create")["blocks"], 3)
        self.assertEqual(self.asked("verify")["state_hash"], hash_of_all)

    def test_takes_a_block_in_hexadecimal_digits(self):
        (self.folder / "digits").write_text(self.blocks[0].bytes.hex() + "\n")
        self.assertEqual(self.asked("import-cardano", "digits", "--create")["outputs"], 3)

    def test_is_taken_back_and_applied_again(self):
        self.imported()
        hash_of_all = self.asked("verify")["state_hash"]
        self.chain("rollback", self.blocks[0].point, "--yes")
        self.assertEqual(self.asked("import-cardano", "blocks")["blocks"], 2)
        self.assertEqual(self.asked("verify")["state_hash"], hash_of_all)

    def test_says_which_input_is_missing_and_passes_over_it_when_told_to(self):
        self.write("rest", self.blocks[1:])
        said = self.chain("import-cardano", "rest", "--create", code=3)
        self.assertFalse((self.folder / "ledger.db").exists())
        self.assertIn(f"block 1 at {self.blocks[1].point}, transaction {self.blocks[1].transactions[0]} (1 of 1), "
                      f"input {self.blocks[0].transactions[0]}#0: expected an output that is unspent, found none", said)
        self.assertIn("--allow-missing-inputs", said)
        shown = self.chain("import-cardano", "rest", "--create", "--allow-missing-inputs")
        self.assertIn("Missing       2 of these inputs, which were passed over\n", shown)

    def test_tells_an_input_that_is_consumed_twice_from_one_that_is_missing(self):
        """A block that spends an output twice was said to miss it, with the hint to pass --allow-missing-inputs, to those who
        had passed it as well."""
        made = self.blocks[0].transactions[0]
        bodies = [{0: [[bytes.fromhex(made), 0]], 1: [], 2: fee} for fee in (1, 2)]
        twice = SmallBlock(1, self.blocks[0].hash, bodies)
        self.write("twice", [self.blocks[0], twice])
        for options in ([], ["--allow-missing-inputs"]):
            said = self.chain("import-cardano", "twice", "--create", *options, code=3)
            self.assertIn(f"block 1 at {twice.point}, transaction {twice.transactions[1]} (2 of 2), input {made}#0: expected "
                          f"the block to consume it once, found that transaction {twice.transactions[0]} (1 of 2) consumes it "
                          "as well", said)
            self.assertNotIn("--allow-missing-inputs", said)

    def test_goes_on_where_it_was_interrupted(self):
        self.chain("import-cardano", "blocks", "--create")
        hash_of_all = self.asked("verify")["state_hash"]
        self.location = "rocksdb:interrupted.db"
        self.assertRegex(self.interrupted("import-cardano", "blocks", "--create"),
                         r"talea: interrupted; 1 block applied, and the ledger is at 0\.[0-9a-f]{64}\. The same command goes "
                         r"on from there\n$")
        self.assertEqual(self.asked("import-cardano", "blocks")["already"], 1)
        self.assertEqual(self.asked("verify")["state_hash"], hash_of_all)

    def test_of_real_blocks_keeps_all_that_is_in_them(self):
        if not DATA.exists():
            self.skipTest(f"the real blocks are not in {DATA}")
        report = self.asked("import-cardano", str(DATA / "01836.chunk"), "--create", "--allow-missing-inputs")
        cursor = report.pop("cursor")
        self.assertEqual(report, {"finished": True, "blocks": 913, "already": 0, "transactions": 834, "inputs": 11290,
                                  "missing_inputs": 11290 - 549, "outputs": 1641})
        self.assertTrue(self.asked("verify")["well"])
        block = self.asked("show", "block", cursor)
        self.assertEqual(block["point"], cursor)
        outputs = self.asked("scan", "outputs", "--limit", "0")["outputs"]
        by_address = {}
        for output in outputs:
            tags = {tag["kind"]: tag["bytes"] for tag in output["tags"]}
            by_address.setdefault(tags["address"], []).append(output)
        for address, of_address in list(by_address.items())[:4]:
            shown = self.asked("show", "address", address, "--limit", "0")
            self.assertEqual([output["output"] for output in shown["outputs"]], [each["output"] for each in of_address])
            self.assertEqual(shown["coin"], sum(each["coin"] for each in of_address))
            self.assertEqual(self.asked("show", "address", shown["address"])["bytes"], address)


class ShowCardano(CardanoTest):
    def setUp(self):
        super().setUp()
        harness.prepare("small blocks", self.folder / "ledger.db", self.imported)
        self.first, self.second, self.third = self.blocks
        self.made = self.first.transactions[0]

    def test_a_block(self):
        expected = {"block": self.second.hash.hex(), "point": self.second.point, "number": 1, "era": "babbage", "slot": 20,
                    "bytes": len(self.second.bytes), "parent": self.first.hash.hex(),
                    "transactions": [{"transaction": self.second.transactions[0], "valid": True, "fee": 500_000,
                                      "inputs": 1, "outputs": 1}]}
        self.assertEqual(self.asked("show", "block", self.second.point), expected)
        self.assertEqual(self.asked("show", "block", self.second.hash.hex()), expected)
        self.assertEqual(self.chain("show", "block", self.first.point),
                         f"Block   {self.first.point}\nNumber  0\nEra     babbage\nSize    {len(self.first.bytes)} bytes\n"
                         f"Parent  none\nHolds   1 transaction\n\n"
                         f"transaction{' ' * 53}  inputs  outputs      fee  valid\n"
                         f"{self.made}       0        3  170,000  yes\n")

    def test_a_transaction(self):
        self.assertEqual(self.asked("show", "transaction", self.second.transactions[0]),
                         {"transaction": self.second.transactions[0], "block": self.second.point, "index": 0, "valid": True,
                          "fee": 500_000, "inputs": [f"{self.made}#0"],
                          "outputs": [{"output": f"{self.second.transactions[0]}#0", "unspent": True, "coin": 1_000_000,
                                       "address": BASE[0]}]})
        self.assertEqual(self.chain("show", "transaction", self.made),
                         f"Transaction  {self.made}\nBlock        {self.first.point}\nIndex        0\nValid        yes\n"
                         f"Fee          170,000 lovelace (0.17 ADA)\nOutput       {self.made}#0  spent\n"
                         f"Output       {self.made}#1  spent\n"
                         f"Output       {self.made}#2  3,000,000 lovelace (3 ADA)  {BASE[0]}\n")
        invalid = self.chain("show", "transaction", self.third.transactions[0])
        self.assertIn("Valid        no: it consumed its collateral\n", invalid)
        self.assertIn(f"Input        {self.made}#1\nOutput       {self.third.transactions[0]}#0  1,700,000 lovelace "
                      f"(1.7 ADA)  {ENTERPRISE[0]}\n", invalid)

    def test_an_output(self):
        shown = self.chain("show", "output", f"{self.made}#2")
        self.assertRegex(shown, re.escape(
            f"Output   {self.made}#2\nState    unspent\nBlock    {self.first.point}\nEra      babbage\n"
            f"Coin     3,000,000 lovelace (3 ADA)\nAddress  {BASE[0]}\nAsset    {POLICY.hex()}.4d494e (\"MIN\"): 7\n"
            f"Asset    {POLICY.hex()}.ff: 1\nCBOR     ") + r"bb[0-9a-f]+\.\. \(\d+ bytes\)\n$")
        self.assertEqual(self.asked("show", "output", f"{self.made}#0"),
                         {"output": f"{self.made}#0", "unspent": False, "block": self.first.point})
        self.assertEqual(self.chain("show", "output", f"{self.made}#0"),
                         f"Output  {self.made}#0\nState   spent\nBlock   {self.first.point}\n")
        # As it was before it was spent.
        earlier = self.asked("show", "output", f"{self.made}#0", "--at", self.first.point)
        self.assertEqual((earlier["unspent"], earlier["coin"], earlier["address"]), (True, 1_500_000, ENTERPRISE[0]))

    def test_an_address(self):
        of_second = f"{self.second.transactions[0]}#0"
        assets = [{"policy": POLICY.hex(), "name": "4d494e", "quantity": "12"},
                  {"policy": POLICY.hex(), "name": "ff", "quantity": "1"}]
        outputs = sorted([{"output": of_second, "coin": 1_000_000}, {"output": f"{self.made}#2", "coin": 3_000_000}],
                         key=lambda output: output["output"])
        for name in (BASE[0], BASE[1].hex(), STAKE_ADDRESS):
            answer = self.asked("show", "address", name)
            self.assertEqual((answer["stake"], answer["count"], answer["coin"], answer["assets"], answer["outputs"]),
                             (name == STAKE_ADDRESS, 2, 4_000_000, assets, outputs))
        done = self.talea("--db", self.location, "chain", "show", "address", STAKE_ADDRESS, "--limit", "1")
        self.assertTrue(done.stdout.startswith(
            f"Stake    {STAKE_ADDRESS}\nOutputs  2\nCoin     4,000,000 lovelace (4 ADA)\n"
            f"Asset    {POLICY.hex()}.4d494e (\"MIN\"): 12\nAsset    {POLICY.hex()}.ff: 1\n\n{outputs[0]['output']}  "),
            done.stdout)
        self.assertEqual(done.stderr, "talea: 1 output more; --limit shows more\n")
        self.assertTrue(self.asked("show", "address", STAKE_ADDRESS, "--limit", "1")["more"])
        nothing = self.asked("show", "address", "stake178phkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gtcccycj5")
        self.assertEqual((nothing["count"], nothing["outputs"], nothing["more"]), (0, [], False))

    def test_is_cut_on_no_terminal(self):
        """On a terminal of 80 columns every line ended there: of what a transaction produced neither coin nor address was
        to be seen, and no address and no point could be copied."""
        for arguments in (["block", self.second.point], ["transaction", self.made], ["output", f"{self.made}#2"],
                          ["address", BASE[0]]):
            command = ["--no-color", "--db", self.location, "chain", "show", *arguments]
            self.assertEqual(self.on_terminal(*command, columns=80), self.talea(*command).stdout)
        shown = self.on_terminal("--db", self.location, "chain", "import-cardano", "blocks", columns=80)
        self.assertIn(f"\nCursor        {self.third.point}\n", shown)

    def test_no_fee_that_was_not_taken(self):
        """Of an invalid transaction the fee that its body offers was shown as its fee, though its collateral was taken, which
        is another sum. Programs get what the body says, beside `valid`."""
        name = self.third.transactions[0]
        self.assertIn("\nFee          180,000 lovelace (0.18 ADA), not taken: its collateral was\n",
                      self.chain("show", "transaction", name))
        self.assertRegex(self.chain("show", "block", self.third.point), rf"\n{name} +1 +1 +not taken  no\n$")
        shown = self.asked("show", "transaction", name)
        self.assertEqual((shown["valid"], shown["fee"]), (False, 180_000))

    def test_the_fee_of_a_transaction_that_tells_it(self):
        """A fee of 0 was said not to be told, which is so in Byron alone, and Byron's to be 0 where programs ask."""
        free = {0: [], 1: [[ENTERPRISE[1], 9]], 2: 0}
        self.write("free", [SmallBlock(0, None, [free])])
        self.asked("import-cardano", "free", "--create", db="rocksdb:free.db")
        name = blake(cbor(free)).hex()
        self.assertEqual(self.asked("show", "transaction", name, db="rocksdb:free.db")["fee"], 0)
        self.assertIn("\nFee          0 lovelace (0 ADA)\n", self.chain("show", "transaction", name, db="rocksdb:free.db"))

        header = [1, bytes(32), 0, [[0, 1], b"", [5], 0], 0]
        body = [[], [], {}]
        (self.folder / "byron").write_bytes(cbor([1, [header, [[[body, []]], 0, 0, 0], 0]]))
        point = self.asked("import-cardano", "byron", "--create", db="rocksdb:byron.db")["cursor"]
        name = blake(cbor(body)).hex()
        self.assertIsNone(self.asked("show", "block", point, db="rocksdb:byron.db")["transactions"][0]["fee"])
        self.assertIsNone(self.asked("show", "transaction", name, db="rocksdb:byron.db")["fee"])
        self.assertIn("\nFee          not told: ", self.chain("show", "transaction", name, db="rocksdb:byron.db"))


class WrongCardanoUsage(CardanoTest):
    def test_names_the_thing_what_was_expected_and_what_was_found(self):
        self.imported()
        self.write("gap", [self.blocks[0], self.blocks[2]])
        other = SmallBlock(0, None, [{0: [], 1: [], 2: 0}])
        self.write("other", [other])
        (self.folder / "cut").write_bytes(b"".join(block.bytes for block in self.blocks)[:-1])
        (self.folder / "text").write_text("no blocks at all")
        none = "0" * 64
        point = self.blocks[2].point
        for arguments, code, expected in (
                (["import-cardano"], 2, "FILE is required"),
                (["import-cardano", "nothing"], 3, 'file "nothing": expected blocks, found: No such file'),
                (["import-cardano", "blocks", "nothing"], 3, 'file "nothing"'),
                (["import-cardano", "gap"], 1, 'file "gap", block 2 at '),
                (["import-cardano", "other"], 1, f"ledger at {point}: expected that block in the files, or their first, "
                                                 f"{other.point}, to be its child; found neither"),
                (["import-cardano", "cut"], 2, 'file "cut", block 2 at byte '),
                (["import-cardano", "text"], 2, 'file "text", block 0 at byte 0: '),
                (["show", "block", "abc"], 2, "BLOCK: expected a hash of 64 hexadecimal digits, or a slot, a dot and the "
                                              'hash; found "abc"'),
                (["show", "block", "20"], 2, 'found "20"'),
                (["show", "block", none], 3, f"block {none}: expected it among the 3 blocks up to {point}, found none"),
                (["show", "block", f"7.{self.blocks[1].hash.hex()}"], 3, "expected it at slot 7, found it at 20"),
                (["show", "transaction", "12"], 2, "TRANSACTION: 32 bytes: expected 64 hexadecimal digits"),
                (["show", "transaction", none], 3, f"transaction {none}: expected it among the 3 transactions up to"),
                (["show", "output", none], 2, "OUTPUT: output: expected 64 hexadecimal digits"),
                (["show", "output", f"{none}#1"], 3, f"output {none}#1: expected it to be unspent at {point}, or made by a "
                                                     "transaction that is recorded; found neither"),
                (["show", "output", f"{self.blocks[0].transactions[0]}#3"], 3, "found neither"),
                (["show", "address", "hello"], 2, 'address "hello": expected bech32'),
                (["show", "address", STAKE_ADDRESS[:-1] + "v"], 2, "expected the checksum"),
                # Digits that were cut off named a stake address, which held nothing.
                (["show", "address", f"e1{STAKE.hex()[:-2]}"], 2, "expected a stake address of 29 bytes, found 28"),
                (["show", "address"], 2, "ADDRESS is required"),
                (["show", "blok", none], 2, 'there is no command "blok"')):
            self.assertIn(expected, self.chain(*arguments, code=code))
        self.assertEqual(self.chain("get", "cursor"), point + "\n")
        self.assertTrue(self.asked("verify")["well"])

    def test_says_where_records_were_not_kept(self):
        self.imported("--no-records")
        for what, name in (("block", self.blocks[0].hash.hex()), ("transaction", self.blocks[0].transactions[0])):
            self.assertIn(f"{what} {name}: expected a record of it, found that this ledger has none of any {what}: `talea "
                          "chain import-cardano` keeps them, unless it is told --no-records",
                          self.chain("show", what, name, code=3))
        # What is unspent is known all the same.
        self.assertEqual(self.asked("show", "output", f"{self.blocks[0].transactions[0]}#2")["block"], None)
        self.assertEqual(self.asked("show", "address", STAKE_ADDRESS)["coin"], 4_000_000)

    def test_of_another_ledger_is_not_damage(self):
        """Asked about the ledger of `talea serve --sample`, whose outputs are none of Cardano's, it told to look for damage,
        and to go back to a backup."""
        server = subprocess.Popen([TALEA, "--db", self.location, "serve", "--sample", "--listen", "127.0.0.1:0"],
                                  cwd=self.folder, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        server.stdout.readline()  # it serves, so the sample is written
        server.send_signal(signal.SIGTERM)
        server.communicate()
        output = self.asked("scan", "outputs", "--limit", "1")["outputs"][0]
        for what, name in (("output", output["output"]), ("address", output["tags"][0]["bytes"])):
            said = self.chain("show", what, name, code=1)
            self.assertIn("#", said)
            self.assertIn(": expected one of Cardano's, as `talea chain import-cardano` stores them, found another: output of "
                          "era 7: byte 0: ", said)
            self.assertNotIn("damaged", said)

    def test_creates_no_database(self):
        self.chain("import-cardano", "blocks", code=3)
        self.chain("show", "block", "0" * 64, code=3)
        self.assertFalse((self.folder / "ledger.db").exists())

    def test_of_files_creates_no_database_even_where_it_may(self):
        """An import of files that were absent, no blocks at all or not to be read left an empty database behind."""
        (self.folder / "text").write_text("no blocks at all")
        (self.folder / "cut").write_bytes(self.blocks[0].bytes[:-1])
        (self.folder / "secret").write_bytes(self.blocks[1].bytes)
        (self.folder / "secret").chmod(0)
        for files, code, expected in ((["nothing"], 3, 'file "nothing": expected blocks, found: No such file'),
                                      (["blocks", "nothing"], 3, 'file "nothing": expected blocks, found: No such file'),
                                      (["blocks", "."], 1, 'file ".": expected blocks, found: Is a directory'),
                                      (["text"], 2, 'file "text", block 0 at byte 0: '),
                                      (["cut"], 2, 'file "cut", block 0 at byte 0: '),
                                      (["secret"], 1, 'opening "secret": Permission denied'),
                                      (["blocks", "secret"], 1, 'opening "secret": Permission denied')):
            said = self.talea("--db", self.location, "chain", "import-cardano", *files, "--create", code=code,
                              before=harness.without_rights_to_all_files(self)).stderr
            self.assertIn(expected, said)
            self.assertFalse((self.folder / "ledger.db").exists(), files)


class CardanoHelp(CardanoTest):
    def test_of_every_part_has_examples(self):
        for part in ("import-cardano", "show", "show block", "show transaction", "show output", "show address"):
            help_text = self.talea("chain", *part.split(), "--help").stdout
            self.assertTrue(help_text.startswith(f"Usage: talea chain {part}"), help_text)
            self.assertIn("\nExamples:\n", help_text)


harness.main()
