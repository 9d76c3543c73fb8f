type Listener = (event: { readonly type: 'abort' }) => void;

/** Puts a lighter class in place of `AbortController`. Returns a function that puts it back. */
export function replaceAbortController(): () => void {
  const { AbortController: real } = globalThis;
  // The provider and axios use nothing else of it.
  globalThis.AbortController = LightAbortController as unknown as typeof AbortController;
  return () => {
    globalThis.AbortController = real;
  };
}

/** Only what requests, deadlines and interruptions use. The real one makes an event target and a weak reference for each signal. */
class LightAbortController {
  readonly signal = new LightAbortSignal();

  abort(): void {
    this.signal.abort();
  }
}

class LightAbortSignal {
  aborted = false;
  reason: Error | undefined;
  readonly #listeners = new Set<Listener>();

  addEventListener(_type: 'abort', listener: Listener): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: Listener): void {
    this.#listeners.delete(listener);
  }

  /** Called by `setMaxListeners` of `node:events`. */
  setMaxListeners(): void {}

  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = new DOMException('This operation was aborted', 'AbortError');
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener({ type: 'abort' });
  }
}
