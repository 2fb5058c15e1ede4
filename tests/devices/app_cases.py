"""Programs that run by `hexec app --check`, for the tests beside it: each case is a function of the test's file."""
import json
import subprocess
import sys
from pathlib import Path


def find(checker, hexec, case):
    """(exit code, findings, what is wrong with the report)"""
    file = sys.modules[case.__module__].__file__
    done = subprocess.run([hexec, "app", "--check", checker, "--json", "--", sys.executable, file, hexec, case.__name__],
                          capture_output=True, text=True, timeout=300, check=False)
    if not done.stderr.startswith("{"):
        return done.returncode, [], f"{case.__name__}: {done.stderr}"
    return done.returncode, [one for checks in json.loads(done.stderr).get("checks", []) for one in checks["findings"]], ""


def main(cases, check):
    """`cases`: what is expected of each function; check(hexec, case, expected) says what is wrong, or nothing."""
    hexec = sys.argv[1]
    if len(sys.argv) > 2:
        next(case for case in cases if case.__name__ == sys.argv[2])()
        return 0
    has_opencl = (Path(hexec).parent / "lib/hexec/hexec.icd").exists()
    wrong = [message for case, expected in cases.items() if has_opencl or not case.__name__.startswith("opencl")
             if (message := check(hexec, case, expected))]
    print("\n".join(wrong) if wrong else "all as it should be")
    return 1 if wrong else 0
