// The provider as it travels in state: a text that names the installed package and holds no code of its own, so old state
// runs the code of today.

/** A type of resource in a stack's state, and the text of its provider. */
export interface DynamicType {
  readonly token: string;
  readonly providerText: string;
}

export const dynamicEndpoint: DynamicType = {
  token: 'pulumi-nodejs:dynamic/postgres:ComputeEndpoint',
  providerText: textOf('provider'),
};

export const dynamicBranch: DynamicType = {
  token: 'pulumi-nodejs:dynamic/postgres:Branch',
  providerText: textOf('branch'),
};

export const dynamicRole: DynamicType = {
  token: 'pulumi-nodejs:dynamic/postgres:Role',
  providerText: textOf('role'),
};

export const dynamicDatabase: DynamicType = {
  token: 'pulumi-nodejs:dynamic/postgres:Database',
  providerText: textOf('database'),
};

/**
 * The host looks for the package in the program's folder. It is not there if only the package of a component or a bundle has it, or if
 * it was removed together with its last resource. The host prints the stack of an error beside its message.
 */
function textOf(provider: string): string {
  return `exports.handler=()=>{try{return require("pulumi-postgres-compute/runtime").${provider}}catch(e){if(e.code=="MODULE_NOT_FOUND"){e.message="install pulumi-postgres-compute as a dependency of the program itself, until the state has none of its resources: "+e.message.split("\\n")[0];e.stack="as shown with the resource"}throw e}}`;
}
