import { join } from 'node:path';
import { dynamicEndpoint } from '../../provider/src/dynamic/provider-text';
import { repository } from './documents';

/** How the engine reaches the provider: as a dynamic provider, or as a provider plugin. */
export const doorNames = ['dynamic', 'plugin'] as const;
export type DoorName = (typeof doorNames)[number];

/** What a program and the state show of a door. */
interface ProgramDoor {
  /** What a program imports. */
  readonly importPath: string;
  /** The type of a ComputeEndpoint in state, and in its URN. */
  readonly typeToken: string;
}

export const programDoors: Readonly<Record<DoorName, ProgramDoor>> = {
  dynamic: { importPath: 'pulumi-postgres-compute', typeToken: dynamicEndpoint.token },
  plugin: {
    importPath: 'pulumi-postgres-compute/plugin',
    typeToken: 'postgres-compute:index:ComputeEndpoint',
  },
};

/** The folder of the provider plugin that `npm run build` bundles. */
export const pluginFolder = join(repository, 'provider', 'plugin');

/** The `plugins` of a Pulumi.yaml with which the CLI finds the plugin in that folder. The dynamic provider ignores it. */
export function usePlugin(path = pluginFolder) {
  return { providers: [{ name: 'postgres-compute', path }] };
}
