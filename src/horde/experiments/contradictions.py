"""What is wrong with a configuration though every value by itself is right."""

from collections.abc import Iterator

from horde.checks import nearest
from horde.errors import ConfigError
from horde.experiments import plan
from horde.policies import registry
from horde.timing import sweeps


def contradictions(config: dict) -> Iterator[str]:
    """Yield, for a configuration that the schema allows, where it contradicts itself and how."""
    if config["checkpoints"] > config["rounds"]:
        yield (
            f"checkpoints: {config['checkpoints']} of them do not fit into "
            f"rounds: {config['rounds']}; lower the first or raise the second"
        )
    for name, entry in config["datasets"].items():
        if "folder" in entry and entry["kind"] != "tables":
            yield f"datasets.{name}.folder: only kind: tables has a folder, not {entry['kind']}"
    for name in config["policies"]:
        if name not in registry.POLICIES:
            yield f"policies.{name}: no such policy.{nearest(name, registry.POLICIES)}"
        else:
            yield from _tuned(name, config)
    for figure in ("regret", "learning"):
        for name in config["figures"][figure]["policies"]:
            if name not in config["policies"]:
                yield (
                    f"figures.{figure}.policies: {name!r} is not among `policies`."
                    f"{nearest(name, config['policies'])}"
                )
    yield from _seeds(config["seeds"])
    yield from _names_of_figures(config)
    yield from _alternatives(config)
    yield from _sensitivity(config)
    yield from _theory(config)
    yield from _scalability(config["scalability"])


def contradictions_of_code(config: dict) -> Iterator[str]:
    """Yield what only the code of policies and graphs can tell; loading it takes its time."""
    for name, choices in config["policies"].items():
        for variant, chosen in choices.items():
            yield from _params(f"policies.{name}.{variant}", name, variant, chosen)
    for alternative, changes in config["alternatives"].items():
        for name, chosen in changes.get("policies", {}).items():
            yield from _params(f"alternatives.{alternative}.{name}", name, alternative, chosen)
    for which, listed in config["scalability"]["sweeps"].items():
        yield from _uneven(which, listed, config["scalability"]["initiator"])


def _tuned(policy: str, config: dict) -> Iterator[str]:
    """Yield which hyper-parameters of a policy have no values to try, or none of the paper's."""
    for name in registry.entry(policy).tunes:
        if name not in config["tuning"]["grids"]:
            yield (
                f"tuning.grids.{name}: missing; {policy} tunes {name}, so say which values to try"
            )
        if name not in config["paper_values"] | config["policies"][policy]["paper"]:
            yield (
                f"policies.{policy}.paper.{name}: missing; {policy} tunes {name}, so say which "
                "value it has in the panel that is not tuned"
            )


def _seeds(seeds: dict) -> Iterator[str]:
    if seeds["fresh"] < seeds["figure"]:
        yield (
            f"seeds.fresh: {seeds['fresh']}, the first seed of the verdict, must be at least "
            f"seeds.figure: {seeds['figure']}, so that no figure is made on the same"
        )


def _names_of_figures(config: dict) -> Iterator[str]:
    names = config["figures"]["regret"]["names"]
    for dataset in names:
        if dataset not in config["datasets"]:
            hint = nearest(dataset, config["datasets"])
            yield f"figures.regret.names.{dataset}: {dataset!r} is not among `datasets`.{hint}"
    drawn: dict[str, str] = dict.fromkeys(plan.FIGURES, "a figure of another kind")
    for dataset in config["datasets"]:
        figure = plan.regret_figure(config, dataset)
        if figure in drawn:
            yield (
                f"figures.regret.names: {drawn[figure]} and {dataset} share the name {figure}; "
                "give one of them another"
            )
        drawn[figure] = dataset


def _alternatives(config: dict) -> Iterator[str]:
    for name, alternative in config["alternatives"].items():
        if name in ("tuned", "paper"):
            yield f"alternatives.{name}: the name is taken; choose another"
        if ("policies" in alternative) == bool({"features", "tables"} & set(alternative)):
            yield f"alternatives.{name}: must change either policies, or features and tables"
        for policy in alternative.get("policies", {}):
            if policy not in config["policies"]:
                hint = nearest(policy, config["policies"])
                yield f"alternatives.{name}.policies: {policy!r} is not among `policies`.{hint}"


def _sensitivity(config: dict) -> Iterator[str]:
    asked = config["sensitivity"]
    for key in ("datasets", "policies", "alternatives"):
        for name in asked[key]:
            if name not in config[key]:
                hint = nearest(name, config[key])
                yield f"sensitivity.{key}: {name!r} is not among `{key}`.{hint}"
    if asked["seeds"] > config["seeds"]["verdict"]:
        yield (
            f"sensitivity.seeds: {asked['seeds']} is above seeds.verdict: "
            f"{config['seeds']['verdict']}, whose runs they are compared with"
        )
    for name in asked["alternatives"]:
        tables = config["alternatives"].get(name, {}).get("tables")
        if tables and tables not in config["datasets"]:
            hint = nearest(tables, config["datasets"])
            yield f"alternatives.{name}.tables: {tables!r} is not among `datasets`.{hint}"


def _theory(config: dict) -> Iterator[str]:
    theory = config["theory"]
    for most, least in (("users", "groups"), ("items", "offered"), ("rounds", None)):
        few = theory[least] if least else config["checkpoints"]
        if few > theory[most]:
            yield f"theory.{most}: {theory[most]} is below {least or 'checkpoints'}: {few}"
    for share in theory["isolated"]:
        if abs(100 * share - round(100 * share)) > 1e-9:
            yield f"theory.isolated: {share} must be a whole per cent, since files are named by it"


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


def _params(place: str, policy: str, variant: str, chosen: dict) -> Iterator[str]:
    """Yield which of the settings of a policy it has not, or are not to be set there."""
    if not chosen:
        return
    allowed = registry.params_of(policy)
    for name in chosen:
        where = f"{place}.{name}"
        if name not in allowed:
            yield (
                f"{where}: {policy} has no such setting.{nearest(name, allowed)} "
                f"It has: {', '.join(allowed) or 'none'}"
            )
        elif variant == "tuned" and name in registry.entry(policy).tunes:
            yield f"{where}: is tuned; say in tuning.grids.{name} which values to try"


def _uneven(which: str, listed: list[dict], shape: list[list[float]]) -> Iterator[str]:
    from horde.graph.kronecker import Initiator

    for position, sweep in enumerate(listed):
        for place in sweeps.places(sweep):
            try:
                Initiator.scaled(shape, (place.n_users - 1).bit_length(), place.density)
            except ConfigError as error:
                yield f"scalability.sweeps.{which}.{position}: {error}"
