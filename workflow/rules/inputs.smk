# What rules ask for that depends on the configuration or on what tuning chose.
from horde.verdict import claims as paper_claims

CLAIMS = f"{workflow.basedir}/workflow/claims.yaml"
with without_traceback():
    ALL_CLAIMS = paper_claims.load(CLAIMS)
    ASKED = paper_claims.select(ALL_CLAIMS, config["verdict"]["claims"])
    RULES = paper_claims.status(CLAIMS)
# The claims, and their alternative readings.
READINGS = [each for claim in ASKED for each in (claim, *claim.alternatives)]
# No seed that judges claims may be run on the published data while the rules are a draft.
DRAFT = RULES.draft and plan.is_published(config)


def judging_blocks(kind, number):
    """Return the blocks of the first `number` seeds (None: all) that judge claims; none for a draft."""
    return [] if DRAFT else plan.blocks(config, kind, number)


def block_seeds(wildcards):
    """Return the seeds of a block; those that judge claims are refused while the rules are a draft."""
    seeds = run_files.block_seeds(wildcards.block)
    judging = {*seeds} & plan.judging(config)
    if DRAFT and judging:
        raise WorkflowError(
            f"Seed {min(judging)} judges claims, and the rules in {CLAIMS} are a draft: run the multiverse "
            "first, name C3's configuration, set `status: final` there, and commit it."
        )
    return seeds


def tables_source(wildcards):
    """Return the files that a dataset is read from; none for the published archives."""
    entry = config["datasets"][wildcards.dataset]
    if entry["kind"] == "generated":
        archive = f"{RESULTS}/archives/{entry['archive']}"
        return [f"{archive}.zip", f"{archive}.json"]
    if entry["kind"] == "tables":
        # Relative paths, if possible, so that moving the repository reruns nothing.
        root = os.path.relpath(workflow.basedir)
        with without_traceback():
            return list(map(str, sources.table_files(entry["folder"], root).values()))
    return []


def prepared_from(wildcards):
    """Return the tables of a dataset and their source; an alternative may use another dataset's."""
    folder = f"{RESULTS}/data/{plan.preparation(config, wildcards.dataset)['tables']}"
    return {"tables": f"{folder}/tables.npz", "source": f"{folder}/source.json"}


# Datasets and policies of each table of regret.
AVERAGED = {
    "regret": (DATASETS, config["figures"]["regret"]),
    "learning": (
        [*plan.learning_figures(config).values()],
        {"variants": ["tuned"], **config["figures"]["learning"]},
    ),
}
# Tables that are collected from one part per dataset, and these datasets.
COLLECTED = {
    **{table: datasets for table, (datasets, _) in AVERAGED.items()},
    "data": DATASETS,
    "learned_graph": AVERAGED["learning"][0],
    "picks": [name for name in ("lastfm", "delicious") if name in DATASETS],
}
LEARNERS = plan.learners(config)


def tuned_choice(dataset, policy):
    """Return the tuned hyper-parameters of a policy; empty if the policy has none."""
    grids = plan.grids(config, policy)
    if not grids:
        return {}
    chosen = checkpoints.tune.get(dataset=dataset, policy=policy).output.choice
    with without_traceback():
        return choice.read(chosen, grids, plan.paper_lam(config, policy)).params


def run_data(wildcards):
    """Return the prepared dataset, after waiting for the tuned hyper-parameters."""
    if wildcards.variant != "paper":
        tuned_choice(tuned_on(wildcards), wildcards.policy)
    return prepared_data(wildcards)


def picks_data(wildcards):
    """Return the prepared dataset, after waiting for G-EG's tuned hyper-parameters."""
    tuned_choice(wildcards.dataset, "G-EG")
    return prepared_data(wildcards)


def prepared_data(wildcards):
    """Return the prepared dataset of a dataset or a variant of one."""
    return f"{RESULTS}/data/{plan.prepared(config, wildcards.dataset)}/dataset.npz"


def tuned_on(wildcards):
    """Return the dataset whose tuned hyper-parameters runs use."""
    if wildcards.variant == "as-given":
        return wildcards.dataset.partition("@")[0]
    return wildcards.dataset


def run_experiment(wildcards):
    """Return the arguments of horde.experiments.run.Experiment for these runs."""
    policy, variant = wildcards.policy, wildcards.variant
    chosen = {} if variant == "paper" else tuned_choice(tuned_on(wildcards), policy)
    return plan.experiment(config, policy, variant, chosen, wildcards.dataset)


def is_long(wildcards):
    """Return whether a block takes long. Long blocks start first, so that none runs alone at the end."""
    return wildcards.policy in plan.LEARNERS or (
        plan.all_params(
            config, wildcards.policy, wildcards.variant, {}, wildcards.dataset
        ).get("solver")
        == "cg"
    )


def averaged(table, dataset, pattern=CURVES):
    """Return the files of the runs that a table of regret averages on a dataset."""
    wanted = AVERAGED[table][1]
    return blocks_of(
        pattern, "figure", [dataset], wanted["policies"], wanted["variants"]
    )


def timed_learning():
    """Return the records of runs whose speed is compared (claim L8): the figure's, and the claim's."""
    if "delicious" not in DATASETS or not LEARNERS:
        return []
    shown = blocks_of(RECORDS, "figure", ["delicious"], [*LEARNERS, "G-EG"], ["tuned"])
    return shown + [
        run_file(RECORDS, *runs, block)
        for runs, seeds in paper_claims.timed_runs(READINGS).items()
        for block in judging_blocks(*seeds)
    ]


TIMED = {
    "runs": [
        path for dataset in DATASETS for path in averaged("regret", dataset, RECORDS)
    ],
    "graph_learning": timed_learning(),
}


REGRET_FIGURES = plan.regret_figures(config)
LEARNING_FIGURES = plan.learning_figures(config)
# Table and dataset of each figure of regret curves.
CURVE_FIGURES = {
    **{figure: ("regret", dataset) for figure, dataset in REGRET_FIGURES.items()},
    **{figure: ("learning", dataset) for figure, dataset in LEARNING_FIGURES.items()},
}


def label_of(dataset):
    """Return the label of a dataset in figures."""
    return config["datasets"][dataset]["label"]


def curve_title(figure):
    """Return a title: the paper's number, the data, and a solver that is not the paper's."""
    table, dataset = CURVE_FIGURES[figure]
    if table == "learning":
        return plan.title(figure, f"learning the graph, regret on {label_of(dataset)}")
    solver = plan.paper_solver(config, dataset)
    if solver and "paper" in AVERAGED["regret"][1]["variants"]:
        more = f", {solver} solver with the paper's values"
    else:
        more = ""
    return plan.title(figure, f"regret on {label_of(dataset)}{more}")


def curve_policies(wildcards):
    """Return the policies and variants that a figure of regret curves shows."""
    shown = AVERAGED[CURVE_FIGURES[wildcards.figure][0]][1]
    return shown["policies"], shown["variants"]


def curve_inputs(wildcards):
    """Return what a figure of regret curves is drawn from."""
    table, dataset = CURVE_FIGURES[wildcards.figure]
    policies, variants = curve_policies(wildcards)
    return {
        "table": f"{RESULTS}/summary/{table}_{dataset}.csv",
        "source": f"{RESULTS}/data/{dataset}/source.json",
        "tuning": tuning_of(dataset, policies if "tuned" in variants else []),
    }


def paper_values(wildcards):
    """Return the paper's values of the tuned hyper-parameters that a figure shows, by policy."""
    policies, variants = curve_policies(wildcards)
    if "paper" not in variants:
        return {}
    return {
        policy: {
            name: plan.all_params(config, policy, "paper", {})[name]
            for name in plan.grids(config, policy)
        }
        for policy in policies
        if plan.grids(config, policy)
    }


def report_text(text):
    """Return a text for the report's lists, in which Snakemake would read braces as wildcards."""
    return text.replace("{", "(").replace("}", ")")


def regret_category(wildcards):
    """Return the part of the report that a regret figure stands in: its own data's, or Figure 2."""
    if wildcards.figure.startswith("fig2"):
        return "3. Figure 2: regret"
    title = re.sub(r"[^\w .,()-]+", " ", curve_title(wildcards.figure))
    return f"3. {title}"


SCALABILITY = config["scalability"]
# Name of each figure of seconds per round in the tables: 1a, 1b or 1c.
SCALABILITY_FIGURES = {
    figure: which for which, figure in plan.SCALABILITY_FIGURES.items()
}
ALTERNATIVES = plan.alternative_runs(config)


def alternative_blocks(name, dataset):
    """Return the files of the runs of one alternative on a dataset."""
    policies = plan.alternative_policies(config, name)
    if plan.changes_data(config, name):
        where, variant = plan.data_variant(dataset, name), "tuned"
    else:
        where, variant = dataset, name
    return blocks_of(CURVES, "sensitivity", [where], policies, [variant])


def sensitivity_baseline(_):
    """Return the files of the runs that alternatives are compared with: the configured choices."""
    if not ALTERNATIVES:
        raise WorkflowError(
            "There is nothing to compare: no alternative of sensitivity.alternatives runs on a "
            "configured dataset of sensitivity.datasets. Add your datasets and alternatives to "
            "these two lists in the configuration."
        )
    asked = config["sensitivity"]
    compared = [(asked["datasets"], asked["policies"])]
    for name, datasets in ALTERNATIVES.items():
        compared.append((datasets, plan.alternative_policies(config, name)))
    paths = [
        path
        for datasets, policies in compared
        for path in blocks_of(CURVES, "sensitivity", datasets, policies, ["tuned"])
    ]
    return [*dict.fromkeys(paths)]


CONTROLS = [runs for runs in plan.control_runs(config) if runs[1] in config["policies"]]


def control_blocks(pattern, learners):
    """Return the files (pattern `CURVES` or `RECORDS`) of the runs that learn a graph, or of the others."""
    kind = "learners" if learners else "controls"
    return [
        path
        for dataset, policy, variant in CONTROLS
        if (policy in plan.LEARNERS) == learners
        for path in blocks_of(pattern, kind, [dataset], [policy], [variant])
    ]


def claims_of_part(wildcards):
    """Return the letter of the claims that a part of the multiverse is about."""
    return PARTS[wildcards.dataset, wildcards.part][0]["claims"]


def multiverse_parts(_):
    """Return the files of all parts of the multiverse."""
    if all(
        row["hyper"] == specifications.ORACLE for rows in PARTS.values() for row in rows
    ):
        raise WorkflowError(
            "The multiverse has nothing to count: no specification of multiverse.specifications runs "
            "on a configured dataset of multiverse.datasets, or all choose lambda in hindsight, which "
            "counts in no share. Add others to these lists in the configuration."
        )
    return [PART.format(dataset=dataset, part=part) for dataset, part in sorted(PARTS)]


def multiverse_setup(wildcards):
    """Return the arguments of horde.experiments.multiverse.Setup for a part."""
    asked = paper_claims.select(ALL_CLAIMS, [claims_of_part(wildcards)])
    runs = [
        (runs.policy, runs.variant)
        for runs in paper_claims.needed_runs(asked)
        if runs.dataset == wildcards.dataset and runs.policy in config["policies"]
    ]
    return plan.multiverse_setup(config, runs)


def preview_curves(_):
    """Return the runs, on the first block of the figures' seeds, that the claims compare."""
    first = plan.blocks(config, "figure")[0]
    wanted = [
        run_file(CURVES, *runs, first)
        for runs in paper_claims.needed_runs(ASKED)
        if runs.dataset in DATASETS and runs.policy in config["policies"]
    ]
    if not wanted:
        raise WorkflowError(
            "There is nothing to preview: no claim of verdict.claims compares runs on a configured "
            "dataset. Add R to verdict.claims, and lastfm or delicious to datasets."
        )
    return wanted


def published_files(_):
    """Return the files of the published results that the article reads."""
    # Not at every start: it loads the typesetter.
    from horde import article

    return article.files_of(PUBLISHED)


def place_of(wildcards):
    """Raise an error with the right path if the target is a file of another run or folder."""
    kind, _, name = wildcards.misplaced.split("/", 2)
    place = FIGURES if kind == "figures" else RESULTS
    raise WorkflowError(
        f"{wildcards.misplaced} is not a file of run {config['run']!r} with output "
        f"{config['output']!r}; ask for {place}/{name}, or set `run` or `output`."
    )
