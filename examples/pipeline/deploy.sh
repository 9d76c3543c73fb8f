#!/usr/bin/env bash
# One deployment of a stack: preview, stop if a compute would restart without approval, apply.
#
# usage: deploy.sh STACK
# APPROVE_RESTART=true lets this run restart active computes. Pulumi and the provider read the rest from the environment:
# PULUMI_ACCESS_TOKEN or PULUMI_BACKEND_URL (or log in first), POSTGRES_COMPUTE_API_KEY and POSTGRES_COMPUTE_BASE_URL.
#
# Run it again after any failure, even after it was killed: it resumes unfinished work and creates nothing twice.
set -euo pipefail

stack=${1:?usage: deploy.sh STACK}

# Changes Pulumi.STACK.yaml in this checkout only.
pulumi config set --stack "$stack" postgresCompute:allowRestart "${APPROVE_RESTART:-false}"

# With a self-managed backend, a killed run leaves the stack locked. A pipeline runs one deployment of a stack at a time,
# so no running deployment holds a lock that exists now.
case $(pulumi whoami --json) in
  '' | *'"https://'*) ;;
  *) pulumi cancel --stack "$stack" --yes >/dev/null 2>&1 || true ;;
esac

# Exits with an error, before anything is changed, if a change would drop connections.
pulumi preview --stack "$stack" --diff
pulumi up --stack "$stack" --yes --skip-preview
