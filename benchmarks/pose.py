"""Rigid poses of a marker cluster beside batched singular values, and SciPy's frame-by-frame alignment for scale.

    svd      Kabsch's solution with numpy.linalg.svd on (N, 3, 3) matrices
    align    scipy.spatial.transform.Rotation.align_vectors in a loop (1 000 frames only)

100 000 frames of four weighted markers with 0.5 mm of noise; rounds are interleaved and medians compared. All ways are checked
against each other on the same arrays: a cluster of ordinary shape, and ones 20, 100 and 500 times longer than wide.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
from scipy.spatial.transform import Rotation

from biomech_id.models.six_dof.pose import aspect, fit_pose

N_FRAMES = 100_000
N_LOOP = 1_000
ROUNDS = 7
GATE = 0.5  # of the time of singular values
AGREEMENT = 1e-9
WEIGHTS = np.array([1.0, 0.5, 2.0, 1.0])
CLUSTER = np.array([[0.05, -0.15, 0.08], [-0.03, -0.20, 0.09], [0.06, -0.28, 0.06], [-0.02, -0.33, 0.02]])
#: Name -> share of the cluster's width that is left.
SHAPES = {"ordinary": 1.0, "1:20": 0.12, "1:100": 0.024, "1:500": 0.0048}


def by_svd(points: np.ndarray, template: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    share = weights / weights.sum()
    mean_a, mean_b = share @ template, np.einsum("k,nki->ni", share, points)
    cross = np.einsum("k,kx,nky->nxy", share, template - mean_a, points - mean_b[:, None, :])
    U, _, Vt = np.linalg.svd(cross)
    U[:, :, 2] *= np.linalg.det(U @ Vt)[:, None]
    R = np.swapaxes(U @ Vt, 1, 2)
    return R, mean_b - R @ mean_a


def by_align(points: np.ndarray, template: np.ndarray, weights: np.ndarray) -> np.ndarray:
    share = weights / weights.sum()
    a = template - share @ template
    b = points - np.einsum("k,nki->ni", share, points)[:, None, :]
    return np.array([Rotation.align_vectors(frame, a, weights=weights)[0].as_matrix() for frame in b])


def make(width: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    centre = CLUSTER.mean(axis=0)
    template = centre + (CLUSTER - centre) * [width, 1.0, width]
    R = Rotation.random(N_FRAMES, rng).as_matrix()
    points = np.einsum("nij,kj->nki", R, template) + rng.uniform(-3, 3, (N_FRAMES, 1, 3))
    return points + rng.normal(0, 5e-4 * width, points.shape), template


def timed(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def race(name: str, width: float) -> bool:
    points, template = make(width)
    pose, (R, origin) = fit_pose(points, template, WEIGHTS), by_svd(points, template, WEIGHTS)
    apart = max(np.abs(pose.R_lab_seg - R).max(), np.abs(pose.origin_lab_m - origin).max())
    times: dict[str, list[float]] = {"ours": [], "svd": []}
    for _ in range(ROUNDS):
        times["ours"].append(timed(lambda: fit_pose(points, template, WEIGHTS)))
        times["svd"].append(timed(lambda: by_svd(points, template, WEIGHTS)))
    ours, svd = (statistics.median(times[way]) / N_FRAMES * 1e6 for way in ("ours", "svd"))
    met = ours <= GATE * svd and apart <= AGREEMENT
    print(
        f"{name:>9} (width over length {aspect(template, WEIGHTS):.3f}): ours {ours:.3f} us/frame, svd {svd:.3f}, "
        f"ratio {ours / svd:.2f} (gate {GATE:g}); apart {apart:.1e} (gate {AGREEMENT:g}): {'met' if met else 'NOT MET'}"
    )
    return met


def loop() -> None:
    points, template = make(1.0)
    cost = timed(lambda: by_align(points[:N_LOOP], template, WEIGHTS)) / N_LOOP * 1e6
    apart = np.abs(by_align(points[:N_LOOP], template, WEIGHTS) - fit_pose(points[:N_LOOP], template, WEIGHTS).R_lab_seg).max()
    print(f"  SciPy's align_vectors in a loop: {cost:.1f} us/frame, apart {apart:.1e}")


def main() -> int:
    met = [race(name, width) for name, width in SHAPES.items()]
    loop()
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
