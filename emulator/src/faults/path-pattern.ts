/** A part of a pattern that matches one character, or any number of characters. */
type Token =
  | { readonly takes: 'one'; readonly character: string }
  | { readonly takes: 'one' | 'many'; readonly in: 'segment' | 'path' };

/**
 * A path pattern in which `:x` matches one or more characters other than "/", and `**` matches any characters or none. The
 * time is proportional to the length of the path times that of the pattern, because all alternatives advance in parallel.
 * A regular expression would backtrack.
 */
export class PathPattern {
  readonly #tokens: readonly Token[];

  constructor(pattern: string) {
    this.#tokens = pattern.split(/(\*\*|:\w+)/).flatMap(tokensOf);
  }

  matches(path: string): boolean {
    const end = this.#tokens.length;
    // 1 where the characters read so far match the tokens before that position.
    let reached = new Uint8Array(end + 1);
    let next = new Uint8Array(end + 1);
    reached[0] = 1;
    for (const character of path) {
      next.fill(0);
      let isAlive = false;
      for (const [position, token] of this.#tokens.entries()) {
        if (reached[position] === 0) continue;
        if (token.takes === 'many') reached[position + 1] = 1;
        if (!accepts(token, character)) continue;
        next[token.takes === 'many' ? position : position + 1] = 1;
        isAlive = true;
      }
      if (!isAlive) return false;
      [reached, next] = [next, reached];
    }
    this.#tokens.forEach((token, position) => {
      if (reached[position] === 1 && token.takes === 'many') reached[position + 1] = 1;
    });
    return reached[end] === 1;
  }
}

function tokensOf(part: string): Token[] {
  if (part === '**') return [{ takes: 'many', in: 'path' }];
  if (/^:\w+$/.test(part)) {
    return [
      { takes: 'one', in: 'segment' },
      { takes: 'many', in: 'segment' },
    ];
  }
  return [...part].map((character) => ({ takes: 'one', character }));
}

function accepts(token: Token, character: string): boolean {
  if ('character' in token) return token.character === character;
  return token.in === 'path' || character !== '/';
}
