@echo off
node --max-semi-space-size=8 --heap-growing-percent=30 "%~dp0main.js" %*
