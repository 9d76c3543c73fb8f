import { unknownValue } from '../../provider/src/lifecycle/input-values';
import { larger, none, pooled } from '../support/fault-rows';
import type { Round, Row } from '../support/row';
import { checkRows } from '../support/run-row';

// What a preview of a change says and refuses.

const gate = { allowRestart: false };
const unavailable = { match: {}, times: 'always', effect: { kind: 'status', status: 503 } } as const;
const preview = (program: Round['program']) => ({ command: 'preview', program: program ?? {} }) as const;

const previews: readonly Row[] = [
  {
    title: 'a preview of a resize warns of the restart of an active compute',
    rounds: [
      {},
      {
        ...preview(larger),
        shows: ['restarts the compute, drops connections (active now): max 1 => 2 CU'],
        hides: /allowRestart/,
      },
    ],
    expect: { drops: 0, requests: { 'PATCH endpoint': 0 } },
  },
  ...(
    [
      ['the program', gate, {}],
      ['the stack', {}, { allowRestart: 'false' }],
    ] as const
  ).map(
    ([whose, given, config]): Row => ({
      title: `a preview stops at a restart that ${whose} does not allow`,
      rounds: [
        { program: given, config },
        {
          ...preview({ ...given, ...larger }),
          config,
          message:
            /^allowRestart is false, and this restarts the compute, .*Nothing was changed on endpoint ep-\S+ \(api\)/,
        },
      ],
      expect: { drops: 0, requests: { 'PATCH endpoint': 0 } },
    }),
  ),
  {
    title: 'allowRestart: true of the program is stronger than that of the stack',
    rounds: [{}, { program: { ...larger, allowRestart: true }, config: { allowRestart: 'false' } }],
    expect: { drops: 1 },
  },
  {
    title: 'a preview of an unknown branch says what may drop, and that up stops',
    rounds: [
      {},
      {
        ...preview({ branchId: unknownValue, ...gate }),
        shows: [
          'moves the endpoint, drops connections (active now), unless the value stays the same',
          'allowRestart is false: `pulumi up` stops if the new branchId drops connections',
        ],
      },
    ],
    expect: { drops: 0 },
  },
  {
    title: 'a preview of an unknown branch is silent about an allowed restart',
    rounds: [
      {},
      { ...preview({ branchId: unknownValue }), shows: ['moves the endpoint'], hides: /allowRestart/ },
    ],
    expect: { drops: 0 },
  },
  {
    title: 'a preview without a read says so, and fails if restarts are forbidden',
    rounds: [
      {},
      { ...preview(larger), faults: [unavailable], shows: ['the state of the service is unknown'] },
      { ...preview({ ...larger, ...gate }), faults: [unavailable], message: /503/ },
    ],
    expect: { drops: 0 },
  },
  ...[{}, { suspendTimeoutSeconds: 600 }, pooled].map(
    (program): Row => ({
      title: `no request previews ${JSON.stringify(program)}`,
      rounds: [{}, preview(program)],
      expect: { drops: 0, requests: none },
    }),
  ),
];

const small = { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 2 };
const large = { autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 4 };
const sizes = ['autoscalingLimitMinCu', 'autoscalingLimitMaxCu'] as const;
const hides = /\d CU/;

const secrets: readonly Row[] = [
  ...(
    [
      ['in state', sizes, []],
      ['in the program', [], sizes],
    ] as const
  ).map(
    ([where, before, now]): Row => ({
      title: `a size that is a secret ${where} is in no message about its change`,
      rounds: [
        { program: small, secrets: before },
        { ...preview(large), secrets: now, shows: ['restarts the compute'], hides },
        { ...preview({ ...large, ...gate }), secrets: now, message: /allowRestart is false/, hides },
      ],
      expect: { drops: 0 },
    }),
  ),
  {
    title: 'a size that is a secret is in no message about a take-over',
    rounds: [
      {
        ...preview({ ...large, adopt: true }),
        secrets: sizes,
        others: [{ does: 'create', endpoint: { type: 'read_write' } }],
        shows: ['adopt takes over endpoint'],
        hides,
      },
    ],
    expect: { drops: 0, state: 'nothing' },
  },
  {
    title: 'a size that is a secret is in no failure of a check',
    rounds: [
      {
        ...preview({ ...large, autoscalingLimitMaxCu: 1 }),
        secrets: sizes,
        message: 'autoscalingLimitMinCu',
        hides,
      },
    ],
    expect: { drops: 0, state: 'nothing' },
  },
];

checkRows([...previews, ...secrets]);
