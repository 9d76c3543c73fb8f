// `pulumi package add` from a Git address installs this folder of a checkout that nobody has built yet.
const { execSync } = require('node:child_process');
const { existsSync } = require('node:fs');
const { join } = require('node:path');

if (!existsSync(join(__dirname, 'main.js')))
  execSync('npm ci && npm run build', { cwd: join(__dirname, '..', '..'), stdio: 'inherit' });
