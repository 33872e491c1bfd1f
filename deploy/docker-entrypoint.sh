#!/bin/sh
# APP_SECRET_FILE names a file that holds APP_SECRET, so that it need not stand in the container's configuration.
set -eu

if [ -z "${APP_SECRET:-}" ] && [ -n "${APP_SECRET_FILE:-}" ]; then
  APP_SECRET=$(cat "$APP_SECRET_FILE")
  export APP_SECRET
fi

exec "$@"
