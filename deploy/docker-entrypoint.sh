#!/bin/sh
# APP_SECRET_FILE and GRANT_KEYS_FILE name files that hold those variables, so that they need not stand in the
# container's configuration.
set -eu

if [ -z "${APP_SECRET:-}" ] && [ -n "${APP_SECRET_FILE:-}" ]; then
  APP_SECRET=$(cat "$APP_SECRET_FILE")
  export APP_SECRET
fi
if [ -z "${GRANT_KEYS:-}" ] && [ -n "${GRANT_KEYS_FILE:-}" ]; then
  GRANT_KEYS=$(cat "$GRANT_KEYS_FILE")
  export GRANT_KEYS
fi

exec "$@"
