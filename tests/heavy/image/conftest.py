"""An image built as `make image` builds it, on a Debian base made here: no registry is asked."""

import json
import os
import shutil
import ssl
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.servers import ROOT, Server, running

# All that is built here lies in the tree, under `build/`.
STORE = ROOT / "build/image"
BASE = "localhost/showcheck-base:bookworm"
IMAGE = "localhost/showcheck-test:latest"
REVISION = "0123456789abcdef0123456789abcdef01234567"
STORAGE = f"""
[storage]
driver = "overlay"
graphroot = "{STORE}/storage"
runroot = "{STORE}/run"
[storage.options.overlay]
skip_mount_home = "true"  # or the folder stays mounted, and cannot be removed
"""
ENGINE = {
    "BUILDAH_LAYERS": "true",
    "CONTAINERS_CONF": str(Path(__file__).with_name("containers.conf")),
    "CONTAINERS_STORAGE_CONF": str(STORE / "storage.conf"),
}
RUN = [
    *("podman", "run", "--rm", "--replace", "--pull=never", "--network=host", "--env=SHOWCHECK_*"),
    # As a cluster would run it, and stricter: podman's own writable folders are left out.
    *("--read-only", "--read-only-tmpfs=false", "--tmpfs=/tmp", "--memory=256m", "--cpus=1"),
    *("--cap-drop=ALL", "--security-opt=no-new-privileges"),
]


def engine(*command: str, **kwargs: Any) -> subprocess.CompletedProcess[str]:
    """A command of buildah's or podman's that has ended, well or not."""
    return subprocess.run(command, env=os.environ | ENGINE, capture_output=True, text=True, check=False, **kwargs)


def output(*command: str) -> str:
    """What a command of buildah's or podman's says; it has to end well."""
    ended = engine(*command)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def build(context: Path, name: str, *variables: str) -> subprocess.CompletedProcess[str]:
    """`make image` with this host's certificates and settings of pip, so that the build gets what the host gets."""
    flags = ["--isolation=chroot", "--pull-never", f"--build-arg=BASE_IMAGE={BASE}"]
    certificates = ssl.get_default_verify_paths().cafile
    for source, target in (
        (certificates, "/usr/local/share/ca-certificates/host.crt"),
        ("/etc/pip.conf", "/etc/pip.conf"),
        (Path.home() / ".config/pip/pip.conf", "/etc/xdg/pip/pip.conf"),
    ):
        if source and Path(source).is_file():
            flags.append(f"--volume={source}:{target}:ro")
    given = (f"IMAGE={name}", f"REVISION={REVISION}", f"IMAGE_FLAGS={' '.join(flags)}", *variables)
    return engine("make", "image", *given, cwd=context)


def copy_of_the_tree(folder: Path) -> Path:
    """The project's files as a clone of somebody with a strict umask has them."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in listed.stdout.decode().rstrip("\0").split("\0"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
        (folder / name).chmod(0o600)
    return folder


@pytest.fixture(scope="session")
def base() -> Iterator[str]:
    """A minimal Debian, made once, like the one that a registry has."""
    STORE.mkdir(parents=True, exist_ok=True)
    (STORE / "storage.conf").write_text(STORAGE, encoding="utf-8")
    if engine("podman", "image", "exists", BASE).returncode != 0:
        release = ("Codename: bookworm", "Label: Debian")
        mirrors = output("apt-get", "indextargets", "--format=$(REPO_URI)", *release).splitlines()
        with tempfile.TemporaryDirectory(dir=STORE) as folder:
            output("debootstrap", "--variant=minbase", "bookworm", folder, *mirrors[:1])
            archive = f"{folder}.tar"
            left_over = ("--exclude=./var/cache/apt/*", "--exclude=./var/lib/apt/lists/*")
            output(
                "tar", "--one-file-system", f"--directory={folder}", *left_over, "--create", f"--file={archive}", "."
            )
        output("podman", "import", archive, BASE)
        Path(archive).unlink()
    yield BASE
    # A build that fails leaves a container, and with it mounted folders that nobody could remove.
    output("buildah", "rm", "--all")


@pytest.fixture(scope="session")
def image(base: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The image, built from a tree in which more lies about than belongs into it."""
    context = copy_of_the_tree(tmp_path_factory.mktemp("tree"))
    for stray in ("service/game/__pycache__/cards.pyc", "service/game/solver.so", ".git/config", ".env", "service.so"):
        (context / stray).parent.mkdir(exist_ok=True)
        (context / stray).touch()
    built = build(context, IMAGE)
    assert built.returncode == 0, built.stdout[-5000:] + built.stderr[-5000:]
    return IMAGE


@pytest.fixture(scope="session")
def config(image: str) -> dict[str, Any]:
    """What the image says about itself."""
    found: dict[str, Any] = json.loads(output("podman", "image", "inspect", image))[0]
    return found


@pytest.fixture(scope="session")
def files(image: str) -> Iterator[Path]:
    """The folder in which the image's files can be seen."""
    yield Path(output("podman", "image", "mount", image).strip())
    output("podman", "image", "unmount", image)


@contextmanager
def container(name: str, **settings: str) -> Iterator[Server]:
    """The image running under strict rules."""
    try:
        with running([*RUN, f"--name={name}", IMAGE], **ENGINE, **settings) as server:
            yield server
    finally:
        # One that takes no signal outlives the command that started it.
        output("podman", "rm", "--force", "--ignore", "--time=0", name)


@pytest.fixture(scope="session")
def server(image: str) -> Iterator[Server]:
    """A container by the name of `showcheck-test`."""
    with container("showcheck-test") as server:
        yield server


def inside(*command: str) -> str:
    """What a command says inside the container of `server`."""
    return output("podman", "exec", "showcheck-test", *command)
