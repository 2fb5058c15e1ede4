#!/usr/bin/env python3
"""Tests of what tools/bench makes of samples: statistics, changes since a baseline, targets, tables."""
import csv
import io
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tools/bench"))
import baseline  # noqa: E402
import report  # noqa: E402
import results  # noqa: E402
import spans  # noqa: E402
import stats  # noqa: E402
import table  # noqa: E402
import targets  # noqa: E402


def side(*times, **about):
    samples = [time * 1_000_000 for time in times]
    return {"wall_ns": samples, "cpu_ns": samples, "about": about, "peak_rss_kib": 2048,
            "check": {"identical": True, "different": 0, "worst": 0}}


def run_of(clock="wall", left_out=(), **kernels):
    return results.Results({"clock": clock, "runs": 3, "kernels": kernels, "left_out": list(left_out),
                            "machine": {"processor": "of a test"}})


class Statistics(unittest.TestCase):
    def test_median(self):
        self.assertEqual(stats.median([3]), 3)
        self.assertEqual(stats.median([9, 1, 5]), 5)
        self.assertEqual(stats.median([4, 1, 2, 100]), 3)

    def test_quantile(self):
        self.assertEqual(stats.quantile([0, 10, 20], 0), 0)
        self.assertEqual(stats.quantile([0, 10, 20], 0.25), 5)
        self.assertEqual(stats.quantile([0, 10, 20], 1), 20)
        self.assertEqual(stats.quantile([7], 0.5), 7)

    def test_spread_is_of_the_middle_half(self):
        self.assertEqual(stats.spread([10, 10, 10, 1000]), 0)
        self.assertAlmostEqual(stats.spread([90, 100, 110]), 0.1)
        self.assertEqual(stats.spread([0, 0]), 0)

    def test_geometric_mean(self):
        self.assertAlmostEqual(stats.geometric_mean([2, 8]), 4)
        self.assertAlmostEqual(stats.geometric_mean(x for x in [0.5, 2]), 1)
        self.assertIsNone(stats.geometric_mean([]))

    def test_bootstrap_repeats_and_holds_the_median(self):
        samples = [100, 103, 98, 101, 120, 99, 102]
        low, high = stats.bootstrap(stats.median, samples)
        self.assertEqual((low, high), stats.bootstrap(stats.median, samples))
        self.assertLess(low, 101)
        self.assertGreater(high, 101)
        self.assertEqual(stats.bootstrap(stats.median, [5, 5, 5]), (5, 5))

    def test_ratio(self):
        self.assertEqual(stats.ratio([20, 20], [10, 10]), (2, 2, 2))
        ratio, low, high = stats.ratio([95, 105, 100, 101, 99], [49, 50, 51, 50, 52])
        self.assertEqual(ratio, 2)
        self.assertTrue(low < 2 < high)


class Baselines(unittest.TestCase):
    def changes(self, then, now, threshold=0.05):
        return baseline.compare(run_of(**now), run_of(**then), threshold)

    def test_slower_faster_and_noise(self):
        then = {name: {"hexec/1": side(100, 101, 99)} for name in "abc"}
        now = {"a": {"hexec/1": side(120, 121, 119)}, "b": {"hexec/1": side(80, 81, 79)},
               "c": {"hexec/1": side(99, 102, 100)}}
        slower, faster, same = self.changes(then, now)
        self.assertTrue(slower.is_regression())
        self.assertIn("slower by 20.0 %", slower.text())
        self.assertFalse(faster.is_regression())
        self.assertIn("faster by 20.0 %", faster.text())
        self.assertIn("within noise", same.text())

    def test_small_changes_do_not_count(self):
        then, now = {"a": {"hexec/1": side(100, 100, 100)}}, {"a": {"hexec/1": side(104, 104, 104)}}
        self.assertFalse(self.changes(then, now)[0].is_regression())
        self.assertTrue(self.changes(then, now, threshold=0.03)[0].is_regression())

    def test_wide_intervals_do_not_count(self):
        then, now = {"a": {"hexec/1": side(100, 60, 140)}}, {"a": {"hexec/1": side(110, 70, 150)}}
        self.assertFalse(self.changes(then, now)[0].is_regression())

    def test_a_slower_machine_is_not_blamed_on_hexec(self):
        then = {"a": {"hexec/1": side(100, 100, 100), "native": side(50, 50, 50)}}
        now = {"a": {"hexec/1": side(200, 200, 200), "native": side(100, 100, 100)}}
        change, = self.changes(then, now)
        self.assertEqual(change.ratio, 1)
        self.assertFalse(change.is_regression())

    def test_only_what_both_runs_have(self):
        then, now = {"a": {"native": side(1)}}, {"a": {"hexec/1": side(1)}, "b": {"hexec/1": side(1)}}
        self.assertEqual(self.changes(then, now), [])


class Targets(unittest.TestCase):
    def verdicts(self, found):
        return {row[0]: row[3] for row in targets.rows(found)}

    def test_met_missed_and_not_measured(self):
        found = self.verdicts(run_of(
            nbody={"hexec/1": side(40), "hexec/2": side(20), "native": side(40), "pocl": side(39)},
            saxpy={"hexec/1": side(40), "hexec/2": side(20), "native": side(40), "pocl": side(39)}))
        self.assertEqual(found["hexec's time over plain C's, geometric mean"], "met")
        self.assertEqual(found["PoCL's time over hexec's, geometric mean"], "missed")
        self.assertEqual(found["PoCL's time over hexec's, nbody"], "missed")
        self.assertEqual(found["PoCL's time over hexec's, saxpy"], "met")  # from DRAM: a twentieth slower is allowed
        self.assertEqual(found["one worker's time over two's, geometric mean of kernels that compute"], "met")
        self.assertEqual(found["time with sampled times, over none, geometric mean"], "not measured")

    def test_workers_are_compared_by_the_wall(self):
        one, two = side(40), side(20)
        two["cpu_ns"] = one["cpu_ns"]
        self.assertEqual(run_of(clock="cpu", nbody={"hexec/1": one, "hexec/2": two}).workers("nbody"), 2)


    def test_checkers(self):
        found = run_of(matmul_tiled={"hexec/1": side(5), "hexec/interpreter": side(10), "hexec/memory": side(12), "hexec/race": side(200),
                                     "hexec/small-checks": side(1), "oclgrind/checks": side(30)})
        verdicts = self.verdicts(found)
        self.assertEqual(verdicts["time with --check memory, over none, matmul_tiled"], "met")
        self.assertEqual(verdicts["time with --check race, over none, matmul_tiled"], "missed")
        self.assertEqual(verdicts["time with --check init, over none, matmul_tiled"], "not measured")
        self.assertEqual(verdicts["Oclgrind's time over hexec's, races and unwritten values, matmul_tiled"], "met")
        shown = report.text(found, False, False)
        self.assertRegex(shown, r"(?m)^kernel +memory +race +Oclgrind$")
        self.assertRegex(shown, r"(?m)^matmul_tiled +1\.20 +20\.0 +30\.0$")

    def test_the_log(self):
        found = run_of(nbody={"hexec/1": side(40)})
        span, instruction = (f"{what} with the JSON log to a file, µs" for what in spans.KINDS.values())
        self.assertEqual(self.verdicts(found)[span], "not measured")
        found.data["spans"] = {"span": {"thread_ns": [50, 60, 70], "line_ns": [300, 900, 5000]},
                               "instruction": {"thread_ns": [40], "line_ns": [1100]}}
        self.assertEqual(self.verdicts(found)[span], "met")
        self.assertEqual(self.verdicts(found)[instruction], "missed")
        self.assertIn("with the JSON log to a file: 900 ns (300 to 5000) of CPU time, 60 of them on the thread",
                      report.text(found, True, False))


class Reports(unittest.TestCase):
    def setUp(self):
        about = {"thread_instructions": 8_000_000, "issues": 40_000, "load_ns": 4_000_000, "prepare_ns": 1_000_000}
        self.found = run_of(
            left_out=[{"kernel": "all", "side": "oclgrind", "why": "not installed"},
                      {"kernel": "a", "side": "pocl", "why": "no"}],
            a={"hexec/1": side(2, 2, 4, **about), "native": side(1)},
            b={"hexec/1": side(8, **about), "native": side(1)})

    def test_text(self):
        shown = report.text(self.found, True, False)
        self.assertRegex(shown, r"(?m)^a +2\.00 +0\.0 +4\.00 +50 +2\.00 +2\.0 +5\.0$")
        self.assertRegex(shown, r"(?m)^geometric mean +4\.00$")
        self.assertIn("left out: oclgrind: not installed", shown)
        self.assertIn("left out: pocl for a: no", shown)
        self.assertNotIn("\x1b", shown)
        self.assertIn("\x1b[31m", report.text(self.found, False, True))

    def test_digits(self):
        column = table.Column("", None)
        self.assertEqual([column.text(x) for x in (None, 0.051, 3.385, 11.24, 254.4, 12345.6)],
                         ["-", "0.05", "3.38", "11.2", "254", "12,346"])

    def test_csv(self):
        rows = list(csv.DictReader(io.StringIO(report.as_csv(self.found))))
        self.assertEqual([(row["kernel"], row["side"], row["median_ns"]) for row in rows],
                         [("a", "hexec/1", "2000000"), ("a", "native", "1000000"), ("b", "hexec/1", "8000000"),
                          ("b", "native", "1000000")])

    def test_markdown_goes_between_the_markers(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "page.md")
            path.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n", encoding="utf-8")
            report.put_between_markers(path, "new")
            self.assertEqual(path.read_text(encoding="utf-8"), f"before\n{report.BEGIN}\nnew\n{report.END}\nafter\n")
            path.write_text("no markers", encoding="utf-8")
            with self.assertRaises(ValueError):
                report.put_between_markers(path, "new")

    def test_dropped_spans_are_reported(self):
        found = run_of(a={"hexec/1": side(1), "hexec/spans": side(3, dropped_spans=10, issues=20)})
        self.assertIn("spans that found the ring full: a 25 %", report.text(found, False, False))


if __name__ == "__main__":
    unittest.main()
