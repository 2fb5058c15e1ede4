"""Programs for what vectors cannot say: warps, blocks, control flow. (To be filled.)"""


def covers(entry):
    return entry.get("class") in ("control", "sync", "warp", "block", "special")


def make(isa):
    return []
