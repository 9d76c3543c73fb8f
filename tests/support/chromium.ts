import { execFileSync } from 'node:child_process';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** Without a profile, updates and background traffic. */
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
 * The Chromium at CHROMIUM_PATH, or else the first on PATH that starts; undefined if there is none.
 * @throws Error if the one at CHROMIUM_PATH does not start, or if there is none and REQUIRE_CHROMIUM is 1
 */
export function findChromium(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const { CHROMIUM_PATH: named, REQUIRE_CHROMIUM: required } = environment;
  if (named) {
    if (starts(named)) return named;
    throw new Error(`CHROMIUM_PATH is ${named}, which does not start: set it to a Chromium, or unset it`);
  }
  const found = NAMES.find(starts);
  if (found === undefined && required === '1') {
    throw new Error(
      `REQUIRE_CHROMIUM is 1, and none of ${NAMES.join(', ')} starts: install Chromium, or set CHROMIUM_PATH`,
    );
  }
  return found;
}

export function launchChromium(command: string): Promise<Browser> {
  return chromium.launch({ executablePath: resolvePath(command), args: ARGUMENTS });
}

/** A command may exist without starting, such as Ubuntu's stub, which asks the user to install a snap. */
function starts(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore', timeout: 60_000 });
    return true;
  } catch {
    return false;
  }
}

/** Playwright needs a path, not a name. */
function resolvePath(command: string): string {
  if (command.includes('/')) return command;
  return execFileSync('/bin/sh', ['-c', 'command -v "$1"', 'sh', command], { encoding: 'utf8' }).trim();
}
