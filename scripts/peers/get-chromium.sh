#!/usr/bin/env bash
# Finds a Chromium, or installs Debian's as root. Prints the binary's path.
#
#   CHROMIUM_PATH  the browser to use; without it the first of chromium, chromium-browser and
#                  google-chrome on the PATH
#
# Everything but the final path goes to stderr, so: chromium=$(./get-chromium.sh)
set -euo pipefail

log() { echo "get-chromium: $*" >&2; }
works() { [ -x "$1" ] && "$1" --version >&2; }

if [ -n "${CHROMIUM_PATH:-}" ]; then
  works "$CHROMIUM_PATH" || { log "CHROMIUM_PATH is $CHROMIUM_PATH, which does not run"; exit 1; }
  echo "$CHROMIUM_PATH"
  exit 0
fi

find_one() {
  local name path
  for name in chromium chromium-browser google-chrome; do
    path=$(command -v "$name") && works "$path" && { echo "$path"; return 0; }
  done
  return 1
}

find_one && exit 0
command -v apt-get >/dev/null || { log "no Chromium on the PATH; install one, or name it in CHROMIUM_PATH"; exit 1; }
[ "$(id -u)" = 0 ] || { log "no Chromium on the PATH; as root: apt-get install chromium"; exit 1; }
log "installing Debian's chromium"
start=$SECONDS
# Fonts too: without any the page's text has no size.
(
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -q
  apt-get install -q -y --no-install-recommends chromium fonts-dejavu-core
) >&2
find_one || { log "installed, but does not run"; exit 1; }
log "installed in $((SECONDS - start)) s"
