@echo off
where node >nul 2>nul || (
  echo The provider postgres-compute needs Node.js 22.12, 24 or 26 on PATH; get it from https://nodejs.org. 1>&2
  exit /b 1
)
node --max-semi-space-size=8 --heap-growing-percent=30 "%~dp0main.js" %*
