# The service with its core compiled, on Debian's own Python. `make image` builds it, `make image-test` tries it.

ARG BASE_IMAGE=debian:bookworm-slim

FROM ${BASE_IMAGE} AS base
# Debian keeps the newest version of a package only: a pin would end with the next security fix.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends python3 \
    && rm -rf /var/cache/apt/* /var/lib/apt/lists/*

FROM base AS builder
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev python3-dev python3-venv
WORKDIR /build
COPY requirements.lock requirements-build.lock ./
# What runs goes where it will lie in the image, and is installed from outside: no pip comes along.
RUN python3 -m venv venv \
    && venv/bin/pip install --no-cache-dir --require-hashes --requirement requirements-build.lock \
    && python3 -m venv --without-pip /opt/venv \
    && venv/bin/pip --python /opt/venv/bin/python3 install --no-cache-dir --require-hashes --requirement requirements.lock
WORKDIR /build/app
COPY LICENSE setup.py pyproject.toml openapi.yaml gunicorn.conf.py ./
COPY service service
ARG VERSION=0.2.0
RUN grep -qxF "version = \"${VERSION}\"" pyproject.toml \
    || { echo "pyproject.toml has another version than ${VERSION}"; exit 1; }
# Readable for every user in the end, whatever the umask of the clone was.
RUN SHOWCHECK_REQUIRE_COMPILED=1 ../venv/bin/python setup.py --quiet build_ext --inplace \
    && /opt/venv/bin/python3 -m compileall -q service \
    && chmod -R u=rwX,go=rX .

FROM base
ARG VERSION=0.2.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="showcheck" \
      org.opencontainers.image.description="Judges shows and scores hands of 13-card Indian Rummy over HTTP: optimal grouping, verdict, points, reasons." \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=builder /opt/venv /opt/venv
WORKDIR /app
COPY --from=builder /build/app/LICENSE /build/app/openapi.yaml /build/app/pyproject.toml /build/app/gunicorn.conf.py ./
COPY --from=builder /build/app/*__mypyc*.so ./
COPY --from=builder /build/app/service service
# A new volume mounted here gets the folder's owner, who can write a key into it: see compose.yaml.
RUN install --directory --owner=10001 --group=10001 --mode=0700 /etc/showcheck/signing
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    SHOWCHECK_REQUIRE_COMPILED=1
# A number, so that a cluster can see that it is not root.
USER 10001:10001
EXPOSE 8080 9090
# http.client takes no notice of a proxy in the environment.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["python3", "-c", "\
import http.client, os, sys; \
admin = http.client.HTTPConnection('127.0.0.1', int(os.environ.get('SHOWCHECK_ADMIN_PORT', 9090)), timeout=2); \
admin.request('GET', '/readyz'); \
sys.exit(admin.getresponse().status != 200)"]
# Becomes gunicorn, once every setting is checked.
ENTRYPOINT ["python3", "-m", "service", "serve"]
