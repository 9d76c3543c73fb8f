const STORED = 'emulator-api-key';

/**
 * Takes the key from `#key=...`, removes it from the address bar and stores it for this tab, so that it survives a reload.
 * No other tab, origin or later session can read it.
 * @returns {string | undefined}
 */
export function takeKey() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const given = fragment.get('key');
  if (given === null) return sessionStorage.getItem(STORED) ?? undefined;
  fragment.delete('key');
  history.replaceState(null, '', `${location.pathname}${fragment.size > 0 ? `#${fragment}` : ''}`);
  keepKey(given);
  return given;
}

/** @param {string} key */
export function keepKey(key) {
  sessionStorage.setItem(STORED, key);
}

export function forgetKey() {
  sessionStorage.removeItem(STORED);
}
