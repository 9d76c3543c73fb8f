import * as pulumi from '@pulumi/pulumi';
import type { ProviderArgs } from './provider-args';

/** An explicit provider: for a second account, or for settings that the program computes. */
export class Provider extends pulumi.ProviderResource {
  /** @param args the settings; those that are left out come from the environment, not from the stack's config */
  constructor(name: string, args: ProviderArgs = {}, opts?: pulumi.ResourceOptions) {
    const { apiKey } = args;
    super(
      'postgres-compute',
      name,
      { ...args, ...(apiKey !== undefined && { apiKey: pulumi.secret(apiKey) }) },
      opts,
    );
  }
}
