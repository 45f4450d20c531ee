#!/bin/sh
# Debian's slowhttptest against a gateway with the limits of production: slow heads (slowloris), slow bodies (R.U.D.Y.)
# and slow reading. The gateway must be there for others all the while. Needs root to install the package where it is
# missing; a few minutes.
#
#   sh apps/gateway/test/attacks/slowhttptest.sh [connections, default 1000] [seconds of each, default 45]
set -eu
cd "$(dirname "$0")/../../../.."
connections="${1:-1000}"
seconds="${2:-45}"
command -v slowhttptest > /dev/null || apt-get install -y --no-install-recommends slowhttptest

place="$(mktemp -d)"
gateway=
finish() {
  [ -z "$gateway" ] || { kill "$gateway" 2> /dev/null && wait "$gateway" 2> /dev/null; } || true
  rm -rf "$place"
}
trap finish EXIT INT TERM
FAREBOX_MODE=dev FAREBOX_DATA_DIR="$place/data" PORT=0 HOST=127.0.0.1 LOG_LEVEL=error \
  node_modules/.bin/node --disable-warning=ExperimentalWarning apps/gateway/src/bin/main.ts > "$place/log" 2>&1 &
gateway=$!
waited=0
until url="$(sed -n 's/^Farebox ready at //p' "$place/log")" && [ -n "$url" ]; do
  waited=$((waited + 1))
  [ "$waited" -lt 240 ] && kill -0 "$gateway" 2> /dev/null || { cat "$place/log"; exit 1; }
  sleep 0.5
done
echo "Gateway at $url, $connections connections, $seconds seconds of each"

failed=0
# A name, then the options of slowhttptest that are its own. Whether the gateway is there for others is asked by a client
# of our own: the probe of slowhttptest asks for what it attacks with, which here is large by choice.
attack() {
  name="$1"
  shift
  slowhttptest "$@" -c "$connections" -r 100 -l "$seconds" -i 3 -p 3 -u "$url/$path" > "$place/out" 2>&1 &
  attacker=$!
  asked=0
  missed=0
  while kill -0 "$attacker" 2> /dev/null; do
    asked=$((asked + 1))
    curl -sf -m 10 -o /dev/null "$url/health" || missed=$((missed + 1))
    sleep 1
  done
  wait "$attacker" || true
  last="$(sed 's/\x1b\[[0-9;]*m//g' "$place/out" | sed -n '/^initializing/,/^closed/p' | tail -n 5 | tr -s ' \n' ' ')"
  resident="$(awk '/VmHWM/ { print int($2 / 1024) }' "/proc/$gateway/status")"
  echo "$name: of $asked others $missed were not served; at the end $last; peak memory of the gateway $resident MiB"
  [ "$missed" -eq 0 ] || failed=1
}
path=health
attack 'slow heads' -H -t GET
path=api/v1/auth/verify
attack 'slow bodies' -B -t POST -s 8192 -f application/json
path=openapi.json
attack 'slow reading' -X -w 512 -y 1024 -n 5 -z 32 -k 3
exit "$failed"
