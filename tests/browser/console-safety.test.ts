import { expect, it } from 'vitest';
import {
  heading,
  openPage,
  projectLink,
  row,
  serveForeignPage,
  startHeld,
  useChromium,
} from '../support/open-console';
import { startService } from '../support/service-client';

useChromium();

it('a name with markup is shown as text and runs no script', async () => {
  const { emulator, call, create, project } = await startService();
  const name = '<img src=x onerror="window.isTaken = true">';
  emulator.createBranch(project.id, { name });
  await create({ name: `"><script>window.isTaken=true</script>` });
  const other = emulator.createProject({ name, branchName: name });
  emulator.inject({ match: {}, effect: { kind: 'operation-fails', error: name } });
  await call('POST', `/projects/${other.id}/branches`, { branch: {} });
  const { page, complaints } = await openPage(emulator.consoleUrl);
  await heading(page, name).waitFor();
  await row(page, 'Endpoints', name).waitFor();
  await row(page, 'Operations', 'Error', name).waitFor();
  await projectLink(page, 'test').click();
  await row(page, 'Endpoints', '<script>').waitFor();
  expect(await page.evaluate('window.isTaken')).toBeUndefined();
  expect(await page.locator('main img, main script, nav img').count()).toBe(0);
  expect(complaints).toEqual([]);
});

it('the browser reports no policy violation and no error', async () => {
  const { emulator, create, finish } = await startHeld('start_compute');
  emulator.createProject({ name: 'newer' });
  const { page, complaints } = await openPage(emulator.consoleUrl);
  await projectLink(page, 'test').click();
  await create();
  await row(page, 'Operations', 'In progress').waitFor();
  finish();
  await row(page, 'Operations', 'start_compute', 'feature', 'OK').waitFor();
  await page.reload();
  await heading(page, 'test').waitFor();
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(complaints).toEqual([]);
});

it('the Content-Security-Policy blocks an injected script', async () => {
  const { emulator } = await startService();
  const { page } = await openPage(emulator.consoleUrl);
  await heading(page, 'test').waitFor();
  const attack = `document.body.innerHTML = '<img src=x onerror="window.isTaken = true">'`;
  await expect(page.evaluate(attack)).rejects.toThrow(/TrustedHTML/);
  expect(await page.evaluate('window.isTaken')).toBeUndefined();
});

it('another origin cannot read the console data, even with the key', async () => {
  const { emulator } = await startService();
  const url = new URL('/console/events', emulator.consoleUrl);
  const headers = `{ authorization: 'Bearer ${emulator.apiKey}' }`;
  const read = `fetch('${url}', { headers: ${headers} }).then((response) => response.status)`;
  const own = await openPage(emulator.consoleUrl);
  expect(await own.page.evaluate(read)).toBe(200);
  const foreign = await openPage(await serveForeignPage());
  await expect(foreign.page.evaluate(read)).rejects.toThrow('Failed to fetch');
});

it('a page of another origin cannot frame the console', async () => {
  const { emulator } = await startService();
  const { page, complaints } = await openPage(await serveForeignPage());
  await page.evaluate(
    `document.body.append(Object.assign(document.createElement('iframe'), { src: '${emulator.consoleUrl}' }))`,
  );
  await expect.poll(() => complaints.join()).toMatch(/frame-ancestors/);
});
