import { PluginProvider } from '../../../../provider/src/plugin/plugin-provider';
import { PluginPartialStateError } from '../../../../provider/src/plugin/service-error';

/** The calls of the engine that concern a resource. */
const callNames = [
  'check',
  'diff',
  'previewCreate',
  'create',
  'previewUpdate',
  'update',
  'read',
  'delete',
] as const;

export interface RecordedCall {
  readonly call: (typeof callNames)[number];
  /** The URN, id, inputs, state and time-out, in the order of the method's parameters. */
  readonly args: readonly unknown[];
  readonly outcome: 'done' | 'refused' | 'gone' | 'failed' | 'failed with state';
}

/** Reports every call that any PluginProvider of this process has ended. Returns a function that stops this. */
export function recordCalls(report: (call: RecordedCall) => void): () => void {
  const methods: Pick<PluginProvider, (typeof callNames)[number]> = PluginProvider.prototype;
  const originals = callNames.map((call) => ({ call, method: methods[call] }));
  for (const { call, method } of originals) {
    const recorded = function (this: PluginProvider, ...args: unknown[]): unknown {
      const note = (outcome: RecordedCall['outcome']) => report({ call, args, outcome });
      const result: unknown = Reflect.apply(method, this, args);
      if (!(result instanceof Promise)) {
        note('done');
        return result;
      }
      return result.then(
        (value) => {
          note(outcomeOf(call, value));
          return value;
        },
        (error) => {
          note(error instanceof PluginPartialStateError ? 'failed with state' : 'failed');
          throw error;
        },
      );
    };
    Object.assign(methods, { [call]: recorded });
  }
  return () => {
    for (const { call, method } of originals) Object.assign(methods, { [call]: method });
  };
}

function outcomeOf(call: RecordedCall['call'], value: unknown): RecordedCall['outcome'] {
  if (call === 'check') return (value as { failures: unknown[] }).failures.length > 0 ? 'refused' : 'done';
  return call === 'read' && value === undefined ? 'gone' : 'done';
}
