import { describe, expect, it } from 'vitest';
import { actionsOf, startService } from '../support/service-client';

type Service = Awaited<ReturnType<typeof startService>>;

/** Keeps the operations of an action running, so that the endpoint stays between two states. */
const hang = ({ emulator }: Service, action: string) =>
  emulator.inject({ match: { action }, effect: { kind: 'operation-hangs' }, times: 'always' });

/** Creates an endpoint in each state and returns its id. */
const STATES = {
  active: (service: Service) => service.createActive(),
  idle: async (service: Service) => {
    const id = await service.createActive();
    await service.call('POST', `${service.endpoints}/${id}/suspend`);
    await service.settled();
    return id;
  },
  init: async (service: Service) => {
    hang(service, 'start_compute');
    return (await service.create()).body?.endpoint.id ?? '';
  },
  starting: async (service: Service) => {
    const id = await STATES.idle(service);
    hang(service, 'start_compute');
    await service.call('POST', `${service.endpoints}/${id}/start`);
    return id;
  },
  suspending: async (service: Service) => {
    const id = await service.createActive();
    hang(service, 'suspend_compute');
    await service.call('POST', `${service.endpoints}/${id}/suspend`);
    return id;
  },
  disabled: (service: Service) => service.createActive({ disabled: true }),
  deleting: async (service: Service) => {
    const id = await service.createActive();
    hang(service, 'suspend_compute');
    await service.call('DELETE', `${service.endpoints}/${id}`);
    return id;
  },
};

const COMMANDS = {
  suspend: ['POST', '/suspend', undefined],
  start: ['POST', '/start', undefined],
  restart: ['POST', '/restart', undefined],
  rename: ['PATCH', '', { endpoint: { name: 'renamed' } }],
  resize: ['PATCH', '', { endpoint: { autoscaling_limit_max_cu: 2 } }],
  delete: ['DELETE', '', undefined],
} as const;

const RESIZE = 'apply_config suspend_compute start_compute';
const RESTART = 'suspend_compute start_compute';

const NO_OPERATIONS = '200';
const DELETING = '409 ENDPOINT_DELETING';

/** The responses of a compute that is up, or starting. */
const UP = {
  suspend: '200 suspend_compute',
  start: NO_OPERATIONS,
  restart: `200 ${RESTART}`,
  rename: NO_OPERATIONS,
  resize: `200 ${RESIZE}`,
  delete: '200 suspend_compute',
};

const IDLE = {
  suspend: NO_OPERATIONS,
  start: '200 start_compute',
  restart: '409 ENDPOINT_NOT_ACTIVE',
  rename: NO_OPERATIONS,
  resize: '200 apply_config',
  delete: NO_OPERATIONS,
};

/** Without locks: 200 with the operations that the call starts, or an error status with its code. */
const RESPONSES = {
  active: UP,
  init: UP,
  starting: UP,
  idle: IDLE,
  suspending: { ...IDLE, delete: '200 suspend_compute' },
  disabled: {
    suspend: NO_OPERATIONS,
    start: '409 ENDPOINT_DISABLED',
    restart: '409 ENDPOINT_DISABLED',
    rename: NO_OPERATIONS,
    resize: '200 apply_config',
    delete: NO_OPERATIONS,
  },
  deleting: {
    suspend: DELETING,
    start: DELETING,
    restart: DELETING,
    rename: DELETING,
    resize: DELETING,
    // The operation under way, not a new one.
    delete: '200 suspend_compute',
  },
} satisfies Record<keyof typeof STATES, Record<keyof typeof COMMANDS, string>>;

// Object.keys() returns string[], not the key types of the tables.
const states = Object.keys(STATES) as (keyof typeof STATES)[];
const commands = Object.keys(COMMANDS) as (keyof typeof COMMANDS)[];

describe.each(states)('an endpoint that is %s', (state) => {
  it.each(commands)('responds to %s as in the table of power states', async (command) => {
    const service = await startService({ locks: 'none' });
    const [method, path, body] = COMMANDS[command];
    const id = await STATES[state](service);
    const response = await service.call(method, `${service.endpoints}/${id}${path}`, body);
    const details = response.status === 200 ? actionsOf(response) : [response.body?.code];
    expect([response.status, ...details].join(' ')).toBe(RESPONSES[state][command]);
  });
});
