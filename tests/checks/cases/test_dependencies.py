"""Scripts that need packages: fetched as wheels if the policy says so, else not run."""

import hashlib
import zipfile
from pathlib import Path

import pytest

from skillforge.checks.cases.dependencies import needs
from skillforge.library import read_folder
from tests.checks.cases.conftest import Prove


def script(*dependencies: str, python: str = "") -> str:
    lines = ["# /// script"]
    if python:
        lines.append(f'# requires-python = "{python}"')
    lines += ["# dependencies = [", *(f'#   "{name}",' for name in dependencies), "# ]"]
    return "\n".join([*lines, "# ///", "import tinypack", "print(tinypack.VALUE)"])


CASE = "run: [python3, scripts/run.py]\nexpect: {stdout: '42'}\n"
ALLOW = "tests: {dependencies: true}\n"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages in the index's place, with one small wheel and a source."""
    folder = tmp_path / "index"
    folder.mkdir()
    files = {
        "tinypack.py": "VALUE = 42\n",
        "tinypack-1.0.dist-info/METADATA": (
            "Metadata-Version: 2.1\nName: tinypack\nVersion: 1.0\n"
        ),
        "tinypack-1.0.dist-info/WHEEL": (
            "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\n"
            "Tag: py3-none-any\n"
        ),
    }
    record = "".join(f"{name},,\n" for name in files)
    files["tinypack-1.0.dist-info/RECORD"] = (
        record + "tinypack-1.0.dist-info/RECORD,,\n"
    )
    with zipfile.ZipFile(folder / "tinypack-1.0-py3-none-any.whl", "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
    (folder / "onlysource-1.0.tar.gz").write_bytes(b"never unpacked")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("SKILLFORGE_CACHE", str(tmp_path / "cache"))
    return folder


@pytest.mark.needs_sandbox
def test_without_leave_it_is_not_run(prove: Prove, index: Path) -> None:
    files = {"scripts/run.py": script("tinypack"), "tests/a.yaml": CASE}

    trials = prove({**files, "tests/b.yaml": "run: ['true']\n"})

    assert trials["a"]["outcome"] == "not-run"
    assert "scripts/run.py needs tinypack" in trials["a"]["detail"]
    assert "dependencies: true" in trials["a"]["detail"]
    assert trials["b"]["outcome"] == "passed"


@pytest.mark.needs_sandbox
@pytest.mark.slow
def test_with_leave_it_runs_with_its_packages(
    prove: Prove, index: Path, tmp_path: Path
) -> None:
    prove.library.write("skillforge.yaml", ALLOW)
    files = {"scripts/run.py": script("tinypack>=1"), "tests/a.yaml": CASE}

    assert prove(files)["a"]["outcome"] == "passed"

    # The second time nothing is fetched: the index is gone, the packages are kept.
    (index / "tinypack-1.0-py3-none-any.whl").unlink()
    assert prove(files, "--no-cache")["a"]["outcome"] == "passed"
    assert len(list((tmp_path / "cache/packages").iterdir())) == 1


@pytest.mark.needs_sandbox
def test_a_lock_pins_what_is_fetched(prove: Prove, index: Path) -> None:
    prove.library.write("skillforge.yaml", ALLOW)
    wheel = index / "tinypack-1.0-py3-none-any.whl"
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    files = {"scripts/run.py": script("tinypack"), "tests/a.yaml": CASE}
    lock = "# pinned\ntinypack==1.0 \\\n    --hash=sha256:{}\n"

    good = prove({**files, "tests/requirements.lock": lock.format(digest)})
    bad = prove({**files, "tests/requirements.lock": lock.format("0" * 64)})

    assert good["a"]["outcome"] == "passed", good["a"]["detail"]
    assert bad["a"]["outcome"] == "not-run"


@pytest.mark.needs_sandbox
@pytest.mark.parametrize(
    "line",
    [
        "--index-url https://example.invalid/simple",
        "-r /etc/passwd",
        "tinypack @ file:///etc",
        "git+https://example.invalid/x",
        "tinypack",
        "./tinypack",
        "tinypack==1.0 --config-settings=x",
        "tinypack==1.0; python_version>'3'\r./pkg",
        "tinypack==1.0\x0b-r /etc/passwd",
    ],
)
def test_a_lock_holds_pinned_packages_only(
    prove: Prove, index: Path, line: str
) -> None:
    prove.library.write("skillforge.yaml", ALLOW)
    files = {"scripts/run.py": script("tinypack"), "tests/a.yaml": CASE}

    trials = prove({**files, "tests/requirements.lock": f"{line}\n"})

    assert trials["a"]["outcome"] == "not-run"
    assert "doesn't pin one package" in trials["a"]["detail"]


@pytest.mark.needs_sandbox
@pytest.mark.slow
@pytest.mark.parametrize(
    ("dependency", "says"),
    [
        pytest.param("onlysource", "cannot install packages", id="source-only"),
        pytest.param("nowhere", "cannot install packages", id="unknown"),
        pytest.param("x @ https://example.invalid/x.whl", "package index", id="url"),
        pytest.param("--index-url=https://x.invalid", "not a requirement", id="option"),
        pytest.param("-r /etc/passwd", "not a requirement", id="file"),
        pytest.param("x===\\n./pkg", "not a plain requirement", id="two-lines"),
        pytest.param("x===1", "not a plain requirement", id="anything"),
    ],
)
def test_what_cannot_be_fetched_safely_is_not_run(
    prove: Prove, index: Path, dependency: str, says: str
) -> None:
    prove.library.write("skillforge.yaml", ALLOW)
    files = {"scripts/run.py": script(dependency), "tests/a.yaml": CASE}

    trial = prove(files)["a"]

    assert trial["outcome"] == "not-run"
    assert says in trial["detail"]


@pytest.mark.needs_sandbox
@pytest.mark.slow
def test_no_file_of_the_skill_is_used_as_pip(
    prove: Prove, index: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    prove.library.write("skillforge.yaml", ALLOW)
    liar = f"open({str(tmp_path / 'ran')!r}, 'w')\n"
    files = {"scripts/run.py": script("tinypack"), "tests/a.yaml": CASE, "pip.py": liar}
    prove.write(files)
    monkeypatch.chdir(prove.library.root / "skills/proven")

    assert prove.run("--json").data["trials"][0]["outcome"] == "passed"
    assert not (tmp_path / "ran").exists()


@pytest.mark.needs_sandbox
def test_a_script_for_another_python_is_not_run(prove: Prove, index: Path) -> None:
    files = {"scripts/run.py": script(python=">=99"), "tests/a.yaml": CASE}

    trial = prove(files)["a"]

    assert trial["outcome"] == "not-run"
    assert "needs Python >=99" in trial["detail"]


def test_inline_metadata_is_read_as_pep_723_says(tmp_path: Path) -> None:
    folder = tmp_path / "skill"
    (folder / "scripts").mkdir(parents=True)
    (folder / "SKILL.md").write_text("x")
    (folder / "scripts/a.py").write_text(script("b>=2", "a"))
    (folder / "scripts/b.py").write_text("# /// script\n# dependencies = [\n# ///\n")
    (folder / "scripts/c.py").write_text("# /// other\n# dependencies = ['x']\n# ///\n")
    (folder / "scripts/d.py").write_text('"""\n# /// script\n"""\n')

    found = {n.script: n for n in needs(read_folder(str(folder), "skill", "skill"))}

    assert found["scripts/a.py"].requirements == ("a", "b>=2")
    assert "not TOML" in found["scripts/b.py"].problem
    assert set(found) == {"scripts/a.py", "scripts/b.py"}
