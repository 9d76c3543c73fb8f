import type { KnownFault } from '../patched-source';

export const requestFaults: readonly KnownFault[] = [
  {
    name: 'a 5xx counts as not done',
    file: 'control-api/failure-meaning.ts',
    find: "(status < 300 || status >= 500 ? 'unknown' : 'refused')",
    replace: "(status < 300 ? 'unknown' : status >= 500 ? 'not done' : 'refused')",
  },
  {
    name: 'a lost response counts as not done',
    file: 'control-api/failure-meaning.ts',
    find: "(code !== undefined && meaningOfNetworkError[code]) || 'unknown'",
    replace: "(code !== undefined && meaningOfNetworkError[code]) || 'not done'",
  },
  {
    name: 'a response that breaks off counts as refused',
    file: 'control-api/failure-meaning.ts',
    find: "(status < 300 || status >= 500 ? 'unknown' : 'refused')",
    replace: "(status >= 500 ? 'unknown' : 'refused')",
  },
  {
    name: 'a 503 counts as refused',
    file: 'control-api/failure-meaning.ts',
    find: "503: 'not done',",
    replace: "503: 'refused',",
  },
  {
    name: 'requests are not limited',
    file: 'control-api/rate-limiter.ts',
    find: 'if (used < this.#limit) return now;',
    replace: 'return now;',
  },
  {
    name: 'a request counts only while it is under way',
    file: 'control-api/rate-limiter.ts',
    find: 'this.#ended.push(performance.now());',
    replace: '',
  },
  {
    name: 'a deadline follows the clock that the user sets',
    file: 'control-api/deadline.ts',
    find: '0 : performance.now() - this.#startedAt;',
    replace: "0 : Date.now() - Date.parse('2026-01-01T00:00:00Z') - this.#startedAt;",
  },
  {
    name: 'Retry-After is ignored',
    file: 'control-api/http-client.ts',
    find: 'if (error.response?.status === 429) limiter.backOff(retryAfter(error));',
    replace: '',
  },
  {
    name: 'a list gives up before a 429 lets it through',
    file: 'control-api/retry.ts',
    find: 'faultsMs: 90_000,',
    replace: 'faultsMs: 60_000,',
  },
  {
    name: 'an interrupted run continues to send requests',
    file: 'control-api/http-client.ts',
    find: '    limiter.close();\n',
    replace: '',
  },
  {
    name: 'a list serves callers that arrive after it was sent',
    file: 'control-api/resource-list.ts',
    find: 'if (sentAt === undefined) this.#upcoming = undefined;\n      sentAt ??= performance.now();',
    replace: 'sentAt ??= performance.now();',
  },
];
