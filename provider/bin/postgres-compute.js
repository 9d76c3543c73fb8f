#!/usr/bin/env node
require('../dist/command/cli.js');
