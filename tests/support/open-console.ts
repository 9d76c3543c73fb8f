import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest';
import { findChromium, launchChromium } from './chromium';
import { startService } from './service-client';

const command = findChromium();
let browser: Browser | undefined;

/** Call it once per file. Without Chromium, it skips the tests of the file and reports the reason. */
export function useChromium(): void {
  beforeAll(async () => {
    if (command !== undefined) browser = await launchChromium(command);
  });
  beforeEach(({ skip }) => {
    skip(command === undefined, 'Chromium was not found: install it, or set CHROMIUM_PATH');
  });
  afterAll(async () => {
    await browser?.close();
  });
}

/** An emulator whose next operation of `action` runs until `finish` is called. */
export async function startHeld(action: string) {
  const service = await startService();
  const fault = service.emulator.inject({ match: { action }, effect: { kind: 'operation-hangs' } });
  return { ...service, finish: () => fault.clear() };
}

export interface OpenPage {
  readonly page: Page;
  /** Everything that the browser reported: errors, warnings and policy violations. */
  readonly complaints: readonly string[];
}

/** Opens an address in its own browser context, without state from other tests. */
export async function openPage(url: string, options: BrowserContextOptions = {}): Promise<OpenPage> {
  if (browser === undefined) throw new Error('openPage: call useChromium() in this file first');
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(url);
  return { page, complaints };
}

/** Opens the console without a key and waits for its key form. */
export async function openKeyForm(
  consoleUrl: string,
  options?: BrowserContextOptions,
): Promise<{ page: Page; key: Locator }> {
  const { page } = await openPage(consoleUrl.replace(/#.*/, ''), options);
  const key = page.getByLabel('Key', { exact: true });
  await key.waitFor();
  return { page, key };
}

type Table = 'Endpoints' | 'Operations';

/** The heading of the content: the name of the project. */
export function heading(page: Page, name: string): Locator {
  return page.getByRole('heading', { level: 2, name, exact: true });
}

export function projectLink(page: Page, name: string): Locator {
  return page.getByRole('navigation', { name: 'Projects' }).getByRole('link', { name });
}

/** The rows of a table, including the header row. */
export function rows(page: Page, table: Table): Locator {
  return page.getByRole('table', { name: table }).getByRole('row');
}

/** The first row that contains every text. */
export function row(page: Page, table: Table, ...texts: string[]): Locator {
  return texts.reduce((found, hasText) => found.filter({ hasText }), rows(page, table)).first();
}

export function focused(page: Page): Locator {
  return page.locator(':focus');
}
