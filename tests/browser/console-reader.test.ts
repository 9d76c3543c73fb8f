import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  focused,
  heading,
  openKeyForm,
  openPage,
  projectLink,
  row,
  useChromium,
} from '../support/open-console';
import { startService } from '../support/service-client';

const LOW_CONTRAST = readFileSync(join(__dirname, 'low-contrast.js'), 'utf8');
const PAGE_WIDTH = 'document.documentElement.scrollWidth';
const PHONE = { viewport: { width: 360, height: 740 } };

useChromium();

it('the console works with a keyboard', async () => {
  const { emulator } = await startService();
  emulator.createProject({ name: 'newer' });
  const { page } = await openPage(emulator.consoleUrl);
  await heading(page, 'newer').waitFor();
  const stops: (string | null)[] = [];
  for (let stop = 0; stop < 3; stop += 1) {
    await page.keyboard.press('Tab');
    stops.push(await focused(page).textContent());
  }
  const expected = [/Skip to the project/, /newer/, /test/];
  expect(stops).toEqual(expected.map((text) => expect.stringMatching(text)));
  expect(await page.evaluate('getComputedStyle(document.activeElement).outline')).toMatch(/solid 3px/);
  await page.keyboard.press('Enter');
  await heading(page, 'test').waitFor();
  expect(await projectLink(page, 'test').getAttribute('aria-current')).toBe('page');
  expect(await focused(page).textContent()).toContain('test');
});

it('the first link of the console skips the projects', async () => {
  const { emulator } = await startService();
  const { page } = await openPage(emulator.consoleUrl);
  await heading(page, 'test').waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await focused(page).getAttribute('id')).toBe('content');
});

it('the console has landmarks and headings', async () => {
  const { emulator } = await startService();
  const { page } = await openPage(emulator.consoleUrl);
  await heading(page, 'test').waitFor();
  const outline = await page.locator('body').ariaSnapshot();
  const found = outline.match(
    /(?<=^ *- )(banner|navigation "\w+"|main|region "\w+"|heading "[^"]+" \[level=\d\])/gm,
  );
  expect(found).toEqual([
    'banner',
    'heading "Postgres control emulator" [level=1]',
    'navigation "Projects"',
    'heading "Projects" [level=2]',
    'main',
    'heading "test" [level=2]',
    'region "Endpoints"',
    'heading "Endpoints" [level=3]',
    'region "Operations"',
    'heading "Operations" [level=3]',
  ]);
});

it('the console does not scroll sideways at 360 px with long names', async () => {
  const { emulator, create, settled, project } = await startService();
  const long = 'unbroken'.repeat(8);
  emulator.createBranch(project.id, { name: long.repeat(4) });
  emulator.inject({ match: {}, effect: { kind: 'operation-fails', error: long.repeat(4) } });
  await create({ name: long });
  await settled();
  emulator.inject({ match: {}, effect: { kind: 'operation-status', status: long } });
  await create({ name: 'reader', type: 'read_only' });
  emulator.createProject({ name: long.repeat(4), branch: { name: long.repeat(4) } });
  const { page } = await openPage(emulator.consoleUrl, PHONE);
  await heading(page, long.repeat(4)).waitFor();
  expect(await page.evaluate(PAGE_WIDTH)).toBe(360);
  await projectLink(page, 'test').click();
  await row(page, 'Operations', 'Error').waitFor();
  expect(await page.evaluate(PAGE_WIDTH)).toBe(360);
});

it('a date takes one line at 1280 px', async () => {
  const { emulator } = await startService();
  const { page } = await openPage(emulator.consoleUrl, {
    locale: 'en-US',
    viewport: { width: 1280, height: 900 },
  });
  await heading(page, 'test').waitFor();
  const lines = "[...document.querySelectorAll('time')].map((date) => date.getClientRects().length)";
  expect(new Set((await page.evaluate(lines)) as number[])).toEqual(new Set([1]));
});

it('the key form does not scroll sideways at 360 px', async () => {
  const { emulator } = await startService();
  const { page } = await openKeyForm(emulator.consoleUrl, PHONE);
  expect(await page.evaluate(PAGE_WIDTH)).toBe(360);
});

it('the tables keep their table roles on a phone', async () => {
  const { emulator } = await startService();
  const { page } = await openPage(emulator.consoleUrl, PHONE);
  await heading(page, 'test').waitFor();
  const cells = row(page, 'Endpoints', 'main', 'Active').getByRole('cell');
  expect(await cells.count()).toBe(6);
  expect(await page.getByRole('table', { name: 'Operations' }).getByRole('columnheader').count()).toBe(5);
});

it.each(['light', 'dark'] as const)('every text has contrast AA in the %s colour scheme', async (scheme) => {
  const { emulator, project, call, endpoints, create, settled } = await startService({ locks: 'none' });
  const { body } = await create({ name: 'off' });
  await settled();
  await call('PATCH', `${endpoints}/${body?.endpoint.id}`, { endpoint: { disabled: true } });
  await settled();
  emulator.inject({ match: {}, effect: { kind: 'operation-fails' } });
  await create({ name: 'down', type: 'read_only' });
  await settled();
  for (const status of ['scheduling', 'running', 'skipped']) {
    emulator.inject({ match: {}, effect: { kind: 'operation-status', status } });
    await call('POST', `/projects/${project.id}/branches`, { branch: {} });
  }
  const { page } = await openPage(emulator.consoleUrl, { colorScheme: scheme, reducedMotion: 'reduce' });
  for (const word of ['Scheduling', 'In progress', 'Skipped', 'Error', 'OK']) {
    await row(page, 'Operations', word).waitFor();
  }
  expect(await page.evaluate(LOW_CONTRAST)).toEqual([]);
  await emulator.stop();
  await page.getByText('Connection lost').waitFor();
  expect(await page.evaluate(LOW_CONTRAST)).toEqual([]);
});
