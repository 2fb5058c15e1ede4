#!/usr/bin/env python3
"""The extension for VS Code: its JavaScript has no lint, it packs into an archive that has all its files, its grammars colour
programs, and its problem matcher finds what hexec says."""
import json
import shutil
import zipfile

from clients import BUILD, HEXEC, HERE, ROOT, expect, folder, npm, npm_packages, run

npm()
source = ROOT / "tools/editors/vscode"
extension = BUILD / "vscode"
npm_packages(source, extension)
for path in source.rglob("*"):
    if path.is_file():
        (extension / path.relative_to(source)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, extension / path.relative_to(source))
run("npm", "run", "lint", cwd=extension)
run("npm", "run", "package", cwd=extension)
names = set(zipfile.ZipFile(extension / "hexec.vsix").namelist())
manifest = json.loads((source / "package.json").read_text())
needed = [manifest["main"], "plain.js", "package.json", *(one["path"] for one in manifest["contributes"]["grammars"])]
for name in needed:
    expect(f"extension/{name.removeprefix('./')}" in names, f"{name} is in the archive: {sorted(names)}")

with folder() as work:
    (work / "typo.yaml").write_text("program: typo\ncode: |\n  mov.u3 r0, 1\n")
    (work / "bounds.yaml").write_text((ROOT / "programs/saxpy.yaml").read_text().replace("setp.ge", "setp.gt"))
    said = run(HEXEC, work / "typo.yaml", check=False).stderr
    said += run(HEXEC, work / "bounds.yaml", "--check", "memory", "--quiet", check=False).stdout
    found = run("node", HERE / "vscode.js", extension, input=said).stdout.split("\n")
expect(found[0] == "typo.yaml 3 error HX1205" and sum(line.startswith("bounds.yaml") for line in found) == 3,
       f"the problem matcher finds the places: {found}\n{said}")
