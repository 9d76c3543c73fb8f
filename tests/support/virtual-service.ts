import { AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import type { EmulatorOptions } from 'postgres-control-emulator';
import { onTestFinished } from 'vitest';
import type { ControlPlane } from '../../emulator/src/control-plane/control-plane';
import { Controls } from '../../emulator/src/controls/controls';
import { API_PREFIX } from '../../emulator/src/http/api-path';
import { type LoggedRequest, RequestLog } from '../../emulator/src/http/log-requests';
import { addProjectRoutes } from '../../emulator/src/http/routes/project-routes';
import { addRoleAndDatabaseRoutes } from '../../emulator/src/http/routes/role-and-database-routes';
import type { Carrier, Sender, SentRequest } from '../simulation/network/network';
import type { Served } from '../simulation/service/in-process-reply';
import { SimulatedService } from '../simulation/service/simulated-service';
import { Randomness } from '../simulation/time/seeded-randomness';
import { enterVirtualWorld, type VirtualWorld } from './virtual-world';

/** How long a request takes to arrive, and its response. Milliseconds. */
const delayMs = 1;

/** A process of the provider. */
export class ProviderProcess implements Sender {
  readonly name = 'provider';
  readonly service: VirtualService;
  readonly baseUrl: string;
  isAlive = true;
  readonly died: Promise<void>;
  #noteDied = () => {};
  readonly #interruption = new AbortController();

  constructor(service: VirtualService, { network }: VirtualWorld) {
    this.service = service;
    this.baseUrl = network.connect(this);
    this.died = new Promise((resolve) => {
      this.#noteDied = resolve;
    });
  }

  /** Aborted by Ctrl-C. */
  get signal(): AbortSignal {
    return this.#interruption.signal;
  }

  interrupt(): void {
    this.#interruption.abort();
  }

  /** What it has sent arrives, and nothing else of it has an effect. */
  kill(): void {
    this.isAlive = false;
    this.#noteDied();
  }

  step(): void {}
}

/** Brings each request to the service of its process. */
const carrier: Carrier = {
  randomness: new Randomness(1),
  carry: () => ({ outwardMs: delayMs, returnMs: delayMs, isDuplicated: false }),
  sent() {},
  arriving() {},
  // Only processes of the provider send requests.
  arrive: (sender, request, config) => (sender as ProviderProcess).service.serve(request, config),
  delivered() {},
};

/** The emulator in this process. */
export class VirtualService {
  readonly emulator: Controls;
  readonly apiKey: string;
  readonly plane: ControlPlane;
  /** Called when the service has done the work of a request, before its response is on its way. */
  onWork: (request: SentRequest) => void = () => {};
  readonly #service: SimulatedService;
  readonly #log = new RequestLog();
  readonly #world = enterVirtualWorld(carrier);

  constructor({ apiKey = 'key-of-the-account', ...options }: EmulatorOptions = {}) {
    this.apiKey = apiKey;
    this.#service = new SimulatedService({ ...options, apiKey });
    onTestFinished(() => this.#service.stop());
    const { plane, server } = this.#service;
    this.plane = plane;
    const api = server.asFastify(API_PREFIX);
    for (const addRoutes of [addProjectRoutes, addRoleAndDatabaseRoutes]) addRoutes(api, plane);
    this.emulator = new Controls(plane, this.#log);
    // Each fault has to fire.
    const inject = this.emulator.inject.bind(this.emulator);
    this.emulator.inject = (fault) => {
      const injected = inject(fault);
      this.#world.faults.add(injected);
      return injected;
    };
  }

  startProcess(): ProviderProcess {
    return new ProviderProcess(this, this.#world);
  }

  /** Sends a request as another client. */
  async request(method: string, path: string, body?: object): Promise<Served> {
    const headers = new AxiosHeaders({ authorization: `Bearer ${this.apiKey}` });
    return this.serve({ method, path, body: body && JSON.stringify(body) }, { headers });
  }

  async serve(
    request: SentRequest,
    { headers }: Pick<InternalAxiosRequestConfig, 'headers'>,
  ): Promise<Served> {
    const { method, body } = request;
    const entry = toEntry(request);
    this.#log.add(entry);
    const served = await this.#service.server.handle({
      method,
      url: `${API_PREFIX}${request.path}`,
      headers: { authorization: String(headers.get('Authorization')) },
      body,
      onWork: (work) => {
        const result = work();
        this.onWork(request);
        return result;
      },
    });
    if (served.kind !== 'lost') entry.status = served.status;
    return served;
  }
}

function toEntry({ method, path, body }: SentRequest): LoggedRequest {
  const [pathname = '', query = ''] = path.split('?');
  const entry: LoggedRequest = { method, path: pathname, query, time: '', requestId: '', status: null };
  return body === undefined ? entry : { ...entry, body: JSON.parse(body) };
}
