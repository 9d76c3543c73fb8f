import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DoorName, programDoors, usePlugin } from '../support/program-doors';
import type { PulumiStack } from '../support/pulumi-stack';
import { slotArguments, slotName } from './declared-slot';
import type { Ground } from './ground';
import type { Round } from './scenario';
import type { SlotPlan } from './slot-plan';

// JSON is YAML.
const projectFile = JSON.stringify({
  name: 'chaos',
  main: 'index.js',
  runtime: { name: 'nodejs', options: { typescript: false } },
  plugins: usePlugin(),
});

/** JSON can't hold a secret, so `{ $secret: VALUE }` represents one. */
const programOf = (importPath: string) => `const { readFileSync } = require('node:fs');
const { secret } = require('@pulumi/pulumi');
const { ComputeEndpoint } = require('${importPath}');
const toSecrets = (_key, value) => (value && Object.hasOwn(value, '$secret') ? secret(value.$secret) : value);
const declared = JSON.parse(readFileSync(__dirname + '/endpoints.json', 'utf8'), toSecrets);
const created = {};
for (const { name, args, replaceWith, deletedWith, ...options } of declared) {
  created[name] = new ComputeEndpoint(name, args, {
    ...options,
    ...(replaceWith && { replaceWith: [created[replaceWith]] }),
    ...(deletedWith && { deletedWith: created[deletedWith] }),
  });
}
`;

export async function writeProject(folder: string, door: DoorName): Promise<void> {
  await writeFile(join(folder, 'Pulumi.yaml'), projectFile);
  await writeFile(join(folder, 'index.js'), programOf(programDoors[door].importPath));
  await writeFile(join(folder, 'package.json'), '{}');
}

/** The slots of a round that the program declares. */
export function declaredSlots(round: Round): { slot: number; plan: SlotPlan }[] {
  return round.slots.flatMap((plan, slot) => (plan.isDeclared ? [{ plan, slot }] : []));
}

/** Writes the declarations of this round, which the program reads. */
export async function declare(
  { folder }: PulumiStack,
  ground: Ground,
  round: Round,
  timeoutSeconds: number,
): Promise<void> {
  const timeouts = { create: timeoutSeconds, update: timeoutSeconds, delete: timeoutSeconds };
  const declared = declaredSlots(round).map(({ slot, plan }) => {
    const leader = round.forced.find(({ follower }) => follower?.slot === slot);
    return {
      name: slotName(slot),
      args: { ...slotArguments(ground, slot, plan), timeouts },
      ...(plan.createsBeforeDelete && { deleteBeforeReplace: false }),
      ...(leader?.follower && { [leader.follower.how]: slotName(leader.slot) }),
    };
  });
  await writeFile(join(folder, 'endpoints.json'), JSON.stringify(declared));
}
