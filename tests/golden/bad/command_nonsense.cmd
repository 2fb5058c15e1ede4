hexec xyzzy
