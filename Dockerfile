# syntax=docker/dockerfile:1

# One image for every part of the fleet: `docker build -t kakehashi .`
# Extras of the package, by comma: `postgres` (the database of a fleet), `metrics` (Prometheus), `flower` (the page).
ARG PYTHON=3.13
ARG EXTRAS=postgres,metrics

# ------------------------------------------------------------------------------------------------------------- build
FROM python:${PYTHON}-slim AS build
ARG EXTRAS
WORKDIR /build

# The environment of the final image, made where it will stand: its scripts carry their path.
RUN python -m venv /opt/kakehashi

# The dependencies first, at their pinned versions: this layer is kept as long as pyproject.toml is the same. The empty
# package stands in for the real one, which follows below.
COPY pyproject.toml README.md LICENSE ./
COPY scripts/pin.py scripts/
RUN mkdir -p src/kakehashi \
    && touch src/kakehashi/__init__.py \
    && python scripts/pin.py --show > constraints.txt \
    && KAKEHASHI_NATIVE=off /opt/kakehashi/bin/pip install --no-cache-dir --constraint constraints.txt ".[${EXTRAS}]" \
    && /opt/kakehashi/bin/pip uninstall --yes kakehashi

# With the native engine, or not at all. The compiler stays behind in this stage.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends g++ \
    && rm -rf /var/lib/apt/lists/*
ENV KAKEHASHI_NATIVE=required
COPY native native
COPY src src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir dist . \
    && /opt/kakehashi/bin/pip install --no-cache-dir --no-deps dist/*.whl \
    && /opt/kakehashi/bin/pip check \
    && /opt/kakehashi/bin/python -m compileall -q /opt/kakehashi/lib \
    && /opt/kakehashi/bin/pip uninstall --yes pip

# ------------------------------------------------------------------------------------------------------------- final
FROM python:${PYTHON}-slim
LABEL org.opencontainers.image.title="Kakehashi" \
      org.opencontainers.image.description="A distributed batch solver for Hashiwokakero puzzles" \
      org.opencontainers.image.licenses="MIT"

RUN useradd --uid 10001 --user-group --create-home --home-dir /home/kakehashi --shell /usr/sbin/nologin kakehashi
COPY --from=build /opt/kakehashi /opt/kakehashi
ENV PATH=/opt/kakehashi/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1

# By number, so that a host can tell that it is not root.
USER 10001:10001
WORKDIR /home/kakehashi

# What is healthy depends on the command (a worker answers a ping, `migrate` ends): docker-compose.yml says it for each.
HEALTHCHECK NONE
ENTRYPOINT ["kakehashi"]
CMD ["--help"]
