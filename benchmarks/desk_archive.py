"""The desk over 10 000 visits: processor time until it is open, of a page of 50 rows, and memory.

The archive is generated: 2 000 patients with five visits of nine small files that nobody can read. Gates: opening takes at most 1.5
times the prototype's processor time (4.1 s the first time, 3.0 s the second), a page of 50 rows 100 ms, memory stays below 200 MB.
All are the desk's own process; what it starts to look into visits is not in it. Linux alone: figures come from ``/proc``.
"""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

PATIENTS, VISITS, FILES, PAGES = 2000, 5, 9, 20
MOST_OPEN_S, MOST_PAGE_S, MOST_MB = (1.5 * 4.1, 1.5 * 3.0), 0.1, 200.0


def write_archive(archive: Path) -> None:
    for patient in range(PATIENTS):
        for visit in range(VISITS):
            folder = archive / f"P{patient:05d}" / f"20{20 + visit}-0{1 + patient % 9}-1{patient % 10}"
            folder.mkdir(parents=True)
            for number in range(FILES):
                (folder / f"walk{number:02d}.c3d").write_bytes(b"no recording")


def cpu_s(process: int) -> float:
    """User and system time of a process alone."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_mb(process: int) -> float:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) / 1024.0


def opened(archive: Path) -> tuple[float, list[float], float]:
    """Processor seconds until the desk answers, those of each page, and its largest memory, MB."""
    words = [sys.executable, "-m", "biomech_id", "desk", str(archive), "--no-browser"]
    desk = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert desk.stdout is not None
        link = urlsplit(desk.stdout.readline().split()[1])
        origin = f"{link.scheme}://{link.netloc}"

        def ask(path: str, key: str = "", body: object = None) -> bytes:
            headers = {"Content-Type": "application/json", "Origin": origin, "Authorization": f"Bearer {key}"}
            data = None if body is None else json.dumps(body).encode()
            with urlopen(Request(origin + path, data=data, headers=headers), timeout=120) as answer:
                return bytes(answer.read())

        key = json.loads(ask("/api/session", body={"ticket": link.fragment}))["key"]
        ask("/api/today?limit=50", key)
        start_s, pages = cpu_s(desk.pid), []
        for number in range(PAGES):
            before_s = cpu_s(desk.pid)
            rows = json.loads(ask(f"/api/today?limit=50&after={50 * number}", key))
            pages.append(cpu_s(desk.pid) - before_s)
            assert len(rows["rows"]) == 50
        return start_s, pages, peak_mb(desk.pid)
    finally:
        desk.send_signal(signal.SIGTERM)
        desk.wait(60)


def main() -> int:
    if not Path("/proc/self/stat").exists():
        print("not run: figures of a process come from /proc")
        return 1
    met = True
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "archive"
        write_archive(archive)
        for which, most_s in zip(("first", "second"), MOST_OPEN_S, strict=True):
            start_s, pages, memory_mb = opened(archive)
            page_s = statistics.median(pages)
            print(
                f"{which} time: open after {start_s:.1f} CPU s (at most {most_s:.1f}), 50 rows {1e3 * page_s:.0f} ms "
                f"(at most {1e3 * MOST_PAGE_S:.0f}), memory {memory_mb:.0f} MB (at most {MOST_MB:.0f})"
            )
            met &= start_s <= most_s and page_s <= MOST_PAGE_S and memory_mb <= MOST_MB
            time.sleep(1.0)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
