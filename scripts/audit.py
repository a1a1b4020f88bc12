"""Ask OSV (https://osv.dev) through pip-audit for known vulnerabilities: `python scripts/audit.py CONSTRAINTS`.

Exit code 1: there are some. 0: none is known; or nobody could be asked in time, and a notice says so.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

TOOL = "pip-audit==2.10.1"


def audited(constraints: str, url: str | None, seconds: float) -> list[dict[str, Any]]:
    """What pip-audit says of each package; nothing where it did not come to an end."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder, "result.json")
        command = [
            "uv", "tool", "run", "--quiet", "--from", TOOL, "pip-audit", "--requirement", constraints, "--no-deps",
            "--disable-pip", "--vulnerability-service", "osv", *(["--osv-url", url] if url else []),
            "--timeout", "5", "--progress-spinner", "off", "--format", "json", "--output", str(result),
        ]  # fmt: skip
        try:
            subprocess.run(command, capture_output=True, timeout=seconds, check=False)
            packages: list[dict[str, Any]] = json.loads(result.read_text(encoding="utf-8"))["dependencies"]
        except (subprocess.TimeoutExpired, OSError, ValueError):
            return []
    return [package for package in packages if "vulns" in package]


def main() -> int:
    """Print what is known of the packages; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("constraints", help="file with exact versions, as scripts/pin.py --show prints them")
    parser.add_argument("--seconds", type=float, default=30.0, help="after so long nobody is asked any more")
    parser.add_argument("--osv-url", help="another service that answers as OSV does")
    arguments = parser.parse_args()
    packages = audited(arguments.constraints, arguments.osv_url, arguments.seconds)
    if not packages:
        print("NOTICE: not audited, the advisory service did not answer")
        return 0
    known = [(package, vulnerability) for package in packages for vulnerability in package["vulns"]]
    for package, vulnerability in known:
        mended = ", ".join(vulnerability["fix_versions"]) or "no version yet"
        print(f"{package['name']} {package['version']}: {vulnerability['id']}, mended in {mended}")
    print(f"{len(packages)} packages audited, {len(known)} known vulnerabilities")
    return 1 if known else 0


if __name__ == "__main__":
    raise SystemExit(main())
