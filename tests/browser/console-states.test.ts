// Takes the screenshots of docs/, too, on a desktop and on a phone: `npm run screenshots` copies them.
import { join } from 'node:path';
import { startEmulator } from 'postgres-control-emulator';
import { expect, it, onTestFinished } from 'vitest';
import { fillConsole } from '../support/console-scene';
import { repository } from '../support/documents';
import { heading, openPage, useChromium } from '../support/open-console';

useChromium();

const durationsMs = { create_branch: 320, apply_config: 140, suspend_compute: 640, default: 1200 };
const pictures = [
  { file: 'console.png', viewport: { width: 1280, height: 1200 }, deviceScaleFactor: 1 },
  { file: 'console-phone.png', viewport: { width: 390, height: 900 }, deviceScaleFactor: 2 },
];

/** Runs in the page: the colours of each badge and the shape of its mark, by its text. */
const readBadges = `Object.fromEntries([...document.querySelectorAll('.badge')].map((badge) => {
  const { color, backgroundColor } = getComputedStyle(badge);
  const { borderRadius, borderStyle } = getComputedStyle(badge, '::before');
  return [badge.textContent, [color, backgroundColor, borderRadius, borderStyle].join(' ')];
}))`;

it('the console shows states in their own colours and shapes', async () => {
  const emulator = await startEmulator({ operationMs: durationsMs, locks: 'none', apiKey: 'local' });
  onTestFinished(() => emulator.stop());
  await fillConsole(emulator);
  for (const { file, ...options } of pictures) {
    const { page } = await openPage(emulator.consoleUrl, options);
    await heading(page, 'shop').waitFor();
    await page
      .getByText(/^([4-9]|\d\d) s$/)
      .first()
      .waitFor();
    const styles = (await page.evaluate(readBadges)) as Record<string, string>;
    const { OK, ...others } = styles;
    expect(Object.keys(others).sort()).toEqual([
      'Active',
      'Error',
      'Idle',
      'In progress',
      'Scheduling',
      'Stopped',
    ]);
    expect(new Set(Object.values(others)).size).toBe(Object.keys(others).length);
    expect(others.Active).toBe(OK);
    await page.screenshot({ path: join(repository, '.reports', file), animations: 'disabled' });
  }
});
