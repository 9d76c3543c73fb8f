#!/usr/bin/env bash
# One deployment of a stack: preview, stop when a compute would restart and nobody has approved that, apply.
#
# usage: deploy.sh STACK
# APPROVE_RESTART=true lets this run restart computes that are active. Everything else Pulumi and the provider take
# from the environment: PULUMI_ACCESS_TOKEN or PULUMI_BACKEND_URL, POSTGRES_COMPUTE_API_KEY, POSTGRES_COMPUTE_BASE_URL.
#
# It can be run again after any failure, also after it was killed: what was cut off is taken up, nothing is made twice.
set -euo pipefail

stack=${1:?usage: deploy.sh STACK}

# Written into this checkout's Pulumi.STACK.yaml, and gone with it.
pulumi config set --stack "$stack" postgresCompute:allowRestart "${APPROVE_RESTART:-false}"

# With a backend of one's own a killed run leaves the lock of the stack behind. A pipeline runs one deployment of a stack
# at a time, so a lock that is there now is nobody's.
case ${PULUMI_BACKEND_URL:-https://} in
  https://*) ;;
  *) pulumi cancel --stack "$stack" --yes >/dev/null 2>&1 || true ;;
esac

# Exits with an error when a change would drop connections; nothing has been changed then.
pulumi preview --stack "$stack" --diff
pulumi up --stack "$stack" --yes --skip-preview
