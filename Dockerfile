# The locked packages and this checkout. docs/cluster.md shows how to run it.
FROM python:3.12-slim
WORKDIR /horde
COPY requirements.lock .
RUN pip install --no-cache-dir --require-hashes -r requirements.lock
COPY . .
RUN pip install --no-cache-dir --no-index --no-deps --no-build-isolation -e .
# Results, figures and Snakemake's own files are written here.
VOLUME /out
ENV HORDE_KERNEL_CACHE=/out/kernels
ENTRYPOINT ["snakemake", "--snakefile", "/horde/Snakefile", "--directory", "/out"]
CMD ["--help"]
