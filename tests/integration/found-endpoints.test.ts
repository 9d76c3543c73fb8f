import { unknownValue } from '../../provider/src/lifecycle/input-values';
import { larger, longMs, patch, refused } from '../support/fault-rows';
import type { Deed, Round, Row } from '../support/row';
import { checkRows } from '../support/run-row';

// A create finds an endpoint: of other people, or of an earlier create that left nothing in state.

const size = { autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 1 };
const foreign = (name?: string): Deed => ({
  does: 'create',
  endpoint: { type: 'read_write', ...size, ...(name && { name }) },
});
const gate = { allowRestart: false };
const adopt = { adopt: true };

const adoptions: readonly Row[] = [
  {
    title: 'a foreign endpoint of the name is previewed, and needs adopt',
    rounds: [
      {
        command: 'preview',
        program: { name: 'api' },
        others: [foreign('api')],
        shows: [/ep-\S+ \(read_write, branch br-\S+, created 20\S+\)/],
      },
      {
        program: { name: 'api' },
        message: /already has an endpoint of that name, ep-\S+ .*created 20.*adopt: true takes over ep-/,
      },
      {
        program: { name: 'api', ...adopt },
        shows: [/adopt takes over endpoint ep-\S+ \(created 20\S+\) and changes nothing on it/],
      },
    ],
    expect: { drops: 0, state: { name: 'api' }, requests: { 'POST endpoints': 0, 'PATCH endpoint': 0 } },
  },
  {
    title: "the branch's read_write endpoint is named, adopted and resized",
    rounds: [
      {
        command: 'preview',
        others: [foreign('main')],
        message:
          /^branchId already has a read_write endpoint: ep-\S+ \(created 20\S+\).* adopt: true takes it over/,
      },
      {
        command: 'preview',
        program: { ...adopt, ...larger },
        shows: [
          /^adopt takes over endpoint ep-\S+ \(created \S+\) and changes its autoscalingLimitMaxCu\. With --replace .*, changes its host/m,
          'restarts the compute, drops connections',
        ],
      },
      { program: { ...adopt, ...larger } },
    ],
    expect: { drops: 1, state: { name: 'main', autoscaling_limit_max_cu: 2 } },
  },
];

const killed: Round = { cutOff: { how: 'killed', after: 'POST endpoints' } };

const earlierCreates: readonly Row[] = [
  {
    title: 'the orphan of a create killed before its rename is adopted and renamed',
    rounds: [
      { ...killed, program: { name: 'api' } },
      {
        idleMs: longMs,
        command: 'preview',
        program: { name: 'api', ...larger, ...gate },
        shows: [
          /`pulumi up` takes over endpoint ep-\S+ .* has the name of this resource/,
          'if `pulumi up` takes the endpoint over, it restarts the compute, drops connections (active now): max 1 => 2 CU',
          'if `pulumi up` takes the endpoint over, the create fails, because allowRestart is false',
        ],
      },
      {
        program: { name: 'api', ...larger, ...gate },
        message: /^allowRestart is false, and .* restarts the compute/,
      },
      { program: { name: 'api', ...gate } },
    ],
    expect: { drops: 0, state: { name: 'api', autoscaling_limit_max_cu: 1 } },
  },
  {
    title: 'an endpoint whose rename was refused gets its name by the next run',
    rounds: [{ program: { name: 'api' }, faults: [refused(patch, 'always')], message: /403 Forbidden/ }, {}],
    expect: { drops: 0, state: { name: 'api' }, requests: { 'POST endpoints': 0 } },
  },
];

const unseen: Row = {
  title: 'a preview sends no request while the branch is not known yet',
  rounds: [{ command: 'preview', program: { ...adopt, branchId: unknownValue } }],
  expect: { drops: 0, state: 'nothing', requests: { 'GET endpoints': 0 } },
};

checkRows([...adoptions, ...earlierCreates, unseen]);
