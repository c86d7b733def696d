"""Cross checks of a configuration: mistakes that the schema cannot see in single values."""

from collections.abc import Iterable, Iterator, Mapping

from horde.checks import nearest
from horde.errors import ConfigError
from horde.experiments import plan
from horde.policies import registry
from horde.timing import sweeps


def contradictions(config: dict) -> Iterator[str]:
    """Yield a message for each contradiction between values that the schema allows."""
    yield from _names(config)
    for name in config["policies"]:
        if name in registry.POLICIES:
            yield from _tuned(name, config)
    yield from _figures(config)
    yield from _numbers(config)
    yield from _seeds(config)
    yield from _theory(config)
    yield from _scalability(config["scalability"])


def contradictions_of_code(config: dict) -> Iterator[str]:
    """Yield mistakes that only the code of policies and graphs can find; importing it is slow."""
    for policy, variants in config["policies"].items():
        for variant, params in variants.items():
            tuned = registry.entry(policy).tunes if variant == "tuned" else ()
            yield from _params(f"policies.{policy}.{variant}", policy, params, tuned)
    for alternative, changes in config["alternatives"].items():
        for policy, params in changes.get("policies", {}).items():
            yield from _params(f"alternatives.{alternative}.{policy}", policy, params)
    for which, listed in config["scalability"]["sweeps"].items():
        yield from _uneven(which, listed, config["scalability"]["initiator"])


def _names(config: dict) -> Iterator[str]:
    """Yield a message for each name that is not defined."""
    figures, sensitivity = config["figures"], config["sensitivity"]
    yield from _unknown("policies", config["policies"], registry.POLICIES, "the known policies")
    yield from _unknown("figures.regret.names", figures["regret"]["names"], config["datasets"])
    for figure in ("regret", "learning"):
        names = figures[figure]["policies"]
        yield from _unknown(f"figures.{figure}.policies", names, config["policies"], "`policies`")
    for key in ("datasets", "policies", "alternatives"):
        yield from _unknown(f"sensitivity.{key}", sensitivity[key], config[key], f"`{key}`")
    yield from _controls(config)
    for key in ("datasets", "policies"):
        yield from _unknown(f"multiverse.{key}", config["multiverse"][key], config[key], f"`{key}`")
    for name, changes in config["alternatives"].items():
        where = f"alternatives.{name}"
        policies = changes.get("policies", ())
        yield from _unknown(f"{where}.policies", policies, config["policies"], "`policies`")
        # An alternative that is not run may name a dataset that was removed.
        if "tables" in changes and name in sensitivity["alternatives"]:
            yield from _unknown(f"{where}.tables", [changes["tables"]], config["datasets"])


# What the alternatives of each list of the controls set.
_CONTROLS = {
    "graphs": "graph",
    "only": "graph",
    "readings": "policies",
    "contexts": "features",
    "learned": "policies",
}


def _controls(config: dict) -> Iterator[str]:
    controls, alternatives = config["controls"], config["alternatives"]
    yield from _unknown("controls.datasets", controls["datasets"], config["datasets"])
    for key in ("policies", "without_graph", "learners"):
        yield from _unknown(f"controls.{key}", controls[key], config["policies"], "`policies`")
    for key, setting in _CONTROLS.items():
        known = {name: entry for name, entry in alternatives.items() if setting in entry}
        what = f"the `alternatives` that set {setting}"
        yield from _unknown(f"controls.{key}", controls[key], known, what)


def _unknown(
    where: str, names: Iterable[str], known: Mapping, what: str = "`datasets`"
) -> Iterator[str]:
    for name in names:
        if name not in known:
            yield f"{where}: {name!r} is not among {what}.{nearest(name, known)}"


def _tuned(policy: str, config: dict) -> Iterator[str]:
    """Yield the tuned hyper-parameters of a policy that lack a grid or a paper's value."""
    for name in registry.entry(policy).tunes:
        if name not in config["tuning"]["grids"]:
            yield (
                f"tuning.grids.{name}: missing; {policy} tunes {name}, so list the values to try"
            )
        if name not in config["paper_values"] | config["policies"][policy]["paper"]:
            yield (
                f"policies.{policy}.paper.{name}: missing; {policy} tunes {name}, so give the "
                "value for the panel that is not tuned"
            )


def _figures(config: dict) -> Iterator[str]:
    others = *plan.FIGURES, *(f"{dataset}_data" for dataset in config["datasets"])
    drawn: dict[str, str] = dict.fromkeys(others, "a figure of another kind")
    for dataset in config["datasets"]:
        figure = plan.regret_figure(config, dataset)
        if figure in drawn:
            yield (
                f"figures.regret.names: {drawn[figure]} and {dataset} share the name {figure}; "
                "give one of them another"
            )
        drawn[figure] = dataset


def _numbers(config: dict) -> Iterator[str]:
    if config["checkpoints"] > config["rounds"]:
        yield (
            f"checkpoints: {config['checkpoints']} of them do not fit into "
            f"rounds: {config['rounds']}; lower the first or raise the second"
        )
    if 0.01 not in config["multiverse"]["grids"]["lam"]:
        yield "multiverse.grids.lam: 0.01 is missing; specifications with lam-0.01 run with it"


def _seeds(config: dict) -> Iterator[str]:
    """Yield seeds that would both choose and judge."""
    exploration, tuning = config["seeds"]["exploration"], config["tuning"]
    below = {
        "seeds.figure": config["seeds"]["figure"],
        "sensitivity.seeds": config["sensitivity"]["seeds"],
        "controls.seeds": config["controls"]["seeds"],
        "controls.learner_seeds": config["controls"]["learner_seeds"],
        "tuning.seed + tuning.streams": tuning["seed"] + tuning["streams"],
    }
    for key, number in below.items():
        if number > exploration:
            yield (
                f"{key}: {number} is above seeds.exploration: {exploration}, so that seeds that "
                "may judge claims would choose or draw; lower it"
            )
    kinds = {kind: {*plan.seeds(config, kind)} for kind in ("exploration", "used")}
    for kind in config["seeds"]["fresh"]:
        own = {*plan.seeds(config, kind)}
        for other, taken in kinds.items():
            if shared := own & taken:
                yield (
                    f"seeds.fresh.{kind}: seed {min(shared)} is one of seeds.{other}, too: a seed "
                    "that judges claims must serve nothing else; start higher"
                )
        kinds[kind] = own


def _theory(config: dict) -> Iterator[str]:
    theory = config["theory"]
    for most, least in (("users", "groups"), ("items", "offered"), ("rounds", "checkpoints")):
        few = theory.get(least, config["checkpoints"])
        if few > theory[most]:
            yield f"theory.{most}: {theory[most]} is below {least}: {few}"
    for share in theory["isolated"]:
        if abs(100 * share - round(100 * share)) > 1e-9:
            yield f"theory.isolated: {share} must be a whole per cent, since file names contain it"


def _scalability(scalability: dict) -> Iterator[str]:
    for which, listed in scalability["sweeps"].items():
        for position, sweep in enumerate(listed):
            for mistake in sweeps.mistakes(sweep):
                yield f"scalability.sweeps.{which}.{position}: {mistake}"
    rounds = scalability["rounds"]
    if rounds["fewest"] > rounds["most"]:
        yield f"scalability.rounds: fewest {rounds['fewest']} is above most {rounds['most']}"
    shape = scalability["initiator"]
    if [len(row) for row in shape] != [2, 2] or shape[0][1] != shape[1][0] or shape[0][1] == 0:
        yield (
            f"scalability.initiator: {shape} must be a symmetric 2 x 2 matrix, with a positive "
            "weight off the diagonal"
        )


def _params(where: str, policy: str, params: Mapping, tuned: Iterable[str] = ()) -> Iterator[str]:
    """Yield hyper-parameters that the policy lacks, that are tuned, or that are not read."""
    # Imports the policy's code.
    allowed = registry.params_of(policy) if params else ()
    for name in params:
        if name not in allowed:
            yield (
                f"{where}.{name}: {policy} has no such hyper-parameter.{nearest(name, allowed)} "
                f"It has: {', '.join(allowed) or 'none'}"
            )
        elif name in tuned:
            yield f"{where}.{name}: is tuned; list the values to try in tuning.grids.{name}"
    if params.get("solver") == "dense" and "widths" in params:
        yield f"{where}.widths: without effect beside solver: dense, which is exact; leave it out"


def _uneven(which: str, listed: list[dict], shape: list[list[float]]) -> Iterator[str]:
    from horde.graph.kronecker import scaled_initiator

    for position, sweep in enumerate(listed):
        for place in sweeps.places(sweep):
            try:
                scaled_initiator(shape, (place.n_users - 1).bit_length(), place.density)
            except ConfigError as error:
                yield f"scalability.sweeps.{which}.{position}: {error}"
