import { startEmulator } from 'postgres-control-emulator';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  focused,
  heading,
  openKeyForm,
  openPage,
  projectLink,
  row,
  rows,
  startHeld,
  useChromium,
} from '../support/open-console';
import { hasPostgres, PostgresEmulator } from '../support/postgres-emulator';
import { startService } from '../support/service-client';

useChromium();

async function startWithPostgres() {
  const service = await PostgresEmulator.start({ postgresHost: 'localhost' });
  onTestFinished(() => service.emulator.stop());
  return { emulator: service.emulator, createProject: () => service.createProject() };
}

describe('the content of the console', () => {
  it('the console shows the endpoints and operations of each project', async () => {
    const { emulator, project, createActive } = await startService();
    await createActive({ name: 'reader', type: 'read_only', suspend_timeout_seconds: 90 });
    emulator.createProject({ name: 'newer', branch: { name: 'trunk' } });
    const { page } = await openPage(emulator.consoleUrl);

    await heading(page, 'newer').waitFor();
    await row(page, 'Endpoints', 'trunk', 'read_write', 'Active').waitFor();
    await row(page, 'Operations', 'create_timeline', 'trunk', 'OK').waitFor();
    expect(await rows(page, 'Endpoints').count()).toBe(2);

    await projectLink(page, 'test').click();
    await heading(page, 'test').waitFor();
    await row(page, 'Endpoints', 'reader', 'feature', 'read_only', '1 min 30 s', 'Active').waitFor();
    await row(page, 'Operations', 'start_compute', 'feature', 'OK').waitFor();
    expect(await rows(page, 'Operations').count()).toBe(1 + emulator.operations(project.id).length);
  });

  it("the console shows dates in the user's locale and time zone", async () => {
    const { emulator, project } = await startService();
    const options = { locale: 'de-DE', timezoneId: 'Asia/Tokyo' };
    const { page } = await openPage(emulator.consoleUrl, options);
    const [newest] = emulator.operations(project.id);
    const format = new Intl.DateTimeFormat('de-DE', {
      dateStyle: 'medium',
      timeStyle: 'medium',
      timeZone: 'Asia/Tokyo',
    });
    await row(page, 'Operations', format.format(new Date(newest?.created_at ?? ''))).waitFor();
  });

  it('the console shows the first project once it exists', async () => {
    const emulator = await startEmulator();
    onTestFinished(() => emulator.stop());
    const { page } = await openPage(emulator.consoleUrl);
    await heading(page, 'No projects yet').waitFor();
    emulator.createProject({ name: 'first' });
    await heading(page, 'first').waitFor();
  });
});

describe.skipIf(!hasPostgres)('a connection string', () => {
  it('the console copies it, with the password only on request', async () => {
    const { emulator, createProject } = await startWithPostgres();
    const { uri } = await createProject();
    const { page, complaints } = await openPage(emulator.consoleUrl);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const button = page.getByRole('button', { name: 'Copy connection string' });
    await button.waitFor();
    expect(await page.content()).not.toContain(new URL(uri).password);
    await button.click();
    await page.getByText(uri, { exact: true }).waitFor();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(uri);
    expect(complaints).toEqual([]);
  });

  it('the console has none without Postgres', async () => {
    const { emulator, createActive } = await startService();
    await createActive();
    const { page } = await openPage(emulator.consoleUrl);
    await rows(page, 'Endpoints').first().waitFor();
    expect(await page.getByRole('button', { name: 'Copy connection string' }).count()).toBe(0);
  });
});

describe('updates of the console', () => {
  it('a new operation appears without a reload and changes to OK', async () => {
    const { emulator, create, finish } = await startHeld('start_compute');
    const { page } = await openPage(emulator.consoleUrl);
    await heading(page, 'test').waitFor();
    await page.evaluate('window.isSamePage = true');

    await create({ name: 'fresh' });
    await row(page, 'Operations', 'start_compute', 'feature', 'In progress').waitFor();
    await row(page, 'Endpoints', 'fresh', 'Idle', 'moving to Active').waitFor();
    await projectLink(page, 'test').filter({ hasText: '1 under way' }).waitFor();

    finish();
    await row(page, 'Operations', 'start_compute', 'feature', 'OK').waitFor();
    await row(page, 'Endpoints', 'fresh', 'Active').waitFor();
    expect(await page.evaluate('window.isSamePage')).toBe(true);
  });

  it('a screen reader announces changes politely', async () => {
    const { emulator, create, finish } = await startHeld('start_compute');
    const { page } = await openPage(emulator.consoleUrl);
    await heading(page, 'test').waitFor();
    const announcements = page.getByRole('status');
    await create({ name: 'fresh' });
    await announcements.filter({ hasText: 'start_compute on branch feature: In progress.' }).waitFor();
    finish();
    await announcements
      .filter({ hasText: 'start_compute on branch feature: OK. Endpoint fresh: Active.' })
      .waitFor();
    expect(await page.locator('[aria-live=assertive], [role=alert]').count()).toBe(0);
  });

  it('the duration of a running operation is updated every second', async () => {
    const { emulator, create } = await startHeld('start_compute');
    await create();
    const { page } = await openPage(emulator.consoleUrl);
    const running = row(page, 'Operations', 'start_compute', 'In progress');
    const duration = running.getByText(/^\d+ s$/);
    const shown = await duration.textContent();
    await expect.poll(() => duration.textContent()).not.toBe(shown);
  });

  it('an update keeps the focus', async () => {
    const { emulator } = await startService();
    const { page } = await openPage(emulator.consoleUrl);
    await projectLink(page, 'test').focus();
    emulator.createProject({ name: 'newer' });
    await projectLink(page, 'newer').waitFor();
    expect(await focused(page).textContent()).toContain('test');
  });

  it('the console reports when the selected project no longer exists', async () => {
    const { emulator, project, call } = await startService();
    emulator.createProject({ name: 'newer' });
    const { page } = await openPage(emulator.consoleUrl);
    await projectLink(page, 'test').click();
    await heading(page, 'test').waitFor();
    await call('DELETE', `/projects/${project.id}`);
    await heading(page, 'newer').waitFor();
    await page.getByText(`Project ${project.id} does not exist, or no longer exists.`).waitFor();
  });
});

describe('the connection of the console', () => {
  it('the page reports a lost connection, and reconnects', async () => {
    const { emulator } = await startService();
    const { port, apiKey } = emulator;
    const { page } = await openPage(emulator.consoleUrl);
    await heading(page, 'test').waitFor();
    await emulator.stop();
    await page
      .getByText(/^Connection lost: the emulator does not respond\. The page shows the state at /)
      .waitFor();
    await page.getByText('Disconnected', { exact: true }).waitFor();

    const next = await startEmulator({ port, apiKey });
    onTestFinished(() => next.stop());
    next.createProject({ name: 'after' });
    await heading(page, 'after').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await page.getByText('Connection lost').count()).toBe(0);
  });

  it('a reload keeps connection and project; the address has no key', async () => {
    const { emulator, project } = await startService();
    emulator.createProject({ name: 'newer' });
    const { page } = await openPage(emulator.consoleUrl);
    await projectLink(page, 'test').click();
    await heading(page, 'test').waitFor();
    expect(page.url()).toMatch(new RegExp(`/#project=${project.id}$`));
    await page.reload();
    await heading(page, 'test').waitFor();
  });

  it('the page asks for a missing key, and reports a wrong one', async () => {
    const { emulator } = await startService();
    const { page, key } = await openKeyForm(emulator.consoleUrl);
    await page.keyboard.type('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('The emulator does not accept this key.').waitFor();
    await key.fill(emulator.apiKey);
    await page.getByRole('button', { name: 'Open the console' }).click();
    await heading(page, 'test').waitFor();
  });

  it('the page takes the key from an address opened later', async () => {
    const { emulator } = await startService();
    const { page } = await openKeyForm(emulator.consoleUrl);
    await page.goto(emulator.consoleUrl);
    await heading(page, 'test').waitFor();
  });
});
