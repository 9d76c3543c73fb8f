@echo off
node --max-semi-space-size=2 --optimize-for-size "%~dp0main.js" %*
