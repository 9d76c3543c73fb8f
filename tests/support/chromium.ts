import { execFileSync } from 'node:child_process';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** Nothing but the page under test: no profile, no updates, no traffic of the browser's own. */
const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * The Chromium that CHROMIUM_PATH names, else the first on the PATH that starts; undefined when there is none.
 * @throws Error when CHROMIUM_PATH names none that starts, or when there is none and REQUIRE_CHROMIUM is 1
 */
export function findChromium(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const { CHROMIUM_PATH: named, REQUIRE_CHROMIUM: required } = environment;
  if (named) {
    if (starts(named)) return named;
    throw new Error(`CHROMIUM_PATH is ${named}, and that does not start: name a Chromium, or unset it`);
  }
  const found = NAMES.find(starts);
  if (found === undefined && required === '1') {
    throw new Error(
      `REQUIRE_CHROMIUM is 1, and none of ${NAMES.join(', ')} starts: install Chromium, or name it by CHROMIUM_PATH`,
    );
  }
  return found;
}

export function launchChromium(command: string): Promise<Browser> {
  return chromium.launch({ executablePath: resolvePath(command), args: ARGUMENTS });
}

/** A command may exist and yet not start, such as the stand-in that asks for a snap. */
function starts(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore', timeout: 20_000 });
    return true;
  } catch {
    return false;
  }
}

/** Playwright wants a path, not a name. */
function resolvePath(command: string): string {
  if (command.includes('/')) return command;
  return execFileSync('/bin/sh', ['-c', 'command -v "$1"', 'sh', command], { encoding: 'utf8' }).trim();
}
