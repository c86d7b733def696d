"""How many users would fit into a given memory, by policy and solver."""

from horde.timing.memory import Size, largest_users
from horde.timing.series import params_of
from horde.timing.sweeps import series_of


def capacity(
    sweeps: list[dict],
    values: dict,
    n_rounds: int,
    gigabytes: float,
    features: int,
    degree: float,
) -> list[dict]:
    """Predict the largest number of users with which each measured series fits into memory.

    Parameters
    ----------
    sweeps : list of dict
        All sweeps.
    values : dict
        The configuration's ``paper_values``.
    n_rounds : int
        Observations made in a run.
    gigabytes : float
        Memory, in GB.
    features : int
        Number of features d.
    degree : float
        Mean number of neighbours.

    Returns
    -------
    list of dict
        ``policy``, ``solver``, ``gigabytes``, ``d``, ``degree``, ``users``.
    """
    size = Size(0, features, 0, n_rounds)
    fixed = {"gigabytes": gigabytes, "d": features, "degree": degree}
    return [
        {"policy": policy, "solver": solver, **fixed}
        | {
            "users": largest_users(
                policy, params_of(policy, solver, values), size, degree, gigabytes * 1e9
            )
        }
        for policy, solver in series_of(sweeps)
    ]
