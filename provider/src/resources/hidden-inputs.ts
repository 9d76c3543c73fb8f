import * as pulumi from '@pulumi/pulumi';
import type { DynamicType } from '../dynamic/provider-text';

/** What the program passes to the provider besides the arguments, because the engine does not. */
export function toHiddenInputs(
  type: DynamicType,
  name: string,
  args: object,
  opts?: pulumi.CustomResourceOptions,
): pulumi.Inputs {
  return {
    __urn: urnOf(type, name, opts),
    __provider: type.providerText,
    __secrets: findSecrets(args),
    ...toSharedHiddenInputs(opts),
  };
}

/** The hidden inputs that the plugin needs as well. */
export function toSharedHiddenInputs(opts?: pulumi.CustomResourceOptions): pulumi.Inputs {
  const organization = findOrganization();
  return {
    ...(organization !== undefined && { __organization: organization }),
    ...(opts?.deleteBeforeReplace === false && { __createsBeforeDelete: true }),
    ...(opts?.retainOnDelete === true && { __retainsOnDelete: true }),
  };
}

/** The organization of backends without organizations, which all of them share. */
const defaultOrganization = 'organization';

/** Absent for the default one, which would only take room in state. */
function findOrganization(): string | undefined {
  try {
    const organization = pulumi.getOrganization();
    return organization === defaultOrganization ? undefined : organization;
  } catch {
    // A unit test has none unless it sets one.
    return undefined;
  }
}

/** The names of the arguments that are secrets, so that no message repeats them: the engine strips the marks. */
function findSecrets(args: object): Promise<string[] | undefined> | undefined {
  // A single value of a map can be a secret, even if the map is a promise.
  const outputs = Object.entries(args)
    .filter(([, value]) => typeof value === 'object' && value !== null)
    .map(([name, value]) => [name, pulumi.output<unknown>(value)] as const);
  if (outputs.length === 0) return undefined;
  return findMarked(outputs);
}

async function findMarked(
  outputs: readonly (readonly [string, pulumi.Output<unknown>])[],
): Promise<string[] | undefined> {
  const marks = await Promise.all(outputs.map(([, value]) => pulumi.isSecret(value)));
  const secrets = outputs.map(([name]) => name).filter((_name, index) => marks[index]);
  return secrets.length > 0 ? secrets : undefined;
}

/** The URN as a promise. As an output it would depend on the parent component and all its children, this one included. */
function urnOf({ token }: DynamicType, name: string, opts?: pulumi.CustomResourceOptions): Promise<string> {
  const urn = pulumi.createUrn(name, token, opts?.parent);
  return new Promise((resolve) => {
    urn.apply(resolve);
  });
}
