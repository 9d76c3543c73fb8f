// The provider as it travels in state: a text that names the installed package and holds no code of its own, so old state
// runs the code of today.

/** A type of resource in a stack's state, and the text of its provider. */
export interface DynamicType {
  readonly token: string;
  readonly providerText: string;
}

export const dynamicEndpoint: DynamicType = {
  token: 'pulumi-nodejs:dynamic/postgres:ComputeEndpoint',
  providerText: 'exports.handler=()=>require("pulumi-postgres-compute/runtime").provider',
};

export const dynamicBranch: DynamicType = {
  token: 'pulumi-nodejs:dynamic/postgres:Branch',
  providerText: 'exports.handler=()=>require("pulumi-postgres-compute/runtime").branch',
};
