// `pulumi package add` with a Git address runs `npm install --production` in this folder of a fresh clone.
const { execSync } = require('node:child_process');
const { existsSync } = require('node:fs');
const { join } = require('node:path');

if (!existsSync(join(__dirname, 'main.js')))
  // npm passes --production on to the commands of this script.
  execSync('npm ci --ignore-scripts --include=dev && node tools/bundle.mjs', {
    cwd: join(__dirname, '../..'),
    stdio: 'inherit',
  });
