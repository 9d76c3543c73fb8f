// Adds to package-lock.json the optional packages for other platforms that the registry did not serve when the lock
// was written: without them `npm ci` refuses the lock. Run it after every `npm install` that changed the lock.
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
const added = [];

for (const [place, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const at = `node_modules/${name}`;
    const isKnown = lock.packages[at] !== undefined || lock.packages[`${place}/${at}`] !== undefined;
    if (isKnown || !/^\d+\.\d+\.\d+$/.test(version)) continue;
    lock.packages[at] = { version, ...platformOf(name), ...(entry.dev && { dev: true }), optional: true };
    added.push(name);
  }
}

const [root, ...rest] = Object.entries(lock.packages);
lock.packages = Object.fromEntries([root, ...rest.sort(([left], [right]) => (left < right ? -1 : 1))]);
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`${added.length} added${added.length > 0 ? `: ${added.join(', ')}` : ''}\n`);

/** `@rollup/rollup-linux-arm64-musl`: the name says the operating system, the processor and the C library. */
function platformOf(name) {
  const [os, cpu, libc] = name
    .split('/')
    .pop()
    .replace(/^(cli|rollup)-/, '')
    .split('-');
  return {
    os: [os],
    cpu: [cpu === 'armv7' ? 'arm' : cpu],
    ...(os === 'linux' && libc && { libc: [libc.startsWith('musl') ? 'musl' : 'glibc'] }),
  };
}
