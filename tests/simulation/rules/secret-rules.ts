import type { ReadProperties } from '../../../provider/src/plugin/properties';
import type { Stack } from '../engine/stack';
import type { Ground } from '../user/ground';
import type { RuleBook } from './rule-book';

/** No text may have a secret, and only its attribute may have it in a request. */
export class SecretRules {
  readonly #ground: Ground;
  readonly #book: RuleBook;
  readonly #apiKey: string;
  readonly #searched = new WeakSet<ReadProperties>();
  readonly #givenAway = new Set<string>();

  constructor(ground: Ground, book: RuleBook, apiKey: string) {
    this.#ground = ground;
    this.#book = book;
    this.#apiKey = apiKey;
  }

  /** A refresh reads a value of which the state does not know that it is secret. */
  giveAway(canary: string): void {
    if (this.#givenAway.has(canary)) return;
    this.#givenAway.add(canary);
    this.#book.excuse('given away');
  }

  search(where: string, text: string): void {
    const secret = this.#find(text);
    this.#book.check(
      'secrets stay secret',
      secret === undefined,
      () => `${where} contains ${secret}: ${text}`,
    );
  }

  /** The state was written. */
  written(name: string, { state }: Stack): void {
    for (const { urn, inputs, outputs } of state.resources) {
      this.#searchProperties(`${name} stored in the inputs of ${urn}`, inputs);
      this.#searchProperties(`${name} stored in the outputs of ${urn}`, outputs);
    }
  }

  /** The body of a request. */
  sent(name: string, body: string): void {
    if (this.#find(body) === undefined) return;
    const { branch, ...parsed } = JSON.parse(body);
    const { endpoint: { name: given = '', settings = undefined, ...rest } = branch ?? {}, ...others } =
      parsed;
    const isMisplaced =
      this.#find(JSON.stringify([rest, others])) !== undefined ||
      (settings !== undefined && this.#find(JSON.stringify(settings))?.includes('setting') === false) ||
      this.#find(String(given))?.includes(branch ? 'branch' : 'name') === false;
    this.#book.check(
      'secrets stay secret',
      !isMisplaced,
      () => `${name} sent a secret in another place: ${body}`,
    );
  }

  #searchProperties(where: string, properties: ReadProperties): void {
    if (this.#searched.has(properties)) return;
    this.#searched.add(properties);
    for (const [name, value] of Object.entries(properties.values))
      if (!properties.secretNames.includes(name)) this.search(`${where}: ${name}`, JSON.stringify(value));
  }

  #find(text: string): string | undefined {
    if (text.includes(this.#apiKey)) return this.#apiKey;
    if (!text.includes('canary')) return undefined;
    return this.#ground.texts.canaries.find(
      (canary) => !this.#givenAway.has(canary) && text.includes(canary),
    );
  }
}
