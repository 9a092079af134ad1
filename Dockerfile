# An image with Isolde and nothing else of its own: docker build -t isolde . && docker run --rm -v "$PWD:/work" isolde check h.jsonl
FROM debian:12 AS build
COPY . /src
WORKDIR /src
RUN apt-get update && ./dev package && cp build/package/isolde_*.deb /isolde.deb

FROM debian:12-slim
COPY --from=build /isolde.deb /tmp/isolde.deb
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/isolde.deb \
 && rm -rf /tmp/isolde.deb /var/lib/apt/lists/* \
 && useradd --create-home isolde
USER isolde
WORKDIR /work
ENTRYPOINT ["isolde"]
CMD ["--help"]
