# The service with the compiled core, on Debian's Python. `make image` builds the image, `make image-test` tests it.

ARG BASE_IMAGE=debian:bookworm-slim

FROM ${BASE_IMAGE} AS base
# Debian keeps only the newest version of a package: a pinned version disappears with the next security fix.
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
# /opt/venv is at its final path in the image. A pip outside installs into it, so the image has no pip.
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
# Every user may read the files, whatever the umask of the clone was.
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
# A new volume mounted here gets this folder's owner, who can write a key into it: see compose.yaml.
RUN install --directory --owner=10001 --group=10001 --mode=0700 /etc/showcheck/signing
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    SHOWCHECK_REQUIRE_COMPILED=1
# The user is a number, so that a cluster can check that it is not root.
USER 10001:10001
EXPOSE 8080 9090
# http.client ignores a proxy in the environment.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["python3", "-c", "\
import http.client, os, sys; \
admin = http.client.HTTPConnection('127.0.0.1', int(os.environ.get('SHOWCHECK_ADMIN_PORT', 9090)), timeout=2); \
admin.request('GET', '/readyz'); \
sys.exit(admin.getresponse().status != 200)"]
# This process checks every setting, then becomes gunicorn.
ENTRYPOINT ["python3", "-m", "service", "serve"]
