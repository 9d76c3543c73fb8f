import { expect } from 'vitest';
import { create, larger, longMs, triggered } from '../support/fault-rows';
import type { Deed, Row } from '../support/row';
import { checkRows } from '../support/run-row';

// What happens when nothing goes wrong: creates, changes, drift, replacements.

const setting = { pgSettings: { work_mem: '8MB' } };
const longer = { suspendTimeoutSeconds: 600 };
const gate = { allowRestart: false };

const changes: readonly Row[] = [
  {
    title: 'a create lists before and after its request, and renames last',
    rounds: [{ program: { ...longer, ...setting, name: 'api' } }],
    expect: {
      drops: 0,
      state: {
        ...{ name: 'api', current_state: 'active', suspend_timeout_seconds: 600 },
        ...{
          autoscaling_limit_min_cu: 0.25,
          autoscaling_limit_max_cu: 1,
          settings: { pg_settings: setting.pgSettings },
        },
      },
      requests: { 'GET endpoints': 3, 'POST endpoints': 1, 'GET endpoint': 0, 'PATCH endpoint': 1 },
    },
  },
  {
    title: 'settings change without a restart, and are reset',
    rounds: [{}, { program: { ...longer, ...setting, ...gate, name: 'renamed' } }, { program: { ...gate } }],
    expect: {
      drops: 0,
      state: { name: 'renamed', suspend_timeout_seconds: 0, settings: { pg_settings: {} } },
    },
  },
  {
    title: 'libraries restart the compute beside the settings, and are reset',
    rounds: [
      { program: setting },
      { program: { ...setting, preloadLibraries: { enabledLibraries: ['pgaudit'] } } },
      { program: setting },
    ],
    expect: {
      drops: 2,
      state: {
        settings: {
          pg_settings: setting.pgSettings,
          preload_libraries: { use_defaults: true, enabled_libraries: [] },
        },
      },
      requests: { 'PATCH endpoint': 1 },
    },
  },
  {
    title: 'a trigger restarts the compute once, and sends no attribute',
    rounds: [{}, { program: triggered }],
    expect: { drops: 1, requests: { 'PATCH endpoint': 0, 'POST suspend': 1, 'POST start': 1 } },
  },
  {
    title: 'a move leaves the compute idle on the other branch',
    rounds: [{}, { program: { branchId: 'other' } }],
    expect: { drops: 1, state: { current_state: 'idle', branch_id: expect.stringMatching(/^br-/) } },
  },
  {
    title: 'an update after a foreign delete says how to create it again',
    rounds: [
      {},
      {
        program: { name: 'renamed' },
        others: [{ does: 'delete' }],
        message: /no longer exists\. To create it again, run `pulumi up --refresh`/,
      },
      { command: 'refresh' },
      {},
    ],
    expect: { drops: 0, state: { name: 'renamed' } },
  },
  {
    title: 'a create that is refused leaves nothing, and says why',
    rounds: [
      {
        faults: [
          { match: create, effect: { kind: 'status', status: 422, message: 'the branch is being restored' } },
        ],
        message: /^POST \S+\/endpoints: 422 .*the branch is being restored/,
      },
    ],
    expect: { drops: 0, state: 'nothing' },
  },
  {
    title: 'the preview of a change of size says that the endpoint is gone',
    rounds: [
      {},
      {
        command: 'preview',
        program: larger,
        others: [{ does: 'delete' }],
        shows: [/endpoint ep-\S+ no longer exists: `pulumi up` fails unless/],
      },
      { command: 'refresh' },
    ],
    expect: { drops: 1, state: 'nothing' },
  },
  ...(
    [
      [
        'a proxy',
        { kind: 'proxy-page', status: 404 },
        /404 Not Found: answered with text\/html, not the API/,
      ],
      [
        'another account',
        { kind: 'status', status: 404 },
        /Either the key or the base URL belongs to another account, or .* Nothing was removed from the state/,
      ],
    ] as const
  ).map(([whose, effect, message]): Row => {
    const faults = [{ match: {}, times: 'always', effect }] as const;
    return {
      title: `an endpoint stays in state and at the service when ${whose} answers 404`,
      rounds: [{}, { command: 'refresh', faults, message }, { command: 'destroy', faults, message }],
      expect: { drops: 0 },
    };
  }),
];

const drifting = {
  ...{ name: 'api', ...longer, ...setting, poolerEnabled: false, disabled: false, passwordlessAccess: true },
};
const drifts = (
  [
    [{ autoscaling_limit_max_cu: 4 }, 1],
    [{ autoscaling_limit_min_cu: 0.5 }, 1],
    [{ suspend_timeout_seconds: 60 }, 0],
    [{ settings: { pg_settings: { work_mem: '1MB' } } }, 0],
    [{ pooler_enabled: true }, 0],
    [{ disabled: true }, 0],
    [{ passwordless_access: false }, 0],
    [{ name: 'other' }, 0],
  ] as const
).map(([to, drops]): Row => {
  const drift: Deed = { does: 'change', to: structuredClone(to) as Extract<Deed, { does: 'change' }>['to'] };
  return {
    title: `the next up restores what drifted: ${JSON.stringify(to)}`,
    rounds: [{ program: drifting }, { command: 'refresh', others: [drift], hides: /./ }, {}],
    expect: {
      drops,
      state: {
        ...{ autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 1, suspend_timeout_seconds: 600 },
        ...{ name: 'api', pooler_enabled: false, disabled: false, passwordless_access: true },
        settings: { pg_settings: setting.pgSettings },
      },
      requests: { 'PATCH endpoint': 1 },
    },
  };
});

const replacements: readonly Row[] = [
  ...(['read_write', 'read_only'] as const).flatMap((type) =>
    [{}, { name: 'api' }].map(
      (named): Row => ({
        title: `a forced replacement of a ${type} endpoint: ${JSON.stringify(named)}`,
        rounds: [{ program: { type, ...named } }, { command: 'replace' }],
        expect: {
          drops: 0,
          state: { current_state: 'active', ...named },
          requests: { 'POST endpoints': 1, 'DELETE endpoint': 1 },
        },
      }),
    ),
  ),
  {
    title: 'a change of type replaces the endpoint and keeps the declared name',
    rounds: [
      { program: { name: 'api' } },
      { program: { name: 'api', type: 'read_only' } },
      { program: { name: 'api' } },
    ],
    expect: { drops: 0, state: { name: 'api', type: 'read_write' }, requests: { 'DELETE endpoint': 1 } },
  },
  {
    title: 'a replacement whose delete failed says how to revert it',
    rounds: [
      {},
      {
        program: { type: 'read_only' },
        faults: [{ match: { action: 'suspend_compute' }, effect: { kind: 'operation-hangs' } }],
        timeoutSeconds: 3,
        message: /run `pulumi up --refresh`/,
      },
      { idleMs: longMs, command: 'refresh' },
    ],
    expect: { drops: 1, state: 'nothing' },
  },
];

checkRows([...changes, ...drifts, ...replacements]);
