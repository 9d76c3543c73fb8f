import { beforeEach, vi } from 'vitest';

/** Returns what the provider shows in each test of the file: without an engine, its diagnostics go to stderr. */
export function collectDiagnostics(): string[] {
  const shown: string[] = [];
  beforeEach(() => {
    shown.length = 0;
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => shown.push(String(text)) > 0);
    return () => vi.restoreAllMocks();
  });
  return shown;
}

/** Keeps the provider's diagnostics out of the output of the file's tests. */
export function silenceDiagnostics(): void {
  collectDiagnostics();
}
