# What rules ask for that depends on the configuration or on what was chosen.


def tables_source(wildcards):
    """Files that the tables of a dataset are made from; none for the published archives."""
    entry = config["datasets"][wildcards.dataset]
    if entry["kind"] == "generated":
        archive = f"{RESULTS}/archives/{entry['archive']}"
        return [f"{archive}.zip", f"{archive}.json"]
    if entry["kind"] == "tables":
        return sorted(map(str, Path(entry["folder"]).expanduser().glob("*.[ct]sv")))
    return []


def tuned_choice(dataset, policy):
    """Hyper-parameters that tuning chose; none for a policy that has none."""
    if not plan.grids(config, policy):
        return {}
    chosen = checkpoints.tune.get(dataset=dataset, policy=policy).output.choice
    try:
        return choices.read(chosen, plan.grids(config, policy)).params
    except DataError as error:
        raise WorkflowError(str(error))


def run_data(wildcards):
    """The prepared dataset, once the params are known."""
    if wildcards.variant != "paper":
        tuned_choice(wildcards.dataset, wildcards.policy)
    return f"{RESULTS}/data/{wildcards.dataset}/dataset.npz"


def run_experiment(wildcards):
    """What makes the run, as horde.experiments.experiment.Experiment takes it."""
    policy, variant = wildcards.policy, wildcards.variant
    seed = int(wildcards.get("seed", config["seeds"]["fresh"]))
    chosen = tuned_choice(wildcards.dataset, policy) if variant != "paper" else {}
    return plan.experiment(config, policy, variant, seed, chosen)


def runs(kind, datasets, policies, variants, seeds):
    """Files of one kind (curve or timing) of all these runs."""
    folder = {"curve": "runs", "timing": "timing/runs"}[kind]
    ending = {"curve": "npz", "timing": "json"}[kind]
    return [
        f"{RESULTS}/{folder}/{dataset}/{policy}/{variant}/{seed}.{ending}"
        for dataset in datasets
        for policy in policies
        for variant in plan.variants_of(policy, variants)
        for seed in seeds
    ]


GENERATED = plan.is_generated(config)
FIGURE_SEEDS = range(config["seeds"]["figure"])
REGRET = config["figures"]["regret"]
REGRET_FIGURES = plan.regret_figures(config)


def regret_runs(kind, *datasets):
    """Files of the runs that the regret figures of these datasets are made from."""
    return runs(kind, datasets, REGRET["policies"], REGRET["variants"], FIGURE_SEEDS)


def tuning_of(dataset, policies):
    """Files of what tuning chose, for those policies that have something to choose."""
    return [
        f"{RESULTS}/tuning/{dataset}/{policy}.json"
        for policy in policies
        if plan.grids(config, policy)
    ]


def paper_values(policies):
    """The paper's values of what is tuned for each of these policies."""
    params = {
        policy: plan.all_params(config, policy, "paper", {}) for policy in policies
    }
    return {
        policy: {name: own[name] for name in plan.grids(config, policy)}
        for policy, own in params.items()
        if plan.grids(config, policy)
    }


def numbered(figure):
    """A figure's label in the report, which would else sort by the figures' names alone."""
    place = [*REGRET_FIGURES].index(figure) + 1
    return {"figure": f"{place:0{len(str(len(REGRET_FIGURES)))}}. {figure}"}


LEARNING_FIGURES = plan.learning_figures(config)
LEARNERS = plan.learners(config)


def learning_label(dataset):
    """The name of a dataset where the graph is learned."""
    return f"Learning the graph: {config['datasets'][dataset]['label']}"


# What the page of the curves offers: tables' names, datasets, labels.
PAGE_PANELS = [
    *(
        ("regret", name, config["datasets"][name]["label"])
        for name in REGRET_FIGURES.values()
    ),
    *(("learning", name, learning_label(name)) for name in LEARNING_FIGURES.values()),
]


def learning_runs(kind, *datasets):
    """Files of the runs that Figure 3 of these datasets is made from."""
    policies = config["figures"]["learning"]["policies"]
    return runs(kind, datasets, policies, ["tuned"], FIGURE_SEEDS)


def learned_runs(dataset):
    """Runs that hold a learned graph of this dataset."""
    return runs("curve", [dataset], LEARNERS, ["tuned"], FIGURE_SEEDS)


def timed_policies(variant):
    """Policies whose seconds a round are compared on Delicious (claim L8), run so."""
    compared = [*LEARNERS, "G-EG"]
    if "delicious" not in config["datasets"] or not LEARNERS:
        return []
    if variant == "tuned":
        return compared
    changed = config["alternatives"].get(variant, {}).get("policies", {})
    return [policy for policy in changed if policy in compared]


TIMED_LEARNING = {
    variant: timed_policies(variant) for variant in ("tuned", "five-cg", "five-cg-1000")
}


def timed_learning(kind):
    """Runs whose seconds a round are compared: the figure's, and fresh ones for the claim."""
    fresh = plan.fresh_seeds(config, "learning")
    return [
        path
        for variant, policies in TIMED_LEARNING.items()
        for path in runs(
            kind,
            ["delicious"],
            policies,
            [variant],
            FIGURE_SEEDS if variant == "tuned" else fresh,
        )
    ]


# Runs whose picks are held against the exact ones (claim T2).
PICKED = [
    f"{RESULTS}/picks/{dataset}/G-EG/five-cg.csv"
    for dataset in ("lastfm", "delicious")
    if dataset in config["datasets"]
]


SCALABILITY = config["scalability"]
SCALABILITY_FIGURES = plan.SCALABILITY_FIGURES


def scalability_which(figure):
    """The name in the tables (1a, 1b, 1c) of a figure."""
    return {name: which for which, name in SCALABILITY_FIGURES.items()}[figure]


def fresh_seeds_of(wildcards):
    """As many as any claim asks of these runs."""
    kinds = FRESH.get(needs.Runs(**dict(wildcards.items())), ["verdict"])
    return max((plan.fresh_seeds(config, kind) for kind in kinds), key=len)


def alternative_tables(wildcards):
    """Tables and their source: the dataset's own, or those of another one."""
    entry = config["alternatives"][wildcards.alternative]
    folder = f"{RESULTS}/data/{entry.get('tables', wildcards.dataset)}"
    return {"tables": f"{folder}/tables.npz", "source": f"{folder}/source.json"}


def alternative_input(wildcards):
    """The data; and what was tuned on them, so that it need not be tuned in two places at once."""
    dataset, alternative = wildcards.dataset, wildcards.alternative
    if plan.changes_data(config, alternative):
        return {"dataset": f"{RESULTS}/alternatives/{alternative}/{dataset}.npz"}
    return {
        "dataset": f"{RESULTS}/data/{dataset}/dataset.npz",
        "tuning": tuning_of(dataset, plan.alternative_policies(config, alternative)),
    }


def learners_in_alternative(wildcards):
    """How many of the policies that learn the graph it runs."""
    policies = plan.alternative_policies(config, wildcards.alternative)
    return len({*LEARNERS} & {*policies})


def alternative_tasks(wildcards):
    """What horde.experiments.alternative.Task takes, for each policy."""
    return [
        task
        | {
            "codes": {
                "tune": code("tune.py", task["experiment"]["policy"]),
                "run": code("alternative.py", task["experiment"]["policy"]),
            }
        }
        for task in plan.alternative_tasks(config, wildcards.alternative)
    ]


def sensitivity_baseline(_):
    """Runs of the choices as configured, which the alternatives are compared with."""
    if not ALTERNATIVES:
        raise WorkflowError(
            "There is nothing to compare: the configuration leaves no dataset of "
            "sensitivity.datasets, or no alternative of sensitivity.alternatives, that is run "
            "on one. Name some of yours there."
        )
    return list(SENSITIVITY_BASELINE)
