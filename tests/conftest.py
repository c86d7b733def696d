"""What holds of every test: none is timed, so that a busy machine fails none."""

from hypothesis import HealthCheck, settings

from horde.machine import collect_rarely

collect_rarely()
settings.register_profile(
    "untimed", settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
)
settings.load_profile("untimed")
