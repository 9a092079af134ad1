"""Run with: ISOLDE_LIBRARY=build/libisolde.so python3 examples/python/test_isolde.py"""

import os
import tempfile
import unittest

import isolde

LOST_UPDATE = [
    {"session": 1, "ops": [["r", "x", None], ["w", "x", 1]]},
    {"session": 2, "ops": [["r", "x", None], ["w", "x", 2]]},
]


class Binding(unittest.TestCase):
    def test_a_violation_is_named_and_explained(self):
        history = isolde.parse(LOST_UPDATE)
        self.assertEqual((history.transactions, history.operations), (2, 4))
        self.assertEqual(history.notes, [])
        verdict = isolde.check(history, "si", prove=True)
        self.assertEqual(verdict.outcome, "violated")
        self.assertEqual(verdict.level, "snapshot-isolation")
        self.assertEqual([a.name for a in verdict.anomalies], ["lost-update"])
        self.assertIn("x", verdict.anomalies[0].text)

    def test_what_holds_is_satisfied(self):
        verdict = isolde.check(isolde.parse(LOST_UPDATE), "read-committed", strongest=True)
        self.assertEqual((verdict.outcome, verdict.anomalies), ("satisfied", []))
        self.assertEqual(verdict.report["levels"]["serializable"], "violated")

    def test_files_are_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ünïcode.jsonl")
            with open(path, "w") as file:
                file.write('{"session":1,"ops":[["w","x",1]]}\n')
            self.assertEqual(isolde.load(path).transactions, 1)

    def test_errors_are_exceptions(self):
        with self.assertRaisesRegex(isolde.Error, "no-such-file"):
            isolde.load("no-such-file")
        with self.assertRaisesRegex(isolde.Error, "text:1:"):
            isolde.parse('{"session":1,"ops":[["r"]]}', "native")
        with self.assertRaisesRegex(isolde.Error, 'unknown level "perfect"'):
            isolde.check(isolde.parse(LOST_UPDATE), "perfect")
        with self.assertRaises(isolde.Error):
            isolde.parse([])

    def test_names_are_lists(self):
        self.assertIn("serializable", isolde.levels())
        self.assertIn("solver", isolde.methods())
        self.assertIn("native", isolde.formats())
        self.assertRegex(isolde.version(), r"^\d+\.\d+\.\d+")

    def test_progress_is_reported(self):
        stages = []
        transactions = [{"session": i % 4, "ops": [["w", i % 7, i], ["r", i % 7, i]]} for i in range(20000)]
        isolde.check(isolde.parse(transactions), "ser", progress=lambda stage, done, total: stages.append(stage))
        self.assertTrue(all(isinstance(stage, str) for stage in stages))


if __name__ == "__main__":
    unittest.main()
