#!/bin/sh
# APP_SECRET_FILE, GRANT_KEYS_FILE and REDIS_PASSWORD_FILE name files that contain these variables, so that the
# container's configuration does not contain secrets.
set -eu

for name in APP_SECRET GRANT_KEYS REDIS_PASSWORD; do
  eval "value=\${$name:-} file=\${${name}_FILE:-}"
  if [ -z "$value" ] && [ -n "$file" ]; then
    value=$(cat "$file")
    export "$name=$value"
  fi
done

exec "$@"
