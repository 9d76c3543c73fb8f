import type { SlotPlan, SlotTraits, Variant } from './slot-plan';

/** The texts that the program declares: names, settings and triggers. Secret ones are canaries. */
export class SlotTexts {
  readonly #traits: readonly SlotTraits[];
  /** Names that other clients use in the project, so that the user has chosen another one. */
  readonly #avoided = new Set<string>();
  readonly #canaries = new Set<string>();

  constructor(traits: readonly SlotTraits[]) {
    this.#traits = traits;
  }

  /** The secrets that the program has declared so far. */
  get canaries(): readonly string[] {
    return [...this.#canaries];
  }

  /** The name that the program declares: of the slot's endpoint, or of its branch. */
  name(slot: number, project: number, variant: Variant, of: 'name' | 'branch' = 'name'): string {
    let name = this.#text(of, slot, variant, this.#traits[slot]?.isNameSecret === true);
    while (this.#avoided.has(`${project} ${name}`)) name += '-other';
    return name;
  }

  avoidName(slot: number, project: number, variant: Variant, of: 'name' | 'branch' = 'name'): void {
    this.#avoided.add(`${project} ${this.name(slot, project, variant, of)}`);
  }

  /** The settings that the service should have. */
  settings(slot: number, { workMem, application }: SlotPlan): Record<string, string> {
    const isSecret = this.#traits[slot]?.secretSettings !== 'no';
    return {
      ...(workMem && { work_mem: workMem }),
      ...(application && { application_name: this.#text('setting', slot, application, isSecret) }),
    };
  }

  /** The name of the slot's branch, with a marker if it is a secret. */
  branchName(slot: number, project: number, variant: Variant): unknown {
    const name = this.name(slot, project, variant, 'branch');
    return this.#traits[slot]?.isNameSecret ? { $secret: name } : name;
  }

  /** The arguments, with a marker around each secret. */
  inputs(slot: number, plan: SlotPlan): Record<string, unknown> {
    const { secretSettings = 'no', secretTriggers = 'no', isNameSecret } = this.#traits[slot] ?? {};
    const settings = this.settings(slot, plan);
    const { name, project, trigger } = plan;
    const triggers = trigger && { release: this.#text('trigger', slot, trigger, secretTriggers !== 'no') };
    const given = name && this.name(slot, project, name);
    return {
      ...(Object.keys(settings).length > 0 && { pgSettings: mark(settings, secretSettings) }),
      ...(triggers && { restartTriggers: mark(triggers, secretTriggers) }),
      ...(given && { name: isNameSecret ? { $secret: given } : given }),
    };
  }

  #text(what: string, slot: number, variant: Variant, isSecret: boolean): string {
    const text = `${what}-${slot}-${variant}`;
    if (!isSecret) return text;
    const canary = `canary-${text}`;
    this.#canaries.add(canary);
    return canary;
  }
}

function mark(values: Record<string, string>, secret: 'no' | 'values' | 'map'): unknown {
  if (secret === 'no') return values;
  if (secret === 'map') return { $secret: values };
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { $secret: value }]));
}
