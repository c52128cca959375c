"""What `import sparseaug` offers: one list of names, for Python, for type checkers and for people."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import sparseaug as sa


def test_dir_lists_every_public_name_and_nothing_else():
    code = "import sparseaug; print(*(n for n in dir(sparseaug) if not n.startswith('_')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == sorted(sa.__all__)
    for name in ("deviation", "certify", "plan", "draw_until", "symmetric", "Oracle", "theory"):
        assert name in dir(sa)


@pytest.mark.parametrize("name", sorted(sa.__all__))
def test_every_public_name_is_there_and_is_called_so(name):
    found = getattr(sa, name)
    assert found.__name__ in (name, f"sparseaug.{name}")


def test_type_checkers_see_the_same_names_from_the_same_modules():
    stub = ast.parse(Path(sa.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    homes = {a.asname: node.module for node in imports if not node.level for a in node.names}
    assert homes == sa._HOME
    assert [a.asname for node in imports if node.level for a in node.names] == sa._PACKAGES


def test_two_threads_that_use_names_of_one_package_first_import_one_after_the_other():
    code = """
import sys, threading, time
seen = []
class Watch:
    def find_spec(self, name, path, target=None):
        if name.startswith("sparseaug."):
            seen.append(threading.current_thread().name)
            time.sleep(0.001)
sys.meta_path.insert(0, Watch())
import sparseaug as sa
threads = [threading.Thread(target=getattr, args=(sa, name)) for name in ("design", "records")]
threading.excepthook = lambda found: print(found.exc_type.__name__, found.exc_value)
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sum(one != other for one, other in zip(seen, seen[1:])) <= 1)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_importing_the_library_imports_no_other_package():
    code = """
import sys
before = set(sys.modules)
import sparseaug
print(*sorted({name.split(".")[0] for name in set(sys.modules) - before} - sys.stdlib_module_names))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["sparseaug"]
