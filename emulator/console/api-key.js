const STORED = 'emulator-api-key';

/**
 * The key out of `#key=...`. It goes out of the address bar and stays with this tab, so that a reload still has it; no
 * other tab, no other origin and no later session gets it.
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
