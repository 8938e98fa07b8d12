"""Documents of random chains: asked by peers' tests, and no peer of its own."""

from __future__ import annotations

import numpy as np

KINDS = {
    "Weld": 0,
    "Pin": 1,
    "Slider": 1,
    "Universal": 2,
    "Gimbal": 3,
    "Planar": 3,
    "Ball": 3,
    "Free": 6,
    "Ellipsoid": 3,
    "Custom": 3,
}
FUNCTIONS = [
    "<LinearFunction><coefficients>{a} {b}</coefficients></LinearFunction>",
    "<SimmSpline><x>-2 -1 0.1 1 2.5</x><y>{a} {b} {c} {a} {b}</y></SimmSpline>",
    "<SimmSpline><x>-1 0.2 1</x><y>{a} {b} {c}</y></SimmSpline>",
    "<SimmSpline><x>-1 1</x><y>{a} {b}</y></SimmSpline>",
    "<PolynomialFunction><coefficients>{a} {b} {c}</coefficients></PolynomialFunction>",
    "<Constant><value>{a}</value></Constant>",
    "<MultiplierFunction><function><SimmSpline><x>-2 -1 0.1 1</x><y>{a} {b} {c} {a}</y></SimmSpline></function>"
    "<scale>1.3</scale></MultiplierFunction>",
]


def numbers(rng: np.random.Generator, n: int, size: float = 1.0) -> str:
    return " ".join(f"{x:.6f}" for x in rng.uniform(-size, size, n))


def spatial_transform(rng: np.random.Generator, names: list[str]) -> str:
    slots = []
    for slot in ("rotation1", "rotation2", "rotation3", "translation1", "translation2", "translation3"):
        a, b, c = rng.uniform(-0.6, 0.6, 3)
        function = FUNCTIONS[rng.integers(len(FUNCTIONS))].format(a=a, b=b, c=c)
        name = "" if "Constant" in function else names[rng.integers(len(names))]
        if slot == "rotation1":  # every coordinate has to move something
            function, name = FUNCTIONS[0].format(a=1, b=0), names[0]
        if slot in ("translation1", "translation2"):
            function, name = FUNCTIONS[0].format(a=0.7, b=0.1), names[int(slot[-1])]
        inside = f"<coordinates>{name}</coordinates><axis>{numbers(rng, 3)}</axis>{function}"
        slots.append(f'<TransformAxis name="{slot}">{inside}</TransformAxis>')
    return f"<SpatialTransform>{''.join(slots)}</SpatialTransform>"


def chain_document(kinds: list[str], seed: int) -> str:
    rng = np.random.default_rng(seed)
    bodies, joints, markers = [], [], []
    for k, kind in enumerate(kinds):
        parent = "/ground" if k == 0 else f"/bodyset/b{k - 1}"
        names = [f"q{k}_{i}" for i in range(KINDS[kind])]
        a = rng.uniform(0.1, 0.2, 3)
        inertia = (*(a.sum() - a), *rng.uniform(-0.02, 0.02, 3))
        bodies.append(
            f'<Body name="b{k}"><mass>{rng.uniform(0.5, 3):.4f}</mass><mass_center>{numbers(rng, 3, 0.2)}</mass_center>'
            f"<inertia>{' '.join(f'{x:.6f}' for x in inertia)}</inertia></Body>"
        )
        frames = "".join(
            f'<PhysicalOffsetFrame name="{name}"><socket_parent>{body}</socket_parent><translation>{numbers(rng, 3, 0.3)}'
            f"</translation><orientation>{numbers(rng, 3)}</orientation></PhysicalOffsetFrame>"
            for name, body in (("F", parent), ("M", f"/bodyset/b{k}"))
        )
        coordinates = "".join(f'<Coordinate name="{name}"><range>-9 9</range></Coordinate>' for name in names)
        more = {"Custom": spatial_transform, "Ellipsoid": lambda *_: "<radii_x_y_z>0.2 0.3 0.15</radii_x_y_z>"}.get(kind)
        joints.append(
            f'<{kind}Joint name="j{k}"><socket_parent_frame>F</socket_parent_frame><socket_child_frame>M</socket_child_frame>'
            f"<coordinates>{coordinates}</coordinates><frames>{frames}</frames>{more(rng, names) if more else ''}</{kind}Joint>"
        )
        on = f"<socket_parent_frame>/bodyset/b{k}</socket_parent_frame>"
        markers.append(f'<Marker name="m{k}">{on}<location>{numbers(rng, 3)}</location></Marker>')
    sets = {"BodySet": bodies, "JointSet": joints, "MarkerSet": markers}
    inside = "".join(f"<{tag}><objects>{''.join(parts)}</objects></{tag}>" for tag, parts in sets.items())
    return f'<OpenSimDocument Version="40500"><Model name="chain">{inside}</Model></OpenSimDocument>'
