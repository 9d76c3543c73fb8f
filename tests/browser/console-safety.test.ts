import { expect, it } from 'vitest';
import { heading, openPage, projectLink, row, startHeld, useChromium } from '../support/open-console';
import { startService } from '../support/service-client';

useChromium();

it('a name with markup is shown as text and runs no script', async () => {
  const { emulator, call, create, project } = await startService();
  const name = '<img src=x onerror="window.isTaken = true">';
  emulator.createBranch(project.id, { name });
  await create({ name: `"><script>window.isTaken=true</script>` });
  const other = emulator.createProject({ name, branch: { name } });
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
