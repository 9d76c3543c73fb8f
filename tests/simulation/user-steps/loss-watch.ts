import type { Branch, Endpoint } from 'postgres-control-emulator';
import type { AgreementGround } from '../engine/agreement/agreement-ground';
import type { Intrusion } from '../engine/agreement/agreement-scenario';
import type { EngineResult } from '../engine/engine-failures';
import type { SimulatedRun } from '../engine/simulated-run';
import { type DeclaredResource, isBranchUrn, type Stack } from '../engine/stack';
import type { SentRequest } from '../network/network';
import type { RuleBook } from '../rules/rule-book';
import type { Rule } from '../rules/rules';
import { unlessRefused } from '../service/served-plane';
import { declares, isAdopterOf, isNew, mayDelete, speaksOfLoss } from './loss-rules';
import type { Held, RunRecord } from './run-record';
import type { UserSchedule, UserStep } from './user-schedule';

/** What the judgement needs of the world. */
interface WatchedWorld {
  readonly stack: Stack;
  readonly ground: Pick<AgreementGround, 'intrude' | 'urnOf'>;
  readonly schedule: UserSchedule;
  readonly created: ReadonlySet<string>;
  held(): Held;
  readonly book: RuleBook;
}

/** Judges each delete when it is sent: what disappears with it, and whether the user has read that before. */
export class LossWatch {
  readonly #world: WatchedWorld;
  readonly #records = new Map<SimulatedRun, RunRecord>();
  #preview: RunRecord | undefined;
  /** The endpoints that a message has reported as duplicates, with the command that deletes them. */
  readonly reportedDuplicates = new Set<string>();
  /** The deletes that were judged: a request that the service refuses for now is repeated. */
  readonly #judged = new Set<string>();
  /** The branches that others have protected since the preview. */
  readonly protectedByOthers = new Set<string>();

  constructor(world: WatchedWorld) {
    this.#world = world;
  }

  /** A new step of the user: what earlier previews have shown no longer counts. */
  beginStep(): void {
    this.#preview = undefined;
    this.protectedByOthers.clear();
  }

  begin(run: SimulatedRun, step: UserStep, program: readonly DeclaredResource[]): void {
    const { resources } = this.#world.stack.state;
    this.#records.set(run, {
      step,
      program,
      state: resources,
      held: this.#world.held(),
      steps: new Set(this.#preview?.steps),
      known: new Set(),
      diffed: new Set(),
      foretold: this.#preview?.texts ?? [],
      texts: [...(this.#preview?.texts ?? [])],
    });
  }

  record(run: SimulatedRun): RunRecord {
    const record = this.#records.get(run);
    if (!record) throw new Error(`${run.name} has not begun`);
    return record;
  }

  /** A call of the engine has ended. A check passes what the program declares. */
  called(run: SimulatedRun, call: string): void {
    const [, what, urn] = /^(check|diff) of (.*)$/.exec(call) ?? [];
    const { known, diffed } = this.record(run);
    if (urn === undefined) return;
    if (what === 'check') known.add(urn);
    // A refresh compares before any check.
    else if (known.has(urn)) diffed.add(urn);
  }

  diagnosed(run: SimulatedRun, urn: string, text: string): void {
    const record = this.record(run);
    record.texts.push({ urn, text });
    this.#checkAdvice(run, record, urn, text);
    for (const [, id = ''] of text.matchAll(/endpoints delete (\S+)/g)) this.reportedDuplicates.add(id);
  }

  step(run: SimulatedRun, what: string, urn: string): void {
    this.record(run).steps.add(`${what} ${urn}`);
  }

  end(run: SimulatedRun, { steps, isSuccess }: EngineResult): void {
    const record = this.record(run);
    for (const step of steps) record.steps.add(step);
    if (run.isReading) {
      this.#preview = record;
      return;
    }
    this.#checkGuards(run, record);
    this.#checkYielded(run, record);
    if (isSuccess) this.#checkAdoptions(run, record);
  }

  /** Others act, where the rules of the service allow it. */
  intruded(intrusion: Intrusion): void {
    const isDone = unlessRefused(() => {
      this.#world.ground.intrude(intrusion);
      return true;
    });
    if (!isDone) return;
    const stored = this.#world.stack.find(this.#world.ground.urnOf(intrusion.resource));
    if (intrusion.protects && stored && stored.outputs.values.protected !== true)
      this.protectedByOthers.add(stored.id);
  }

  /** A run sends a request. What its provider learns before it arrives comes too late. */
  sent(run: SimulatedRun, { method, path }: SentRequest): void {
    const key = `${run.name} ${path}`;
    if (method !== 'DELETE' || this.#judged.has(key)) return;
    this.#judged.add(key);
    const [, branchId] = /\/branches\/([^/?]+)$/.exec(path) ?? [];
    const [, endpointId] = /\/endpoints\/([^/?]+)$/.exec(path) ?? [];
    const { branches, endpoints } = this.#world.held();
    const branch = branches.find(({ id }) => id === branchId);
    const endpoint = endpoints.find(({ id }) => id === endpointId);
    const record = this.record(run);
    if (branch && !branches.some(({ parent_id }) => parent_id === branch.id)) {
      this.#judge(run, record, branch);
      for (const each of endpoints.filter(({ branch_id }) => branch_id === branch.id))
        this.#judgeUnder(run, record, each);
    }
    if (endpoint) this.#judge(run, record, endpoint);
  }

  /** A branch or an endpoint that a run deletes by its id. */
  #judge(run: SimulatedRun, record: RunRecord, lost: Branch | Endpoint): void {
    const stored = record.state.find(({ id }) => id === lost.id);
    const isOwnLeftover =
      !stored && this.#world.created.has(lost.id) && Date.parse(lost.created_at) >= run.startedAt;
    if (isOwnLeftover) return;
    this.#check(
      'nothing is deleted unnamed',
      run,
      mayDelete(record, stored, lost) || this.#isNamed(record, lost),
      `${lost.id} of ${stored?.urn}`,
    );
  }

  /** An endpoint that disappears because its branch is deleted. */
  #judgeUnder(run: SimulatedRun, record: RunRecord, endpoint: Endpoint): void {
    const { id, current_state } = endpoint;
    // A destroy passes no declaration, nor does an update whose targets are all removed.
    if (record.known.size === 0) return;
    const { resources } = this.#world.stack.state;
    const stored = [...record.state, ...resources].find((each) => each.id === id);
    // The run deletes it, too: it only comes later.
    if (stored && record.steps.has(`delete ${stored.urn}`)) return;
    // Of what `--target` leaves out, and of what comes later in the program, the engine tells the provider nothing; before diff no id.
    const declared = record.program.find(({ urn }) => urn === stored?.urn && record.diffed.has(urn));
    const allowsRestart = declared?.inputs.values.allowRestart ?? this.#world.schedule.allowsRestart;
    this.#check(
      'no branch is deleted from under an endpoint',
      run,
      !declared && (current_state !== 'active' || allowsRestart !== false),
      `under ${id}, which is ${current_state}, of ${declared?.urn}`,
    );
    const isNamed = this.#isNamed(record, endpoint);
    this.#check('nothing is deleted unnamed', run, isNamed, `${id} on ${endpoint.branch_id}`);
  }

  #isNamed({ texts }: RunRecord, { id }: { readonly id: string }): boolean {
    return texts.some(({ text }) => text.includes(id) && speaksOfLoss(text));
  }

  /** What the program drops, and another resource of it is to adopt, is not deleted. */
  #checkYielded(run: SimulatedRun, record: RunRecord): void {
    const { branches, endpoints } = this.#world.held();
    const left = new Set([...branches, ...endpoints].map(({ id }) => id));
    for (const held of [...record.held.branches, ...record.held.endpoints]) {
      const stored = record.state.find(({ id }) => id === held.id);
      const adopter = record.program.find(
        (each) => record.known.has(each.urn) && isAdopterOf(each, record, held),
      );
      if (!stored || !adopter || declares(record, stored.urn)) continue;
      const what = `${held.id} is gone, which ${adopter.urn} was to adopt`;
      this.#check('a delete yields to its adopter', run, left.has(held.id), what);
    }
  }

  /** What a new resource with `adopt: true` has in the end, against what the user has read under it. */
  #checkAdoptions(run: SimulatedRun, record: RunRecord): void {
    for (const resource of record.program) {
      const { urn, inputs } = resource;
      const stored = this.#world.stack.find(urn);
      if (inputs.values.adopt !== true || !isNew(resource, record) || !stored) continue;
      const said = record.texts.filter((each) => each.urn === urn && each.text.includes('adopt'));
      const [, foretold] = /takes over (?:branch|endpoint) (\S+)/.exec(said.at(-1)?.text ?? '') ?? [];
      const branch = this.#world.held().branches.find(({ id }) => id === stored.id);
      const isCreated = branch !== undefined && Date.parse(branch.created_at) >= run.startedAt;
      this.#check(
        'a preview says what adopt does',
        run,
        !(isCreated && said.length === 0) && (foretold === undefined || foretold === stored.id),
        `${urn} has ${stored.id}, foretold was ${foretold}`,
      );
    }
  }

  /** No text may advise to adopt what another resource has, of which the engine has told the provider that the program keeps it. */
  #checkAdvice(run: SimulatedRun, { state, diffed, program }: RunRecord, urn: string, text: string): void {
    if (!/adopt: true/.test(text)) return;
    const owner = state.find(
      (each) =>
        each.urn !== urn &&
        isBranchUrn(each.urn) === isBranchUrn(urn) &&
        diffed.has(each.urn) &&
        text.includes(each.id),
    );
    const isKept = owner !== undefined && program.some((each) => each.urn === owner.urn);
    this.#check('advice can be followed', run, !isKept, `${urn} is to adopt what ${owner?.urn} has: ${text}`);
  }

  /** A refresh shows the protection, and a destroy declares nothing. */
  #checkGuards(run: SimulatedRun, { step }: RunRecord): void {
    if (step.command !== 'up') return;
    const { branches } = this.#world.held();
    for (const id of this.protectedByOthers)
      this.#check(
        'a guard that others set is respected',
        run,
        branches.some((branch) => branch.id === id),
        `${id}, which others have protected, is gone`,
      );
  }

  #check(rule: Rule, run: SimulatedRun, isKept: boolean, what: string): void {
    this.#world.book.check(rule, isKept, () => `${run.name}: ${what}`);
  }
}
